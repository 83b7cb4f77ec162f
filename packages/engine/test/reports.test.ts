/**
 * Reports about sent mail: events, statuses, suppressions (`spec: events.emission.bounced`,
 * `decisions.reports.return-path`).
 */
import { describe, expect } from "@effect/vitest"
import { feedbackAddress } from "@mailroom/domain"
import {
  Engine,
  Messages,
  MessageStore,
  MailSpool,
  SendingHealthStore,
  Suppressions,
  Vault,
} from "@mailroom/engine"
import { Deferred, Effect, Fiber, TestClock } from "effect"
import { accepted, aMail } from "./support/arrivals.js"
import { lastMailTo } from "./support/outbox.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying, unverified } from "./support/owners.js"
import { accountOf, eventsOf, listed, newest } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { complaint, deliveryReport, returned, returnPathOf } from "./support/reports.js"
import { RECIPIENT, send } from "./support/sends.js"
import { Relaying, slowRelay } from "./support/slowRelay.js"

const OTHER = "carol@elsewhere.org"

/** The events of reports, in their order. */
const reportsOf = (owner: Owner) =>
  Effect.map(eventsOf(owner), (events) =>
    events.filter(({ event }) => !["message.sent", "message.received"].includes(event)),
  )

const statusOf = (owner: Owner) =>
  Effect.map(newest(owner, { direction: "OUTBOUND" }), ({ status }) => status)

const suppressed = (owner: Owner) =>
  Effect.gen(function* () {
    const suppressions = yield* Suppressions
    const page = yield* suppressions.list(yield* as(owner), { email: null, before: null, limit: 10 })
    return page.suppressions.map(({ email, reason }) => ({ email, reason }))
  })

/** An owner with a sent mail, and the return path of that mail. */
const havingSent = (...to: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const owner = yield* paying()
    const recipients = to.length === 0 ? [RECIPIENT] : to
    const { content } = yield* send(owner, { to: recipients })
    return { owner, content, returnPath: yield* returnPathOf(recipients[0]) }
  })

describe("the return path", () => {
  rule(
    "is signed, at the sender's domain, and unique for each message and recipient",
    Effect.gen(function* () {
      const { owner, returnPath } = yield* havingSent(RECIPIENT, OTHER)
      expect(returnPath).toMatch(/^bounces\+[0-9a-f]{34}-[0-9a-f]{20}@acme\.mailroom\.localhost$/)
      expect(yield* returnPathOf(OTHER)).not.toBe(returnPath)
      yield* send(owner)
      expect(yield* returnPathOf()).not.toBe(returnPath)
    }),
  )

  rule(
    "accepts mail, and no other address of this form does",
    Effect.gen(function* () {
      const { returnPath } = yield* havingSent()
      const spool = yield* MailSpool
      const forged = returnPath.replace(/-[0-9a-f]{20}@/, `-${"0".repeat(20)}@`)
      const addresses = [returnPath, returnPath.toUpperCase(), forged, feedbackAddress("mailroom.localhost")]
      const verdicts = yield* spool.recipients(addresses.map((to) => ({ from: "", to })))
      expect(verdicts.map(({ kind }) => kind)).toEqual(["accepted", "accepted", "unknown", "accepted"])
    }),
  )
})

