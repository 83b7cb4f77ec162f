/** Mail that is marked `bulk`, and its unsubscribe links (`spec: bulk.alone`; docs/decisions/0069). */
import { describe, expect } from "@effect/vitest"
import { Engine, Mailboxes, Messages, MessageChanges, Suppressions, Unsubscribes } from "@mailroom/engine"
import { Effect, Option } from "effect"
import { aMail } from "./support/arrivals.js"
import { ruleUnder } from "./support/mailroom.js"
import { lastMailTo, mailsTo } from "./support/outbox.js"
import { as, type Owner, paying } from "./support/owners.js"
import { newest } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { returned } from "./support/reports.js"
import { RECIPIENT, send } from "./support/sends.js"

const CAROL = "carol@elsewhere.org"

const rule = ruleUnder({ baseUrl: "https://mail.acme.dev" })

interface Ways {
  readonly url: string | null
  readonly mailto: string
}

/** The ways to unsubscribe that a header field names. */
const waysIn = (field: string): Ways => ({
  url: /<(https?:[^>]+)>/.exec(field)?.[1] ?? null,
  mailto: /<mailto:([^>]+)>/.exec(field)?.[1] ?? "",
})

const waysOf = (recipient: string) =>
  Effect.map(lastMailTo(recipient), ({ mail }) => waysIn(String(mail.headers["list-unsubscribe"])))

const tokenOf = (recipient: string) =>
  Effect.map(waysOf(recipient), ({ url }) => (url ?? "").replace(/^.*\/u\//, ""))

const suppressionsOf = (owner: Owner) =>
  Effect.gen(function* () {
    const suppressions = yield* Suppressions
    const page = yield* suppressions.list(yield* as(owner), { email: null, before: null, limit: 10 })
    return page.suppressions
  })

/** The owner with another mailbox. */
const withMailbox = (owner: Owner, localPart: string) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    const { id } = yield* mailboxes.create(yield* as(owner), { localPart, displayName: null, domainId: null })
    return { ...owner, mailboxId: id }
  })

const use = (token: string) => Effect.flatMap(Unsubscribes, ({ unsubscribe }) => unsubscribe(token))

describe("a bulk mail", () => {
  rule(
    "goes to each recipient alone, with a return path and ways to unsubscribe of their own",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { content } = yield* send(owner, {
        to: [`Bob <${RECIPIENT}>`],
        cc: [CAROL],
        bcc: ["dora@elsewhere.org"],
        bulk: true,
      })
      expect(content).toMatchObject({ toAddresses: [RECIPIENT], ccAddresses: [CAROL] })
      const mails = yield* Effect.forEach([RECIPIENT, CAROL, "dora@elsewhere.org"], lastMailTo)
      for (const [index, to] of [`Bob <${RECIPIENT}>`, CAROL, "dora@elsewhere.org"].entries()) {
        const { mail, raw } = mails[index] ?? (yield* Effect.dieMessage("no mail"))
        expect(mail.headers).toMatchObject({ to, "list-unsubscribe-post": "List-Unsubscribe=One-Click" })
        expect(mail.headers).not.toHaveProperty("cc")
        const header = raw.slice(0, raw.indexOf("\r\n\r\n"))
        for (const other of [RECIPIENT, CAROL, "dora@elsewhere.org"])
          if (!to.includes(other)) expect(header).not.toContain(other)
      }
      expect(new Set(mails.map(({ envelope }) => envelope.from)).size).toBe(3)
      const ways = mails.map(({ mail }) => waysIn(String(mail.headers["list-unsubscribe"])))
      for (const { url, mailto } of ways) {
        expect(url).toMatch(/^https:\/\/mail\.acme\.dev\/u\/[\w.-]+$/)
        expect(mailto).toMatch(/^optout\+[0-9a-f]{34}-[0-9a-f]{20}@acme\.mailroom\.localhost$/)
      }
      expect(new Set(ways.map(({ url }) => url)).size).toBe(3)
    }),
  )

  rule(
    "RFC 8058 §4: has both fields for unsubscribing in its DKIM signature, with one recipient too",
    Effect.gen(function* () {
      yield* send(yield* paying(), { bulk: true })
      const { raw } = yield* lastMailTo(RECIPIENT)
      const [signature = ""] = /^DKIM-Signature:[^]*?(?=\r\n\S)/im.exec(raw) ?? []
      const signed = (/\bh=([^;]+)/.exec(signature)?.[1] ?? "").replace(/\s/g, "").toLowerCase().split(":")
      expect(signed).toEqual(expect.arrayContaining(["list-unsubscribe", "list-unsubscribe-post", "to"]))
    }),
  )

  rule(
    "reaches mailboxes inside in the same way",
    Effect.gen(function* () {
      const [owner, one, two] = [yield* paying(), yield* paying("one"), yield* paying("two")]
      yield* send(owner, { to: [one.address, two.address], bulk: true })
      yield* Engine.settle
      for (const reader of [one, two]) {
        const messages = yield* Messages
        const { id, toAddresses } = yield* newest(reader)
        expect(toAddresses).toEqual([reader.address])
        const { headers } = yield* messages.get(yield* as(reader), reader.mailboxId, id)
        expect(waysIn(String(headers["list-unsubscribe"])).url).toContain("/u/")
      }
    }),
  )

  ruleUnder({ baseUrl: "http://localhost:3000" })(
    "RFC 8058 §3.1: has no link where the service is not on https",
    Effect.gen(function* () {
      yield* send(yield* paying(), { bulk: true })
      const { mail } = yield* lastMailTo(RECIPIENT)
      expect(mail.headers["list-unsubscribe"]).toMatch(/^<mailto:optout\+[^>]+>$/)
      expect(mail.headers).not.toHaveProperty("list-unsubscribe-post")
    }),
  )

  rule(
    "is no other mail: without bulk a mail has no link",
    Effect.gen(function* () {
      yield* send(yield* paying(), { to: [RECIPIENT, CAROL], bulk: false })
      const { mail } = yield* lastMailTo(CAROL)
      expect(mail.headers).not.toHaveProperty("list-unsubscribe")
      expect(mail.to).toHaveLength(2)
    }),
  )
})

