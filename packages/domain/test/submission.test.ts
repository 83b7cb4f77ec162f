/** The rules of submission: which fields a mail keeps, whose mail it is, who gets it, and the reply to each error. */
import { describe, expect, it } from "@effect/vitest"
import {
  AccountSuspended,
  answerTo,
  AttachmentUnknown,
  DailySendLimitReached,
  DigestMismatch,
  DomainNotVerified,
  DraftLimitReached,
  EmailNotVerified,
  IdempotencyKeyInUse,
  IdempotencyKeyReused,
  IdempotencyResultLost,
  InvalidInput,
  isKeptField,
  isRefusal,
  MailboxNotActive,
  mailFault,
  MailLoopCut,
  type MailLayout,
  type MailroomError,
  MonthlySendLimitReached,
  NotFound,
  OverInboundLimit,
  Overloaded,
  parseNamed,
  PaymentRequired,
  PermissionDenied,
  RecipientBlocked,
  RecipientNotAllowed,
  RecipientSuppressed,
  RelayRefused,
  RelayUnavailable,
  RelayUncertain,
  SendingIsStopped,
  SendingPaused,
  SendOutcomeUnknown,
  SendVelocityExceeded,
  SizeExceeded,
  StorageFull,
  submittedBody,
  submittedHeader,
  ThreadId,
  ThreadTakenOver,
  TooManyStreams,
  TrialRecipientLocked,
  Unauthenticated,
  unreadableMail,
  writtenAddress,
} from "@mailroom/domain"
import { messageId, uuid } from "./support/records.js"

const limit = { limit: 5, retryAfter: 9 }
const overLimit = new OverInboundLimit({
  gate: "INBOUND_LIMIT_EXCEEDED",
  resource: { type: "message", id: messageId },
  quota: { current: 1, limit: 1 },
  resetAt: "2026-04-01T00:00:00.000Z",
  retryAfter: 1,
})

describe("the reply to an error of a send", () => {
  it.each<readonly [MailroomError, string]>([
    [new Unauthenticated({ reason: "invalid key" }), "535 5.7.8"],
    [new PermissionDenied({ required: ["send"] }), "550 5.7.1"],
    [new AccountSuspended({ reason: null }), "550 5.7.1"],
    [new PaymentRequired({ reason: "the trial is over" }), "550 5.7.1"],
    [new TrialRecipientLocked({ allowed: "owner@acme.dev" }), "550 5.7.1"],
    [new EmailNotVerified(), "550 5.7.1"],
    [new SendingPaused(), "550 5.7.1"],
    [new ThreadTakenOver({ threadId: ThreadId.make(uuid(1)) }), "550 5.7.1"],
    [new SendingIsStopped({ address: "a@acme.dev", reason: "BOUNCES" }), "550 5.7.1"],
    [new DomainNotVerified({ domain: "acme.dev" }), "550 5.7.1"],
    [new MailboxNotActive({ address: "a@acme.dev", status: "paused" }), "550 5.2.1"],
    [new NotFound({ resource: "mailbox" }), "550 5.2.1"],
    [new RecipientNotAllowed({ address: "a@example.com", reason: "test domain" }), "550 5.1.2"],
    [new RecipientBlocked({ address: "a@acme.dev" }), "550 5.7.1"],
    [new RecipientSuppressed({ address: "a@acme.dev" }), "550 5.1.1"],
    [new InvalidInput({ issues: [{ path: "to", message: "is bad" }] }), "554 5.6.0"],
    [new AttachmentUnknown({ id: "1" }), "554 5.6.0"],
    [overLimit, "550 5.7.1"],
    [new DigestMismatch({ digest: "1" }), "451 4.3.0"],
    [new SizeExceeded({ what: "the mail", limitBytes: 1 }), "552 5.3.4"],
    [new StorageFull({ usedBytes: 1, limitBytes: 1 }), "552 5.2.2"],
    [new DraftLimitReached({ limit: 1 }), "552 5.2.2"],
    [new SendVelocityExceeded(limit), "452 4.7.1"],
    [new DailySendLimitReached({ ...limit, of: "mailbox" }), "452 4.7.1"],
    [new MailLoopCut({ within: "thread", ...limit }), "452 4.7.1"],
    [new MonthlySendLimitReached(limit), "550 5.7.1"],
    [new RelayRefused({ answer: "550 no", recipients: ["a@acme.dev"] }), "550 5.1.1"],
    [new RelayRefused({ answer: "554 no", command: "DATA", recipients: [] }), "554 5.0.0"],
    [new RelayUnavailable({ reason: "away" }), "451 4.4.1"],
    [new RelayUncertain({ reason: "lost", messageId }), "451 4.4.2"],
    [new SendOutcomeUnknown({ messageId }), "554 5.4.2"],
    [new IdempotencyKeyInUse({ retryAfter: 1 }), "451 4.3.0"],
    [new IdempotencyKeyReused(), "554 5.6.0"],
    [new IdempotencyResultLost(), "554 5.3.0"],
    [new Overloaded({ retryAfter: 1 }), "451 4.3.0"],
    // No send has it.
    [new TooManyStreams({ limit: 5 }), "451 4.3.0"],
  ])("%s: %s", (error, codes) => {
    const answer = answerTo(error, true)
    expect(`${answer.code} ${answer.enhanced}`).toBe(codes)
    expect(answer.text).toMatch(/^[ -~]{5,400}$/)
    expect(String(answer.code)[0]).toBe(answer.enhanced[0])
    expect(isRefusal(answer)).toBe(true)
  })

  it("asks for a repetition of a mail that may have been sent only when it has a Message-ID", () => {
    const lost = new RelayUncertain({ reason: "lost", messageId })
    expect([answerTo(lost, true).code, answerTo(lost, false).code]).toEqual([451, 554])
    expect(answerTo(lost, false).text).toContain(messageId)
  })
})

