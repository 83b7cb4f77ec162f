/** The send rules and their order (`spec: messages.send.rule-2-verification`; docs/specification/messages.md). */
import { describe, expect } from "@effect/vitest"
import { AttachmentId, type SendBody } from "@mailroom/domain"
import { Accounts, Mailboxes } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Effect, TestClock } from "effect"
import { changeAccount, changeMailbox, suppress, suspendAccount } from "./support/changes.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { mailsTo } from "./support/outbox.js"
import { as, type Owner, pay, paying, unverified, verificationToken, verified } from "./support/owners.js"
import { accountOf, eventsOf, listed } from "./support/reading.js"
import { takingTurns } from "./support/concurrency.js"
import { refused } from "./support/refused.js"
import { inline, RECIPIENT, send, sendAtOnce, upload } from "./support/sends.js"

const setStatus = (owner: Owner, status: "ACTIVE" | "paused") =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    yield* mailboxes.update(yield* as(owner), owner.mailboxId, { displayName: undefined, status })
  })

const MB = 1024 * 1024
const unknownFile = AttachmentId.make("00000000-0000-7000-8000-000000000000")

describe("the send rules", () => {
  rule(
    "are checked in their order, whichever are violated",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const relay = yield* MemoryRelay
      const files = yield* Effect.forEach(["a", "b"], (name) =>
        upload(owner, name, Buffer.from(name), 13 * MB),
      )
      yield* suppress(owner, RECIPIENT)
      yield* suppress(owner, "eve@example.com")
      yield* relay.answer("carl@elsewhere.org", "550 5.1.1 who?")
      yield* setStatus(owner, "paused")
      const counted = { window: "2026-03-16", count: 100_000 }
      const usedUp = {
        sentMinute: { ...counted, window: "2026-03-16T12:00Z" },
        sentDay: counted,
        sentMonth: { ...counted, window: "2026-03" },
      }
      const tried: Array<string> = []
      const attempt = (body: Partial<SendBody>) =>
        Effect.map(refused(send(owner, body)), ({ _tag }) => void tried.push(_tag))
      const everything = { to: ["eve@example.com", RECIPIENT], attachments: [unknownFile, ...files] }

      yield* attempt(everything)
      yield* setStatus(owner, "ACTIVE")
      yield* attempt(everything)
      const accounts = yield* Accounts
      yield* accounts.verifyEmail(yield* verificationToken(owner.email))
      yield* attempt(everything)
      yield* TestClock.adjust("6 days")
      yield* attempt(everything)
      yield* pay(owner)
      yield* changeMailbox(owner, usedUp)
      yield* attempt(everything)
      yield* attempt({ ...everything, to: [RECIPIENT] })
      const carl = { to: ["carl@elsewhere.org"] }
      yield* attempt({ ...everything, ...carl })
      yield* attempt({ ...carl, attachments: files })
      yield* changeAccount(owner, { storageUsedBytes: 10 * 1024 * MB })
      yield* attempt({ ...carl, attachments: [inline("a.bin", Buffer.from("1"))] })
      yield* attempt(carl)
      yield* changeMailbox(owner, { sentMinute: { window: "", count: 0 } })
      yield* attempt(carl)
      yield* changeMailbox(owner, { sentDay: { window: "", count: 0 } })
      yield* attempt(carl)
      yield* changeMailbox(owner, { sentMonth: { window: "", count: 0 } })
      yield* attempt(carl)
      expect(tried).toEqual([
        "MailboxNotActive",
        "EmailNotVerified",
        "TrialRecipientLocked",
        "PaymentRequired",
        "RecipientNotAllowed",
        "RecipientSuppressed",
        "AttachmentUnknown",
        "SizeExceeded",
        "StorageFull",
        "SendVelocityExceeded",
        "DailySendLimitReached",
        "MonthlySendLimitReached",
        "RelayRefused",
      ])
      expect(yield* mailsTo("carl@elsewhere.org")).toEqual([])
      expect(yield* listed(owner)).toEqual([])
      expect(yield* eventsOf(owner)).toEqual([])
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 0, sentThisMonth: 0 })
    }),
  )

  rule(
    "a suspended account sends nothing",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* suspendAccount(owner)
      expect(yield* refused(send(owner))).toMatchObject({ _tag: "AccountSuspended", reason: "spam" })
    }),
  )

  rule(
    "a suspended mailbox sends nothing",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* changeMailbox(owner, { status: "suspended" })
      const refusal = { _tag: "MailboxNotActive", address: owner.address, status: "suspended" }
      expect(yield* refused(send(owner))).toMatchObject(refusal)
    }),
  )

  rule(
    "another account's mailbox is not found",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      const stolen = send({ ...owner, mailboxId: other.mailboxId })
      expect(yield* refused(stolen)).toMatchObject({ _tag: "NotFound", resource: "mailbox" })
    }),
  )

  rule(
    "a suppressed recipient is named, also in bcc and in another case; another account's list does not apply",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      yield* suppress(owner, RECIPIENT)
      const body = { to: ["carl@elsewhere.org"], bcc: ["BOB@elsewhere.org"] }
      const refusal = { _tag: "RecipientSuppressed", address: RECIPIENT }
      expect(yield* refused(send(owner, body))).toMatchObject(refusal)
      expect((yield* send(other, body)).status).toBe("SENT")
    }),
  )

  for (const [address, reason] of [
    ["bob@example.com", "test domain"],
    ["bob@mail.invalid", "test domain"],
    ["bob@mailinator.com", "disposable address"],
  ] as const)
    rule(
      `a ${reason} is refused: ${address}`,
      Effect.gen(function* () {
        const owner = yield* paying()
        for (const body of [{ to: [address] }, { cc: [address] }, { bcc: [address] }])
          expect(yield* refused(send(owner, body))).toMatchObject({
            _tag: "RecipientNotAllowed",
            address,
            reason,
          })
      }),
    )
})

describe("the trial", () => {
  rule(
    "sends to the owner's verified address alone",
    Effect.gen(function* () {
      const owner = yield* verified()
      const locked = { _tag: "TrialRecipientLocked", allowed: owner.email }
      expect(yield* refused(send(owner))).toMatchObject(locked)
      expect(yield* refused(send(owner, { to: [owner.email], bcc: [RECIPIENT] }))).toMatchObject(locked)
      expect(yield* refused(send(owner, { to: [owner.address] }))).toMatchObject(locked)
      expect((yield* send(owner, { to: [owner.email.toUpperCase()] })).status).toBe("SENT")
    }),
  )

  ruleWith(takingTurns)(
    "is spent with ten sends, also by concurrent requests",
    Effect.gen(function* () {
      const owner = yield* verified()
      const outcomes = yield* sendAtOnce(owner, 15, { to: [owner.email] })
      const tags = outcomes.map((outcome) => (outcome._tag === "Right" ? "sent" : outcome.left._tag)).sort()
      expect(tags).toEqual([
        ...Array.from({ length: 5 }, () => "PaymentRequired"),
        ...Array.from({ length: 10 }, () => "sent"),
      ])
      expect(yield* mailsTo(owner.email)).toHaveLength(1 + 10)
      const account = yield* accountOf(owner)
      expect(account).toMatchObject({ state: "payment_required", sentToday: 10 })
      expect(account.trial).toMatchObject({ exhausted: true, sendsUsed: 10, sendsRemaining: 0 })
    }),
  )
})