describe("a bounce", () => {
  rule(
    "makes an event, sets the message's status and adds a suppression",
    Effect.gen(function* () {
      const { owner, content, returnPath } = yield* havingSent()
      yield* returned(returnPath, deliveryReport({}))
      expect(yield* reportsOf(owner)).toEqual([
        {
          event: "message.bounced",
          timestamp: "2026-03-10T12:00:00.000Z",
          data: {
            message_id: content.id,
            mailbox_id: owner.mailboxId,
            mailbox_address: owner.address,
            rfc_message_id: content.messageId,
            bounced_recipients: [RECIPIENT],
            bounced_at: "2026-03-10T12:00:00.000Z",
            bounces: [
              {
                recipient: RECIPIENT,
                status: "5.1.1",
                diagnostic: "550 5.1.1 No such user",
                permanent: true,
              },
            ],
          },
        },
      ])
      expect(yield* statusOf(owner)).toBe("BOUNCED")
      expect(yield* suppressed(owner)).toEqual([{ email: RECIPIENT, reason: "BOUNCE" }])
      expect(yield* refused(send(owner))).toMatchObject({ _tag: "RecipientSuppressed", address: RECIPIENT })
      expect((yield* accountOf(owner)).bouncedToday).toBe(1)
    }),
  )

  rule(
    "is not a message: the mailbox shows nothing and counts nothing",
    Effect.gen(function* () {
      const { owner, returnPath } = yield* havingSent()
      yield* returned(returnPath, deliveryReport({}))
      expect(yield* listed(owner, { direction: "INBOUND" })).toEqual([])
      expect((yield* accountOf(owner)).receivedToday).toBe(0)
    }),
  )

  rule(
    "is recognized by its null return path, without a header that identifies a mail server",
    Effect.gen(function* () {
      const { owner, returnPath } = yield* havingSent()
      const notice = aMail({
        from: "Mail <service@elsewhere.org>",
        subject: "Delivery failed",
        text: `Your message could not be delivered to:\r\n\r\n<${RECIPIENT}>: 550 5.1.1 User unknown`,
      })
      yield* Effect.zipRight(accepted(returnPath, notice), Engine.settle)
      expect(yield* reportsOf(owner)).toEqual([])
      expect(yield* listed(owner, { direction: "INBOUND" })).toHaveLength(1)
      yield* returned(returnPath, notice)
      expect(yield* reportsOf(owner)).toMatchObject([{ event: "message.bounced" }])
      expect(yield* suppressed(owner)).toEqual([{ email: RECIPIENT, reason: "BOUNCE" }])
    }),
  )

  rule(
    "that is repeated has no effect",
    Effect.gen(function* () {
      const { owner, returnPath } = yield* havingSent()
      yield* returned(returnPath, deliveryReport({}))
      yield* returned(returnPath, deliveryReport({}, {}))
      expect(yield* reportsOf(owner)).toHaveLength(1)
      expect((yield* accountOf(owner)).bouncedToday).toBe(1)
    }),
  )

  rule(
    "of a full mailbox adds no suppression",
    Effect.gen(function* () {
      const { owner, returnPath } = yield* havingSent()
      yield* returned(
        returnPath,
        deliveryReport({ status: "5.2.2", diagnostic: "552 5.2.2 Mailbox is full" }),
      )
      expect(yield* statusOf(owner)).toBe("BOUNCED")
      expect(yield* suppressed(owner)).toEqual([])
    }),
  )

  rule(
    "for good after one for now suppresses the address, and counts its recipient once",
    Effect.gen(function* () {
      const { owner, returnPath } = yield* havingSent()
      const soft = deliveryReport({ status: "5.2.2", diagnostic: "552 5.2.2 Mailbox is full" })
      for (const report of [soft, deliveryReport({}), soft, deliveryReport({})])
        yield* returned(returnPath, report)
      expect(yield* reportsOf(owner)).toMatchObject([
        { event: "message.bounced", data: { bounces: [{ permanent: false }] } },
        { event: "message.bounced", data: { bounces: [{ permanent: true }] } },
      ])
      expect(yield* suppressed(owner)).toEqual([{ email: RECIPIENT, reason: "BOUNCE" }])
      expect((yield* accountOf(owner)).bouncedToday).toBe(1)
      const store = yield* SendingHealthStore
      expect(yield* store.windows([owner.mailboxId])).toMatchObject([{ hardBounces: 1 }])
    }),
  )

  rule(
    "that only reports a delay changes nothing",
    Effect.gen(function* () {
      const { owner, returnPath } = yield* havingSent()
      yield* returned(returnPath, deliveryReport({ action: "delayed", status: "4.4.1" }))
      expect(yield* reportsOf(owner)).toEqual([])
      expect(yield* statusOf(owner)).toBe("SENT")
      expect(yield* listed(owner, { direction: "INBOUND" })).toEqual([])
    }),
  )

  rule(
    "of one of several recipients is reported for that one",
    Effect.gen(function* () {
      const { owner, returnPath } = yield* havingSent(RECIPIENT, OTHER)
      yield* returned(yield* returnPathOf(OTHER), deliveryReport({ recipient: OTHER }))
      yield* returned(returnPath, deliveryReport({ action: "delivered", status: "2.0.0" }))
      expect(yield* reportsOf(owner)).toMatchObject([
        { event: "message.bounced", data: { bounced_recipients: [OTHER] } },
        { event: "message.delivered", data: { recipients: [RECIPIENT] } },
      ])
      expect(yield* statusOf(owner)).toBe("BOUNCED")
      expect(yield* suppressed(owner)).toEqual([{ email: OTHER, reason: "BOUNCE" }])
    }),
  )

  rule(
    "of a forwarding target counts for the only recipient",
    Effect.gen(function* () {
      const { owner, returnPath } = yield* havingSent()
      yield* returned(returnPath, deliveryReport({ recipient: "bob@new-home.org" }))
      expect(yield* reportsOf(owner)).toMatchObject([{ data: { bounced_recipients: [RECIPIENT] } }])
    }),
  )

  rule(
    "of a forwarding target counts for the recipient of the return path",
    Effect.gen(function* () {
      const { owner } = yield* havingSent(RECIPIENT, OTHER)
      yield* returned(yield* returnPathOf(OTHER), deliveryReport({ recipient: "carol@new-home.org" }))
      expect(yield* reportsOf(owner)).toMatchObject([{ data: { bounced_recipients: [OTHER] } }])
    }),
  )

  rule(
    "at one recipient's return path about another recipient is mail for the sender",
    Effect.gen(function* () {
      const { owner, returnPath } = yield* havingSent(RECIPIENT, OTHER)
      yield* returned(returnPath, deliveryReport({ recipient: OTHER }))
      expect(yield* reportsOf(owner)).toEqual([])
      expect(yield* statusOf(owner)).toBe("SENT")
      expect(yield* suppressed(owner)).toEqual([])
      expect(yield* listed(owner, { direction: "INBOUND" })).toMatchObject([
        { subject: "Undelivered Mail Returned to Sender", automated: true },
      ])
    }),
  )

  ruleWith(slowRelay)(
    "waits while its message is SENDING",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { begun, mayEnd } = yield* Relaying
      const sending = yield* Effect.fork(send(owner))
      const { from } = yield* Deferred.await(begun)
      yield* returned(from, deliveryReport({}))
      expect(yield* reportsOf(owner)).toEqual([])
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(sending)
      yield* TestClock.adjust("2 seconds")
      yield* Engine.settle
      expect((yield* eventsOf(owner)).map(({ event }) => event)).toEqual(["message.sent", "message.bounced"])
      expect(yield* statusOf(owner)).toBe("BOUNCED")
    }),
  )
})

