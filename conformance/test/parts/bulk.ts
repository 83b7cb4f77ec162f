/** Bulk mail, and unsubscribing from it. */
import { Effect } from "effect"
import { expect } from "vitest"
import { type Agent, agent, newestId, newMailbox, receive, send } from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { rawMail } from "../../src/mail.js"
import { type Part, virtual } from "../../src/Row.js"
import { type SentMail, Virtual, World } from "../../src/World.js"
import { anyId, anyTime, expectAnswer, expectError, expectInvalid } from "../expectations.js"
import { BOB } from "../values.js"

const CAROL = "carol@partner.dev"
const DORA = "dora@partner.dev"

const ON_HTTPS = { baseUrl: "https://mail.acme.dev" }

/** What mail providers send for their users (RFC 8058 §3.2). */
const ONE_CLICK = {
  body: "List-Unsubscribe=One-Click",
  headers: {
    "content-type": "application/x-www-form-urlencoded",
    origin: "https://mail.google.com",
  },
}

const field = ({ headers }: SentMail, name: string): string => String(headers[name] ?? "")

/** The last mail to an address. */
const mailTo = (recipient: string) =>
  Effect.flatMap(World, ({ outbox }) =>
    Effect.flatMap(outbox(recipient), (mails) => {
      const last = mails.at(-1)
      return last === undefined ? Effect.dieMessage(`no mail to ${recipient}`) : Effect.succeed(last)
    }),
  )

/** The path of the unsubscribe link in the last mail to an address. */
const linkOf = (recipient: string) =>
  Effect.map(
    mailTo(recipient),
    (mail) => /<https:\/\/mail\.acme\.dev(\/u\/[^>]+)>/.exec(field(mail, "list-unsubscribe"))?.[1] ?? "",
  )

const click = (path: string) => Effect.flatMap(World, ({ visit }) => visit(`POST ${path}`, ONE_CLICK))

const suppressionsOf = ({ call }: Agent) =>
  Effect.map(call("GET /v1/suppressions"), ({ json }) => listAt(json, "suppressions"))

/** An agent who sent a bulk mail to Bob and Carol. */
const havingSent = Effect.tap(agent("active"), (owner) => send(owner, BOB, { cc: [CAROL], bulk: true }))

const bulkRow = (
  rows: Parameters<typeof virtual>[0],
  name: string,
  steps: Parameters<typeof virtual>[2],
): Part[number] => virtual(rows, name, steps, ON_HTTPS)

