/** The suppression list. */
import { expect } from "vitest"
import { type Agent, agent, send, suppress } from "../../src/agents.js"
import { fieldsAt, listAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row } from "../../src/Row.js"
import { ABSENT, anyId, anyText, anyTime, expectAnswer, expectError, expectInvalid } from "../expectations.js"
import { BOB } from "../values.js"

const entry = { id: anyId, email: BOB, reason: "MANUAL", createdAt: anyTime }

const list = ({ call }: Agent, query = "") => call(`GET /v1/suppressions${query}`)

export const suppressions: Part = [
  row("decisions.names.suppressions", "the list is suppressions, one is suppression", function* () {
    const owner = yield* agent("active")
    expect(fieldsAt((yield* suppress(owner, BOB)).json, "")).toEqual(["suppression"])
    expect(fieldsAt((yield* list(owner)).json, "")).toEqual(["metadata", "suppressions"])
  }),
  row("decisions.suppression.fields", "these, and no other, in the list and alone", function* () {
    const owner = yield* agent("active")
    const added = yield* suppress(owner, BOB)
    for (const one of [
      valueAt(added.json, "suppression"),
      valueAt((yield* list(owner)).json, "suppressions.0"),
    ])
      expect(one).toEqual(entry)
  }),

  row(
    "decisions.suppressions.list",
    "the account's, newest first, page by page, or one address",
    function* () {
      const owner = yield* agent("active")
      yield* suppress(yield* agent("active"), BOB)
      expectAnswer(yield* list(owner), 200, { suppressions: [], metadata: { limit: 50, hasMore: false } })
      for (const name of ["ada", "bob", "eve"]) yield* suppress(owner, `${name}@partner.dev`)
      const first = yield* list(owner, "?limit=2")
      expectAnswer(first, 200, {
        suppressions: [{ ...entry, email: "eve@partner.dev" }, entry],
        metadata: { limit: 2, hasMore: true, nextCursor: anyText },
      })
      expectAnswer(yield* list(owner, `?limit=2&cursor=${textAt(first.json, "metadata.nextCursor")}`), 200, {
        suppressions: [{ ...entry, email: "ada@partner.dev" }],
        metadata: { limit: 2, hasMore: false },
      })
      expectAnswer(yield* list(owner, "?email=BOB@Partner.dev"), 200, {
        suppressions: [entry],
        metadata: { limit: 50, hasMore: false },
      })
      for (const query of ["limit=0", "limit=101", "cursor=invented"])
        expectInvalid(yield* list(owner, `?${query}`), query.replace(/=.*/, ""))
    },
  ),
  row("decisions.suppressions.create", "in any case, and one that is there stays as it is", function* () {
    const owner = yield* agent("active")
    const added = yield* suppress(owner, "BOB@Partner.dev")
    expectAnswer(added, 201, { suppression: entry })
    expectAnswer(yield* suppress(owner, BOB), 201, added.json)
    expect(listAt((yield* list(owner)).json, "suppressions")).toHaveLength(1)
    for (const email of ["", "bob", "Bob <bob@partner.dev>"])
      expectInvalid(yield* suppress(owner, email), "email")
    expectInvalid(yield* owner.call("POST /v1/suppressions", { body: {} }), "email")
  }),
  row("decisions.suppressions.mailbox", "for one mailbox of the account; 404 for any other", function* () {
    const owner = yield* agent("active")
    const other = yield* agent("active")
    const { mailboxId } = owner
    const add = (id: string) => owner.call("POST /v1/suppressions", { body: { email: BOB, mailboxId: id } })
    const added = yield* add(mailboxId)
    expectAnswer(added, 201, { suppression: { ...entry, mailboxId } })
    expectAnswer(yield* add(mailboxId), 201, added.json)
    expect(listAt((yield* list(owner)).json, "suppressions")).toEqual([{ ...entry, mailboxId }])
    for (const nobodys of [ABSENT, other.mailboxId])
      expectError(yield* add(nobodys), 404, "MAILBOX_NOT_FOUND")
    expectInvalid(yield* add("bob"), "mailboxId")
    const id = textAt(added.json, "suppression.id")
    expectAnswer(yield* owner.call(`DELETE /v1/suppressions/${id}`), 200, { deleted: true })
    expect(listAt((yield* list(owner)).json, "suppressions")).toEqual([])
  }),
  row("messages.suppressions.tag", "and an entry with a tag counts for that one alone", function* () {
    const owner = yield* agent("active")
    yield* suppress(owner, BOB)
    yield* suppress(owner, "eve+news@partner.dev")
    const address = BOB.replace("@", "+news@")
    expectError(yield* send(owner, address), 400, "RECIPIENT_SUPPRESSED", { address })
    expect((yield* send(owner, "eve@partner.dev")).status).toBe(201)
  }),
  row("decisions.suppressions.delete", "its account alone, once", function* () {
    const owner = yield* agent("active")
    const id = textAt((yield* suppress(owner, BOB)).json, "suppression.id")
    const { call } = yield* agent("active")
    for (const nobodys of [ABSENT, id, BOB])
      expectError(yield* call(`DELETE /v1/suppressions/${nobodys}`), 404, "SUPPRESSION_NOT_FOUND")
    expectAnswer(yield* owner.call(`DELETE /v1/suppressions/${id}`), 200, { deleted: true })
    expect(listAt((yield* list(owner)).json, "suppressions")).toEqual([])
    expectError(yield* owner.call(`DELETE /v1/suppressions/${id}`), 404, "SUPPRESSION_NOT_FOUND")
  }),
]