describe("a report of delivery", () => {
  rule(
    "makes an event and sets the message's status",
    Effect.gen(function* () {
      const { owner, content, returnPath } = yield* havingSent()
      yield* returned(returnPath, deliveryReport({ action: "delivered", status: "2.0.0" }))
      expect(yield* reportsOf(owner)).toEqual([
        {
          event: "message.delivered",
          timestamp: "2026-03-10T12:00:00.000Z",
          data: {
            message_id: content.id,
            mailbox_id: owner.mailboxId,
            mailbox_address: owner.address,
            rfc_message_id: content.messageId,
            recipients: [RECIPIENT],
            delivered_at: "2026-03-10T12:00:00.000Z",
          },
        },
      ])
      expect(yield* statusOf(owner)).toBe("DELIVERED")
    }),
  )

  rule(
    "does not undo an earlier bounce",
    Effect.gen(function* () {
      const { owner, returnPath } = yield* havingSent()
      yield* returned(returnPath, deliveryReport({}))
      yield* returned(returnPath, deliveryReport({ action: "delivered", status: "2.0.0" }))
      expect(yield* statusOf(owner)).toBe("BOUNCED")
    }),
  )
})

describe("a complaint", () => {
  const complained = (to: "the return path" | "the feedback address", recipient: string | null) =>
    Effect.gen(function* () {
      const { owner, content, returnPath } = yield* havingSent()
      const address = to === "the return path" ? returnPath : feedbackAddress("mailroom.localhost")
      yield* returned(address, complaint(returnPath, recipient))
      expect(yield* reportsOf(owner)).toEqual([
        {
          event: "message.complaint",
          timestamp: "2026-03-10T12:00:00.000Z",
          data: {
            message_id: content.id,
            mailbox_id: owner.mailboxId,
            mailbox_address: owner.address,
            rfc_message_id: content.messageId,
            complained_recipients: [RECIPIENT],
            complained_at: "2026-03-10T12:00:00.000Z",
          },
        },
      ])
      expect(yield* statusOf(owner)).toBe("COMPLAINED")
      expect(yield* suppressed(owner)).toEqual([{ email: RECIPIENT, reason: "COMPLAINT" }])
    })

  rule("at the return path is an event, a status and a suppression", complained("the return path", RECIPIENT))
  rule("at the feedback address too", complained("the feedback address", RECIPIENT))
  rule("that hides who complained is the only recipient's", complained("the feedback address", null))

  rule(
    "with a return path that is not signed changes nothing and is discarded",
    Effect.gen(function* () {
      const { owner, returnPath } = yield* havingSent()
      const forged = returnPath.replace(/-[0-9a-f]{20}@/, `-${"0".repeat(20)}@`)
      yield* returned(feedbackAddress("mailroom.localhost"), complaint(forged))
      expect(yield* reportsOf(owner)).toEqual([])
      expect(yield* statusOf(owner)).toBe("SENT")
      expect(yield* suppressed(owner)).toEqual([])
      expect(yield* listed(owner, { direction: "INBOUND" })).toEqual([])
    }),
  )
})