export const bulk: Part = [
  bulkRow("bulk.replies", "each has a link, and so has a send as a form", function* () {
    const owner = yield* agent("active")
    yield* receive(owner, [{ from: BOB }])
    const path = `/v1/mailboxes/${owner.mailboxId}/messages`
    const message = `${path}/${yield* newestId(owner)}`
    const form = new FormData()
    for (const [name, value] of [
      ["to", BOB],
      ["subject", "Hello"],
      ["bodyText", "How are you?"],
      ["bulk", "true"],
    ] as const)
      form.append(name, value)
    const links: Array<string> = []
    for (const [target, body] of [
      [`POST ${path}`, form],
      [`POST ${message}/reply`, { bodyText: "Yes.", bulk: true }],
      [`POST ${message}/reply-all`, { bodyText: "Yes.", bulk: true }],
      [`POST ${message}/forward`, { to: [BOB], bulk: true }],
    ] as const) {
      expect((yield* owner.call(target, { body })).status).toBe(201)
      links.push(yield* linkOf(BOB))
    }
    // The same recipient of the same mailbox.
    expect(new Set(links).size).toBe(1)
    expect(links[0]).toMatch(/^\/u\/./)
  }),
  bulkRow("bulk.400", "a text, and a number", function* () {
    const owner = yield* agent("active")
    for (const value of ["yes", 1]) expectInvalid(yield* send(owner, BOB, { bulk: value }), "bulk")
  }),
  bulkRow(["bulk.alone", "bulk.return-path", "bulk.unsubscribe"], "to, cc and bcc", function* () {
    const owner = yield* agent("active")
    const sent = yield* send(owner, BOB, { to: [`Bob <${BOB}>`], cc: [CAROL], bcc: [DORA], bulk: true })
    expectAnswer(sent, 201, {
      message: expect.objectContaining({ toAddresses: [BOB], ccAddresses: [CAROL], bccAddresses: [DORA] }),
    })
    const mails = yield* Effect.forEach([BOB, CAROL, DORA], mailTo)
    expect(mails.map((mail) => [field(mail, "to"), field(mail, "cc")])).toEqual([
      [`Bob <${BOB}>`, ""],
      [CAROL, ""],
      [DORA, ""],
    ])
    expect(new Set(mails.map(({ from }) => from)).size).toBe(3)
    for (const mail of mails) {
      expect(field(mail, "list-unsubscribe")).toMatch(
        /^<https:\/\/mail\.acme\.dev\/u\/[\w.-]+>,\s+<mailto:optout\+[^>]+>$/,
      )
      expect(field(mail, "list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click")
    }
    expect(new Set(mails.map((mail) => field(mail, "list-unsubscribe"))).size).toBe(3)
  }),
  bulkRow("bulk.signed", "both, of a mail to one recipient and to two", function* () {
    yield* havingSent
    for (const recipient of [BOB, CAROL]) {
      const signature = field(yield* mailTo(recipient), "dkim-signature").replace(/\s/g, "")
      const signed = (/;h=([^;]+)/.exec(signature)?.[1] ?? "").toLowerCase().split(":")
      expect(signed).toContain("list-unsubscribe")
      expect(signed).toContain("list-unsubscribe-post")
    }
  }),
  virtual(
    "bulk.http",
    "and no List-Unsubscribe-Post",
    function* () {
      yield* havingSent
      const mail = yield* mailTo(BOB)
      expect(field(mail, "list-unsubscribe")).toMatch(/^<mailto:optout\+[^>]+>$/)
      expect(field(mail, "list-unsubscribe-post")).toBe("")
    },
    { baseUrl: "http://mail.acme.dev" },
  ),

  bulkRow("bulk.page", "it says who and from whom", function* () {
    const { visit } = yield* World
    const owner = yield* havingSent
    const link = yield* linkOf(BOB)
    for (const method of ["GET", "HEAD", "GET"]) {
      const page = yield* visit(`${method} ${link}`)
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html"])
      if (method === "HEAD") continue
      expect(page.text).toContain(BOB)
      expect(page.text).toContain(owner.address)
      expect(page.text).toContain(
        `<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click">`,
      )
      expect(page.text).not.toContain("<script")
    }
    expect(yield* suppressionsOf(owner)).toEqual([])
  }),
  bulkRow(
    ["bulk.click", "bulk.repeat"],
    "as a form, as a multipart form, and by the button of the page",
    function* () {
      const { visit } = yield* World
      const owner = yield* havingSent
      const link = yield* linkOf(BOB)
      const form = new FormData()
      form.append("List-Unsubscribe", "One-Click")
      const answers = [yield* click(link), yield* visit(`POST ${link}`, { body: form }), yield* click(link)]
      for (const { status, text, headers } of answers) {
        expect(status).toBe(200)
        expect(text).toBe(answers[0]?.text)
        expect(headers.get("set-cookie")).toBeNull()
      }
      expect(answers[0]?.text).toContain("You are unsubscribed")
      expect(yield* suppressionsOf(owner)).toEqual([
        { id: anyId, email: BOB, reason: "MANUAL", mailboxId: owner.mailboxId, createdAt: anyTime },
      ])
    },
  ),
  bulkRow("bulk.mailbox", "the other recipient and the other mailbox go on", function* () {
    const owner = yield* havingSent
    const other = yield* newMailbox(owner, "news")
    yield* click(yield* linkOf(BOB))
    expectError(yield* send(owner, BOB), 400, "RECIPIENT_SUPPRESSED", { address: BOB })
    expectError(yield* send(owner, CAROL, { bcc: [BOB] }), 400, "RECIPIENT_SUPPRESSED", { address: BOB })
    expect((yield* send(owner, CAROL)).status).toBe(201)
    expect((yield* send({ ...owner, mailboxId: other.id }, BOB)).status).toBe(201)
    expect((yield* send(yield* agent("active"), BOB)).status).toBe(201)
  }),
  bulkRow(
    "bulk.listed",
    "among those of the account, newest first, by address, and page by page",
    function* () {
      const { advance } = yield* Virtual
      const owner = yield* havingSent
      const { call } = owner
      yield* call("POST /v1/suppressions", { body: { email: BOB } })
      yield* advance("1 second")
      yield* click(yield* linkOf(BOB))
      yield* advance("1 second")
      yield* call("POST /v1/suppressions", { body: { email: DORA } })
      const entry = { id: anyId, email: BOB, reason: "MANUAL", createdAt: anyTime }
      const ofMailbox = { ...entry, mailboxId: owner.mailboxId }
      expect(yield* suppressionsOf(owner)).toEqual([{ ...entry, email: DORA }, ofMailbox, entry])
      const seen: Array<unknown> = []
      for (let query = `?email=${BOB}&limit=1`; query !== "";) {
        const { json } = yield* call(`GET /v1/suppressions${query}`)
        seen.push(...listAt(json, "suppressions"))
        query =
          valueAt(json, "metadata.hasMore") === true
            ? `?email=${BOB}&limit=1&cursor=${textAt(json, "metadata.nextCursor")}`
            : ""
      }
      expect(seen).toEqual([ofMailbox, entry])
      for (const one of seen) {
        expectError(yield* send(owner, BOB), 400, "RECIPIENT_SUPPRESSED", { address: BOB })
        const id = textAt(one, "id")
        expectError(
          yield* (yield* agent("active")).call(`DELETE /v1/suppressions/${id}`),
          404,
          "SUPPRESSION_NOT_FOUND",
        )
        expectAnswer(yield* call(`DELETE /v1/suppressions/${id}`), 200, { deleted: true })
      }
      expect((yield* send(owner, BOB)).status).toBe(201)
    },
  ),
  bulkRow("bulk.lasting", "and says so when the mailbox is gone", function* () {
    const { advance } = yield* Virtual
    const { visit } = yield* World
    const owner = yield* havingSent
    const { call, mailboxId } = owner
    const [bob, carol] = [yield* linkOf(BOB), yield* linkOf(CAROL)]
    yield* call(`DELETE /v1/mailboxes/${mailboxId}/messages/${yield* newestId(owner)}`)
    yield* advance("400 days")
    expect((yield* click(bob)).status).toBe(200)
    expectError(yield* send(owner, BOB), 400, "RECIPIENT_SUPPRESSED", { address: BOB })
    yield* newMailbox(owner, "news")
    yield* call(`DELETE /v1/mailboxes/${mailboxId}`)
    for (const answer of [yield* visit(`GET ${carol}`), yield* click(carol)]) {
      expect(answer.status).toBe(200)
      expect(answer.text).toContain("does not exist any more")
    }
  }),
  bulkRow("bulk.forged", "another signature, recipient, or nothing", function* () {
    const { visit } = yield* World
    const owner = yield* havingSent
    const [bob, carol] = [yield* linkOf(BOB), yield* linkOf(CAROL)]
    const [target = "", signature = ""] = bob.split(".")
    const pages = new Set<string>()
    for (const path of [`${target}.`, target, `${carol.split(".")[0]}.${signature}`, `${bob}x`, "/u/x.y"])
      for (const answer of [yield* visit(`GET ${path}`), yield* click(path)]) {
        expect(answer.status).toBe(404)
        pages.add(answer.text)
      }
    expect(pages.size).toBe(1)
    expect([...pages].join("")).not.toContain(owner.address)
    expect(yield* suppressionsOf(owner)).toEqual([])
  }),
  bulkRow("bulk.mailto", "from whatever address", function* () {
    const { deliver, eventually } = yield* World
    const owner = yield* havingSent
    const address = /<mailto:([^>]+)>/.exec(field(yield* mailTo(CAROL), "list-unsubscribe"))?.[1] ?? ""
    yield* deliver([rawMail(address, "From: eve@partner.dev", "Subject: unsubscribe", "", "")])
    yield* eventually("an entry", suppressionsOf(owner), ({ length }) => length > 0)
    expect(yield* suppressionsOf(owner)).toEqual([
      { id: anyId, email: CAROL, reason: "MANUAL", mailboxId: owner.mailboxId, createdAt: anyTime },
    ])
    expectError(yield* send(owner, CAROL), 400, "RECIPIENT_SUPPRESSED", { address: CAROL })
  }),
]
