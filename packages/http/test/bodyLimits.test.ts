/** How large a body each endpoint takes, and how far a body is read (docs/decisions/0036). */
import { describe, expect, it } from "@effect/vitest"
import { Api, bodyLimits } from "@mailroom/api"

const KB = 1024
const MB = 1024 * KB

describe("every endpoint with a body declares how large it may be", () => {
  it("in bytes and in values", () => {
    const limits = bodyLimits(Api).map(({ name, maxBytes, maxValues }) => [name, maxBytes, maxValues])
    expect(limits).toEqual([
      ["signup.signup", 16 * KB, 500],
      ["signup.verifyEmail", 16 * KB, 500],
      ["signup.resendVerification", 16 * KB, 500],
      ["session.signIn", 16 * KB, 500],
      ["session.requestPasswordReset", 16 * KB, 500],
      ["session.resetPassword", 16 * KB, 500],
      ["account.update", 64 * KB, 4000],
      ["account.remove", 64 * KB, 4000],
      ["account.support", 64 * KB, 4000],
      ["keys.create", 64 * KB, 4000],
      ["mailboxes.create", 64 * KB, 4000],
      ["mailboxes.update", 64 * KB, 4000],
      ["messages.send", 43_341_144, 10_000],
      ["messages.import", 40 * MB, 1],
      ["messages.update", 64 * KB, 4000],
      ["messages.reply", 43_341_144, 10_000],
      ["messages.replyAll", 43_341_144, 10_000],
      ["messages.rsvp", 64 * KB, 4000],
      ["messages.forward", 43_341_144, 10_000],
      ["threads.update", 64 * KB, 4000],
      ["drafts.create", 43_341_144, 10_000],
      ["drafts.update", 43_341_144, 10_000],
      ["reviews.approve", 43_341_144, 10_000],
      ["reviews.reject", 64 * KB, 4000],
      ["claims.next", 64 * KB, 4000],
      ["claims.one", 64 * KB, 4000],
      ["claims.renew", 64 * KB, 4000],
      ["claims.release", 64 * KB, 4000],
      ["claims.complete", 64 * KB, 4000],
      ["attachments.upload", 25 * MB + 64 * KB, 8],
      ["domains.create", 64 * KB, 4000],
      ["suppressions.create", 64 * KB, 4000],
      ["addressLists.add", 64 * KB, 4000],
      ["addressLists.addToMailbox", 64 * KB, 4000],
      ["webhooks.create", 64 * KB, 4000],
      ["webhooks.update", 64 * KB, 4000],
      ["webhooks.test", 64 * KB, 4000],
      ["billing.upgrade", 64 * KB, 4000],
      ["billing.changePlan", 64 * KB, 4000],
      ["billing.stripeWebhook", 1 * MB, 50_000],
      ["reports.take", 2 * MB, 50_000],
      ["admin.suspendAccount", 64 * KB, 4000],
      ["admin.setPlan", 64 * KB, 4000],
      ["admin.suspendMailbox", 64 * KB, 4000],
      ["admin.createInvitation", 64 * KB, 4000],
    ])
  })
})
