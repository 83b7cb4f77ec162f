/**
 * GET /v1/events/log beyond `decisions.log.*`: page size, fresh links, stubs, events older than 30 days, issues of
 * its query.
 */
import { describe } from "@effect/vitest"
import { LogPage } from "@mailroom/api"
import { HOUR } from "@mailroom/domain"
import { Engine } from "@mailroom/engine"
import { Effect, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { owner, type Owner, setFacts, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { mails, receive } from "./support/mail.js"
import { inOneService, rule } from "./support/service.js"

type Caller = Pick<Owner, "key">

const log = ({ key }: Caller, query = "") => ask(`GET /v1/events/log${query}`, { key })
const page = (caller: Caller, query = "") => Effect.map(log(caller, query), read(LogPage))

const secondMailbox = Effect.fn(function* ({ key }: Owner) {
  const One = Schema.Struct({ mailbox: Schema.Struct({ id: Schema.String, fullAddress: Schema.String }) })
  const { mailbox } = read(One)(yield* ask("POST /v1/mailboxes", { key, body: { address: "second" } }))
  yield* Engine.settle
  return mailbox
})

const subjectsOf = ({ events }: typeof LogPage.Type) =>
  events.map((event) => ("subject" in event.data ? event.data.subject : event.event))

inOneService((shared) => {
  describe("the event log", () => {
    shared("has 50 events a page, if nothing else is asked for", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        yield* receive(account.address, mails(51))
        expect((yield* page(account)).events).toHaveLength(50)
        expect((yield* page(account, "?limit=100")).events).toHaveLength(51)
      }),
    )

    rule("gives download links that are fresh", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const attachment = { filename: "a.txt", type: "text/plain", content: "A" }
        yield* receive(account.address, [{ attachment }])
        yield* TestClock.adjust(HOUR)
        expect((yield* log(account)).text).toContain(`expires=${25 * HOUR}`)
      }),
    )

    shared("shows a message above the limit as the stub it was announced with", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        yield* setFacts(account, { receivedMonth: { window: "1970-01", count: 100 } })
        yield* receive(account.address, [{ subject: "secret subject" }])
        const answer = yield* log(account)
        expect(answer.json).toMatchObject({ events: [{ data: { over_limit: true } }] })
        expect(answer.text).not.toContain("secret subject")
      }),
    )

    rule("begins with what is left after an event that is older than 30 days", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        yield* receive(account.address, [{ subject: "old" }])
        const [old] = (yield* page(account)).events
        yield* TestClock.adjust("31 days")
        yield* receive(account.address, [{ subject: "young" }])
        expect(subjectsOf(yield* page(account))).toEqual(["young"])
        expect(subjectsOf(yield* page(account, `?after=${old?.id}`))).toEqual(["young"])
      }),
    )
  })

  describe("its filters", () => {
    shared("keep one mailbox, kinds, or both", () =>
      Effect.gen(function* () {
        const account = yield* owner("trial")
        const second = yield* secondMailbox(account)
        yield* receive(account.address, [{ subject: "to the first" }])
        yield* receive(second.fullAddress, [{ subject: "to the second" }])
        const body = { to: [account.email], subject: "Out", bodyText: "Text" }
        yield* ask(`POST /v1/mailboxes/${second.id}/messages`, { key: account.key, body })
        expect(subjectsOf(yield* page(account, `?mailboxId=${second.id}`))).toEqual(["to the second", "Out"])
        expect(subjectsOf(yield* page(account, "?events=message.sent,message.bounced"))).toEqual(["Out"])
        const both = `?events=message.received&mailboxId=${account.mailboxId}`
        const found = yield* page(account, both)
        expect(subjectsOf(found)).toEqual(["to the first"])
        // A client that goes on from there does not look at the others again.
        expect(found.metadata.nextAfter).toBe((yield* page(account)).events.at(-1)?.id)
      }),
    )

    shared("name the kinds there are, in one issue for each that is none", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        for (const path of ["/v1/events/log", "/v1/events"]) {
          const answer = yield* ask(`GET ${path}?events=message.read,message.sent`, { key })
          expect(answer.json).toEqual({
            error: expect.any(String),
            code: "VALIDATION_FAILED",
            issues: [
              { path: "events.0", message: expect.stringMatching(/message\.received.*message\.complaint/) },
            ],
          })
        }
      }),
    )

    for (const [query, path] of [
      ["after=", "after"],
      ["after=0-0-0000", "after"],
      ["limit=x", "limit"],
    ] as const)
      shared(`answer 400 to ?${query}`, () =>
        Effect.gen(function* () {
          const answer = yield* log(yield* signUp(), `?${query}`)
          expect(answer.status).toBe(400)
          expect(answer.json).toMatchObject({
            code: "VALIDATION_FAILED",
            issues: expect.arrayContaining([expect.objectContaining({ path })]),
          })
        }),
      )
  })
})