describe("the fields that a submitted mail keeps", () => {
  it.each([
    "content-type",
    "content-language",
    "x-custom-run",
    "user-agent",
    "autocrypt",
    "list-unsubscribe",
  ])("%s", (name) => expect(isKeptField(name)).toBe(true))
  it.each([
    "bcc",
    "received",
    "dkim-signature",
    "return-path",
    "x-ses-configuration-set",
    "resent-to",
    "sender",
    "from",
  ])("not %s", (name) => expect(isKeptField(name)).toBe(false))
})

const ada = { address: "ada@acme.dev", name: null }
const layout: MailLayout = {
  authors: [ada],
  senders: [],
  isSigned: false,
  keptFields: [],
  bodyStart: 10,
  isAmbiguous: false,
}
const mail = { ...unreadableMail("none"), layout, defect: null, from: ada }
const bytes = Buffer.from("From: ada")

describe("a mail of the mailbox ada@acme.dev", () => {
  it.each<readonly [string, Partial<MailLayout>, string | null]>([
    ["from it alone", {}, null],
    ["in another case", { authors: [{ ...ada, address: "Ada@ACME.dev" }] }, null],
    ["with it as the Sender", { senders: [ada] }, null],
    ["from nobody", { authors: [] }, "5.7.1"],
    ["from two", { authors: [ada, ada] }, "5.7.1"],
    ["from another one", { authors: [{ ...ada, address: "eve@acme.dev" }] }, "5.7.1"],
    ["from one of its tags", { authors: [{ ...ada, address: "ada+x@acme.dev" }] }, "5.7.1"],
    ["with another Sender", { senders: [ada, { ...ada, address: "eve@acme.dev" }] }, "5.7.1"],
    ["with a long header", { bodyStart: 300_000 }, "5.3.4"],
    ["with two types", { isAmbiguous: true }, "5.6.0"],
  ])("%s", (_, change, enhanced) => {
    const fault = mailFault(bytes, { layout: { ...layout, ...change }, subject: "" }, "ada@acme.dev")
    expect(fault?.enhanced ?? null).toBe(enhanced)
  })

  it("is refused with a NUL byte, a long subject, and when it cannot be read", () => {
    expect(mailFault(Buffer.from("a\0"), mail, "ada@acme.dev")).toMatchObject({ code: 554 })
    expect(mailFault(bytes, { layout, subject: "a".repeat(999) }, "ada@acme.dev")).toMatchObject({
      code: 554,
    })
    expect(mailFault(bytes, { layout, subject: "𝄞".repeat(999) }, "ada@acme.dev")).toMatchObject({
      code: 554,
    })
    expect(mailFault(bytes, { layout, subject: "𝄞".repeat(998) }, "ada@acme.dev")).toBeNull()
    expect(mailFault(bytes, unreadableMail("none"), "ada@acme.dev")).toMatchObject({ code: 554 })
  })
})

describe("the send of a submitted mail", () => {
  const named = {
    ...mail,
    to: [
      { address: "bob@acme.dev", name: 'Bob "B" \\ Jr.' },
      { address: "absent@acme.dev", name: null },
    ],
    cc: [
      { address: "carol@acme.dev", name: null },
      { address: "bob@acme.dev", name: null },
    ],
    headers: { "x-custom-run": ["7", "8"], "user-agent": "client" },
  }

  it("goes to the envelope, each recipient once, as To, Cc or blind copy", () => {
    const envelope = ["Bob@acme.dev", "bob@acme.dev", "carol@acme.dev", "dan@acme.dev"]
    const body = submittedBody(named, submittedHeader(named), envelope, [])
    expect(body).toMatchObject({
      to: ['"Bob \\"B\\" \\\\ Jr." <bob@acme.dev>'],
      cc: ["carol@acme.dev"],
      bcc: ["dan@acme.dev"],
      headers: { "x-custom-run": "7" },
    })
  })

  it("keeps To and Cc of the header, without what is no address", () => {
    const odd = { ...named, to: [...named.to, { address: '"a b"@acme.dev', name: null }] }
    const { to } = submittedHeader(odd)
    expect(to.map((text) => parseNamed(text))).toEqual(named.to)
  })

  it.each([
    ["<a@b.example>", "<a@b.example>"],
    ["<no-right-side>", null],
    ["<\u00e9@b.example>", null],
    ["<a b@c>", null],
  ])("keeps the Message-ID %s as %s", (id, kept) => {
    expect(submittedHeader({ ...mail, messageId: id }).messageId).toBe(kept)
  })

  it("answers the last of its References without In-Reply-To", () => {
    const { links } = submittedHeader({ ...mail, references: ["<a@b.example>", "<c@b.example>"] })
    expect(links.inReplyTo).toBe("<c@b.example>")
  })
})

it.each(["Ada", 'a "quoted" \\ name', "Ada, <Bob>"])(
  "parseNamed reads back what writtenAddress wrote: %s",
  (name) => {
    expect(parseNamed(writtenAddress("ada@acme.dev", name))).toEqual({ address: "ada@acme.dev", name })
  },
)
