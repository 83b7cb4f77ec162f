/** The code of a FAILED draft is that of the refused send over HTTP (`spec: drafts.schedule.failed`). */
import { wireErrors } from "@mailroom/api"
import {
  AccountSuspended,
  AttachmentUnknown,
  DailySendLimitReached,
  DomainNotVerified,
  draftError,
  EmailNotVerified,
  InvalidInput,
  MailboxNotActive,
  MailLoopCut,
  type MailroomError,
  MonthlySendLimitReached,
  NotFound,
  PaymentRequired,
  RecipientBlocked,
  RecipientNotAllowed,
  RecipientSuppressed,
  RelayRefused,
  RelayUnavailable,
  SendingIsStopped,
  SizeExceeded,
  StorageFull,
  ThreadId,
  ThreadTakenOver,
  TrialRecipientLocked,
} from "@mailroom/domain"
import { Match } from "effect"
import { describe, expect, it } from "vitest"

const codeOver = Match.type<MailroomError>().pipe(
  Match.tagsExhaustive(wireErrors({ baseUrl: "https://api.mailroom.dev", billing: "simulated" })),
)

const address = "ada@sender.dev"

describe("drafts.schedule.failed: a draft whose send was refused", () => {
  const refusals: ReadonlyArray<MailroomError> = [
    new AccountSuspended({ reason: null }),
    new AttachmentUnknown({ id: "01a22303" }),
    new DailySendLimitReached({ of: "account", limit: 25, retryAfter: 60 }),
    new DomainNotVerified({ domain: "sender.dev" }),
    new EmailNotVerified(),
    new InvalidInput({ issues: [{ path: "to", message: "is required" }] }),
    new MailboxNotActive({ address, status: "suspended" }),
    new MailLoopCut({ within: "thread", limit: 10, retryAfter: 60 }),
    new MonthlySendLimitReached({ limit: 100, retryAfter: 60 }),
    new NotFound({ resource: "mailbox" }),
    new PaymentRequired({ reason: "the plan has lapsed" }),
    new RecipientBlocked({ address }),
    new RecipientNotAllowed({ address, reason: "test domain" }),
    new RecipientSuppressed({ address }),
    new RelayRefused({ answer: "550 5.1.1 no such user", recipients: [address] }),
    new RelayRefused({ answer: "550 5.7.1 not yours", command: "MAIL FROM", recipients: [address] }),
    new RelayUnavailable({ reason: "no connection to the relay" }),
    new SendingIsStopped({ address, reason: "BOUNCES" }),
    new SizeExceeded({ what: "the encoded message", limitBytes: 1 }),
    new StorageFull({ usedBytes: 1, limitBytes: 1 }),
    new ThreadTakenOver({ threadId: ThreadId.make("01a22303-126b-7162-bbc8-6b5dba296d8d") }),
    new TrialRecipientLocked({ allowed: address }),
  ]

  it.each(refusals.map((refusal) => [refusal._tag, refusal] as const))(
    "%s: has the code of the response, and words of its own",
    (_, refusal) => {
      const { code, message } = draftError(refusal)
      expect(code).toBe(codeOver(refusal).code)
      expect(message).not.toContain("was refused when it was due")
    },
  )
})