describe("an unsubscribe link", () => {
  rule(
    "suppresses its recipient for its mailbox alone, once, and again after the owner removed the entry",
    Effect.gen(function* () {
      const owner = yield* paying()
      const other = yield* withMailbox(owner, "news")
      yield* send(owner, { to: [RECIPIENT, CAROL], bulk: true })
      const token = yield* tokenOf(RECIPIENT)
      const about = Option.some({ recipient: RECIPIENT, mailbox: owner.address })
      const { find } = yield* Unsubscribes
      expect(yield* find(token)).toEqual(about)
      expect(yield* suppressionsOf(owner)).toEqual([])
      const answers = yield* Effect.all([use(token), use(token), use(token)], { concurrency: "unbounded" })
      expect(answers).toEqual([about, about, about])
      const entries = yield* suppressionsOf(owner)
      expect(entries).toMatchObject([{ email: RECIPIENT, reason: "MANUAL", mailboxId: owner.mailboxId }])
      expect(yield* refused(send(owner))).toMatchObject({ _tag: "RecipientSuppressed", address: RECIPIENT })
      expect((yield* send(owner, { to: [CAROL] })).status).toBe("SENT")
      expect((yield* send(other)).status).toBe("SENT")

      const suppressions = yield* Suppressions
      for (const { id } of entries) yield* suppressions.remove(yield* as(owner), id)
      expect((yield* send(owner)).status).toBe("SENT")
      yield* use(token)
      expect(yield* suppressionsOf(owner)).toHaveLength(1)
    }),
  )

  rule(
    "works when its message was deleted, and says that a deleted mailbox is gone",
    Effect.gen(function* () {
      const owner = yield* paying()
      const news = yield* withMailbox(owner, "news")
      const { content } = yield* send(news, { to: [RECIPIENT, CAROL], bulk: true })
      const [bob, carol] = [yield* tokenOf(RECIPIENT), yield* tokenOf(CAROL)]
      const changes = yield* MessageChanges
      yield* changes.remove(yield* as(news), news.mailboxId, content.id)
      yield* use(bob)
      expect(yield* suppressionsOf(owner)).toMatchObject([{ email: RECIPIENT }])
      const mailboxes = yield* Mailboxes
      yield* mailboxes.remove(yield* as(owner), news.mailboxId)
      yield* Engine.settle
      expect(yield* use(carol)).toEqual(Option.some({ recipient: CAROL, mailbox: null }))
      expect(yield* suppressionsOf(owner)).toEqual([])
    }),
  )

  rule(
    "is nobody's with another signature, recipient or mailbox",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* send(owner, { to: [RECIPIENT, CAROL], bulk: true })
      const [[target = "", signature = ""], [other = ""]] = [
        (yield* tokenOf(RECIPIENT)).split("."),
        (yield* tokenOf(CAROL)).split("."),
      ]
      const { find } = yield* Unsubscribes
      for (const token of [
        "",
        target,
        `${target}.`,
        `${other}.${signature}`,
        `${target}.${signature.slice(1)}`,
      ]) {
        expect(yield* find(token)).toEqual(Option.none())
        expect(yield* use(token)).toEqual(Option.none())
      }
      expect(yield* suppressionsOf(owner)).toEqual([])
    }),
  )
})

describe("the unsubscribe address of a bulk mail", () => {
  rule(
    "suppresses its recipient for its mailbox alone",
    Effect.gen(function* () {
      const owner = yield* paying()
      const other = yield* withMailbox(owner, "news")
      yield* send(owner, { to: [RECIPIENT, CAROL], bulk: true })
      yield* returned((yield* waysOf(CAROL)).mailto, aMail({ from: RECIPIENT, subject: "unsubscribe" }))
      expect(yield* suppressionsOf(owner)).toMatchObject([{ email: CAROL, mailboxId: owner.mailboxId }])
      expect(yield* refused(send(owner, { to: [CAROL] }))).toMatchObject({ _tag: "RecipientSuppressed" })
      expect((yield* send(other, { to: [CAROL] })).status).toBe("SENT")
      expect(yield* mailsTo(CAROL)).toHaveLength(2)
    }),
  )
})