describe("a mail to ten recipients or more", () => {
  const readers = Array.from({ length: 10 }, (_, index) => `reader-${index}@elsewhere.org`)

  const unsubscribeAddress = (to: string) =>
    Effect.map(
      lastMailTo(to),
      ({ mail }) => /^<mailto:([^>]+)>$/.exec(String(mail.headers["list-unsubscribe"]))?.[1] ?? "",
    )

  rule(
    "has List-Unsubscribe, and suppresses a recipient who uses it",
    Effect.gen(function* () {
      const { owner } = yield* havingSent(...readers)
      const address = yield* unsubscribeAddress("reader-3@elsewhere.org")
      expect(address).toMatch(/^unsub\+[0-9a-f]{34}-[0-9a-f]{20}@acme\.mailroom\.localhost$/)
      expect(yield* unsubscribeAddress("reader-4@elsewhere.org")).not.toBe(address)
      yield* returned(address, aMail({ from: "Reader <reader-3@elsewhere.org>", subject: "unsubscribe" }))
      expect(yield* suppressed(owner)).toEqual([{ email: "reader-3@elsewhere.org", reason: "MANUAL" }])
      expect(yield* listed(owner, { direction: "INBOUND" })).toEqual([])
      expect(yield* reportsOf(owner)).toEqual([])
      expect(yield* statusOf(owner)).toBe("SENT")
    }),
  )

  rule(
    "unsubscribes the recipient of the address, whatever the From of the mail",
    Effect.gen(function* () {
      const { owner } = yield* havingSent(...readers)
      yield* returned(
        yield* unsubscribeAddress("reader-3@elsewhere.org"),
        aMail({ from: "reader-5@elsewhere.org" }),
      )
      expect(yield* suppressed(owner)).toEqual([{ email: "reader-3@elsewhere.org", reason: "MANUAL" }])
    }),
  )

  rule(
    "unsubscribes a recipient again after the owner has removed the entry",
    Effect.gen(function* () {
      const { owner } = yield* havingSent(...readers)
      const [reader = ""] = readers
      const address = yield* unsubscribeAddress(reader)
      const suppressions = yield* Suppressions
      yield* returned(address, aMail({ from: reader }))
      const query = { email: reader, before: null, limit: 1 }
      const [entry] = (yield* suppressions.list(yield* as(owner), query)).suppressions
      if (entry !== undefined) yield* suppressions.remove(yield* as(owner), entry.id)
      expect(yield* suppressed(owner)).toEqual([])
      yield* returned(address, aMail({ from: reader }))
      expect(yield* suppressed(owner)).toEqual([{ email: reader, reason: "MANUAL" }])
    }),
  )

  rule(
    "has an unsubscribe address for every recipient inside too",
    Effect.gen(function* () {
      const inside = [yield* unverified("one"), yield* unverified("two")]
      const { owner } = yield* havingSent(...readers.slice(2), ...inside.map(({ address }) => address))
      yield* Engine.settle
      const addresses = yield* Effect.forEach(inside, (reader) =>
        Effect.gen(function* () {
          const messages = yield* Messages
          const { id } = yield* newest(reader)
          const { headers } = yield* messages.get(yield* as(reader), reader.mailboxId, id)
          return /^<mailto:([^>]+)>$/.exec(String(headers["list-unsubscribe"]))?.[1] ?? ""
        }),
      )
      expect(new Set(addresses).size).toBe(2)
      yield* returned(addresses[1] ?? "", aMail({ from: inside[0]?.address ?? "" }))
      expect(yield* suppressed(owner)).toEqual([{ email: inside[1]?.address, reason: "MANUAL" }])
    }),
  )

  rule(
    "starts at ten recipients: a mail to fewer has no List-Unsubscribe",
    Effect.gen(function* () {
      yield* havingSent(...readers.slice(1))
      const { mail } = yield* lastMailTo("reader-3@elsewhere.org")
      expect(mail.headers).not.toHaveProperty("list-unsubscribe")
    }),
  )
})

