import { accountState, admitSend, admitSizes, type SenderState } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { account, mailbox, refusal, refusedAs, signedUp } from "./support/records.js"

describe("admitSend", () => {
  const owner = "owner@acme.dev"
  const sender = (facts: Partial<SenderState> = {}): SenderState => ({
    account: account({ email: owner, emailVerifiedAt: signedUp }),
    state: "active",
    mailbox: mailbox(),
    domainStatus: null,
    platformDomain: "mailroom.localhost",
    ...facts,
  })
  const unverified = account({ email: owner })
  const trial = (trialSends = 0) =>
    sender({ state: "trial", account: account({ email: owner, emailVerifiedAt: signedUp, trialSends }) })

  it("an active account sends to anyone", () => {
    expect(refusedAs(admitSend(sender(), ["ada@acme.dev", "bob@elsewhere.dev"]))).toBeNull()
  })

  for (const status of ["paused", "suspended"] as const)
    it(`messages.send.rule-3-inactive: a ${status} mailbox does not send`, () => {
      const refused = refusal(admitSend(sender({ mailbox: mailbox({ status }) }), ["ada@acme.dev"]))
      expect(refused).toMatchObject({ _tag: "MailboxNotActive", status })
    })

  it("reputation.stop.403: a stopped mailbox does not send, after its status and before its domain", () => {
    const stop = { sendingStoppedAt: signedUp, sendingStopReason: "BOUNCES" } as const
    const stopped = sender({ mailbox: mailbox(stop), domainStatus: "FAILED", account: unverified })
    expect(refusal(admitSend(stopped, [owner]))).toMatchObject({
      _tag: "SendingIsStopped",
      reason: "BOUNCES",
    })
    const paused = sender({ mailbox: mailbox({ ...stop, status: "paused" }) })
    expect(refusedAs(admitSend(paused, [owner]))).toBe("MailboxNotActive")
  })

  for (const domainStatus of ["PENDING_VERIFICATION", "FAILED"] as const)
    it(`decisions/0015: a mailbox whose domain is ${domainStatus} does not send`, () => {
      const custom = mailbox({ fullAddress: "agent@acme.dev" })
      const refused = refusal(admitSend(sender({ mailbox: custom, domainStatus }), ["ada@acme.dev"]))
      expect(refused).toMatchObject({ _tag: "DomainNotVerified", domain: "acme.dev" })
    })

  it("decisions/0015: a mailbox on a VERIFIED domain sends", () => {
    expect(refusedAs(admitSend(sender({ domainStatus: "VERIFIED" }), ["ada@acme.dev"]))).toBeNull()
  })

  it("decisions/0015: the domain stands behind the mailbox and before the owner's verification", () => {
    const shut = { account: unverified, domainStatus: "FAILED" } as const
    const paused = mailbox({ status: "paused" })
    expect(refusedAs(admitSend(sender({ ...shut, mailbox: paused }), [owner]))).toBe("MailboxNotActive")
    expect(refusedAs(admitSend(sender(shut), [owner]))).toBe("DomainNotVerified")
  })

  it("messages.send.rule-4-unverified: the owner's email must be verified, also on a paid plan", () => {
    expect(refusedAs(admitSend(sender({ account: unverified, state: "unverified" }), [owner]))).toBe(
      "EmailNotVerified",
    )
    expect(refusedAs(admitSend(sender({ account: unverified, state: "active" }), [owner]))).toBe(
      "EmailNotVerified",
    )
  })

  it("simulator.trial: a trial sends to the simulator too, and each send counts", () => {
    const simulated = "bounced+7@simulator.mailroom.localhost"
    expect(refusedAs(admitSend(trial(), [simulated, owner]))).toBeNull()
    expect(refusedAs(admitSend(trial(), [simulated, "ada@acme.dev"]))).toBe("TrialRecipientLocked")
    expect(refusedAs(admitSend(trial(), ["nobody@simulator.mailroom.localhost"]))).toBe(
      "TrialRecipientLocked",
    )
    expect(refusedAs(admitSend(trial(10), [simulated]))).toBe("PaymentRequired")
  })

  it("states.account.trial-recipient: a trial sends to the owner's verified address only", () => {
    expect(refusedAs(admitSend(trial(), [owner]))).toBeNull()
    expect(refusal(admitSend(trial(), ["ada@acme.dev"]))).toMatchObject({
      _tag: "TrialRecipientLocked",
      allowed: owner,
    })
    expect(refusedAs(admitSend(trial(), [owner, "ada@acme.dev"]))).toBe("TrialRecipientLocked")
    expect(refusedAs(admitSend(trial(), ["agent@acme.mailroom.localhost"]))).toBe("TrialRecipientLocked")
  })

  it("decisions.send.trial-units: a send whose 10 trial units were taken meanwhile is refused", () => {
    const spent = account({ email: owner, emailVerifiedAt: signedUp, trialSends: 10 })
    const state = accountState(spent, "simulated", signedUp + 1)
    expect(state).toBe("payment_required")
    expect(refusedAs(admitSend(sender({ account: spent, state }), [owner]))).toBe("PaymentRequired")
  })

  it("a send of an account that was suspended meanwhile is refused before anything else", () => {
    const facts = { email: owner, suspendedAt: signedUp, suspendedReason: "abuse" }
    const suspended = sender({
      state: "suspended",
      account: account(facts),
      mailbox: mailbox({ status: "paused" }),
    })
    expect(refusal(admitSend(suspended, [owner]))).toMatchObject({
      _tag: "AccountSuspended",
      reason: "abuse",
    })
  })

  it("decisions.send.exempt-owner: the owner is known whatever the case of the address", () => {
    const capital = account({ email: "Me@Example.com", emailVerifiedAt: signedUp })
    for (const state of ["trial", "active"] as const)
      expect(refusedAs(admitSend(sender({ state, account: capital }), ["me@example.com"]))).toBeNull()
  })

  it("decisions.send.trial-units: a trial has 10 sends", () => {
    expect(refusedAs(admitSend(trial(9), [owner]))).toBeNull()
    expect(refusedAs(admitSend(trial(10), [owner]))).toBe("PaymentRequired")
  })

  it("decisions.send.inactive: not ACTIVE → unverified → trial recipient → trial units → disposable or test domain", () => {
    const worst = ["x@mailinator.com"]
    const paused = mailbox({ status: "paused" })
    expect(refusedAs(admitSend({ ...trial(10), account: unverified, mailbox: paused }, worst))).toBe(
      "MailboxNotActive",
    )
    expect(refusedAs(admitSend({ ...trial(10), account: unverified }, worst))).toBe("EmailNotVerified")
    expect(refusedAs(admitSend(trial(10), worst))).toBe("TrialRecipientLocked")
    expect(refusedAs(admitSend(trial(10), [owner]))).toBe("PaymentRequired")
    expect(refusedAs(admitSend(sender(), worst))).toBe("RecipientNotAllowed")
  })

  it("messages.send.rule-3-disposable: the refusal names the recipient and why", () => {
    expect(refusal(admitSend(sender(), ["ada@acme.dev", "x@mailinator.com"]))).toMatchObject({
      address: "x@mailinator.com",
      reason: "disposable address",
    })
    expect(refusal(admitSend(sender(), ["ada@acme.dev", "x@example.com"]))).toMatchObject({
      address: "x@example.com",
      reason: "test domain",
    })
  })

  it("decisions.send.exempt-platform: platform addresses are exempt from test domains", () => {
    expect(refusedAs(admitSend(sender(), ["agent@other.mailroom.localhost"]))).toBeNull()
    expect(refusedAs(admitSend(sender(), ["agent@elsewhere.localhost"]))).toBe("RecipientNotAllowed")
  })

  it("decisions.send.exempt-owner: the owner's verified address is exempt from test domains", () => {
    const tester = sender({ account: account({ email: "me@example.com", emailVerifiedAt: signedUp }) })
    expect(refusedAs(admitSend(tester, ["me@example.com"]))).toBeNull()
    expect(refusedAs(admitSend(tester, ["you@example.com"]))).toBe("RecipientNotAllowed")
  })
})

describe("sizes", () => {
  const MB = 1_048_576
  const file = (sizeBytes: number, filename = "a.bin") => ({ filename, sizeBytes })

  it("decisions.sizes.attachment: an attachment of 25 MB passes, one byte more does not", () => {
    expect(refusedAs(admitSizes([file(25 * MB)]))).toBeNull()
    expect(refusal(admitSizes([file(1), file(25 * MB + 1, "big.bin")]))).toMatchObject({
      _tag: "SizeExceeded",
      what: "attachment big.bin",
      limitBytes: 26_214_400,
    })
  })

  it("decisions.sizes.attachments: all attachments together pass at 25 MB, and not with one byte more", () => {
    expect(refusedAs(admitSizes([file(20 * MB), file(5 * MB)]))).toBeNull()
    expect(refusedAs(admitSizes([file(20 * MB), file(5 * MB), file(1)]))).toBe("SizeExceeded")
    expect(refusedAs(admitSizes([]))).toBeNull()
  })
})