describe("mail of earlier versions, with one return path for all recipients", () => {
  /** The signature of those versions. */
  const oldAddress = (kind: "bounces" | "unsub", messageId: string) =>
    Effect.map(Vault, (vault) => {
      const signature = Buffer.from(vault.sign(`return ${kind}`, messageId), "base64url").toString("hex")
      return `${kind}+${messageId.replaceAll("-", "")}-${signature.slice(0, 20)}@acme.mailroom.localhost`
    })

  rule(
    "bounces for the recipient that the report names",
    Effect.gen(function* () {
      const { owner, content } = yield* havingSent(RECIPIENT, OTHER)
      yield* returned(yield* oldAddress("bounces", content.id), deliveryReport({ recipient: OTHER }))
      expect(yield* suppressed(owner)).toEqual([{ email: OTHER, reason: "BOUNCE" }])
    }),
  )

  rule(
    "unsubscribes the recipient in From",
    Effect.gen(function* () {
      const { owner, content } = yield* havingSent(RECIPIENT, OTHER)
      yield* returned(yield* oldAddress("unsub", content.id), aMail({ from: OTHER }))
      expect(yield* suppressed(owner)).toEqual([{ email: OTHER, reason: "MANUAL" }])
    }),
  )
})

describe("mail that is no report", () => {
  rule(
    "goes to the sending mailbox, such as a vacation reply to the return path",
    Effect.gen(function* () {
      const { owner, content, returnPath } = yield* havingSent()
      const note = aMail({
        from: RECIPIENT,
        subject: "Out of office",
        inReplyTo: content.messageId,
        headers: ["Auto-Submitted: auto-replied (vacation)"],
      })
      yield* returned(returnPath, note)
      const [received] = yield* listed(owner, { direction: "INBOUND" })
      const [sent] = yield* listed(owner, { direction: "OUTBOUND" })
      expect(received).toMatchObject({
        subject: "Out of office",
        automated: true,
        threadId: sent?.threadId,
        status: "RECEIVED",
      })
      expect(yield* reportsOf(owner)).toEqual([])
      expect(yield* suppressed(owner)).toEqual([])
    }),
  )

  rule(
    "such as a bounce to the mailbox itself, is delivered and changes nothing else",
    Effect.gen(function* () {
      const { owner } = yield* havingSent()
      yield* returned(owner.address, deliveryReport({}))
      expect(yield* reportsOf(owner)).toEqual([])
      expect(yield* statusOf(owner)).toBe("SENT")
      expect(yield* listed(owner, { direction: "INBOUND" })).toHaveLength(1)
    }),
  )

  rule(
    "such as one about a deleted message, is discarded",
    Effect.gen(function* () {
      const { owner, content, returnPath } = yield* havingSent()
      const messages = yield* MessageStore
      yield* messages.remove(content.id)
      yield* returned(returnPath, deliveryReport({}))
      expect(yield* reportsOf(owner)).toEqual([])
      expect(yield* suppressed(owner)).toEqual([])
    }),
  )

  rule(
    "does not include reports, which change only the account of their message",
    Effect.gen(function* () {
      const { returnPath } = yield* havingSent()
      const other = yield* paying("other")
      yield* send(other)
      yield* accepted(returnPath, deliveryReport({}), "")
      yield* Engine.settle
      expect(yield* reportsOf(other)).toEqual([])
      expect(yield* statusOf(other)).toBe("SENT")
      expect(yield* suppressed(other)).toEqual([])
    }),
  )
})
