/** Claims: sharing the messages of a mailbox among workers (docs/specification/sharing.md). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  CLAIM_LEASE_DEFAULT,
  CLAIM_LEASE_MAX,
  CLAIM_LEASE_MIN,
  described,
  Message,
  MessageClaim,
  Timestamp,
  WAIT_MAX,
} from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { Conflict, InboundLimitExceeded, TooManyRequests, Unavailable } from "../errors.js"
import { mailboxId, messageId } from "../paths.js"
import { MailAccess, Needs } from "../security.js"
import { ClaimFilter } from "../waitFilters.js"

const LeaseSeconds = Schema.Int.pipe(Schema.between(CLAIM_LEASE_MIN, CLAIM_LEASE_MAX))

const leaseSeconds = Schema.optional(LeaseSeconds).annotations({
  description: `length of the lease in seconds, ${CLAIM_LEASE_MIN} to ${CLAIM_LEASE_MAX}; ${CLAIM_LEASE_DEFAULT} by default`,
})

export const ClaimNextBody = Schema.Struct({
  leaseSeconds,
  timeout: Schema.optional(Schema.Int.pipe(Schema.between(0, WAIT_MAX))).annotations({
    description: `seconds to wait for a message when none is free, 0 to ${WAIT_MAX}; 0 by default`,
  }),
  filter: Schema.optional(ClaimFilter).annotations({
    description: "conditions that the message must meet",
  }),
}).annotations({ identifier: "ClaimNextBody", description: "Which message to claim, and for how long" })

export const ClaimBody = Schema.Struct({ leaseSeconds }).annotations({
  identifier: "ClaimBody",
  description: "How long to claim a message",
})

const token = described(
  Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200)),
  "the token of the claim",
)

export const RenewBody = Schema.Struct({
  token,
  leaseSeconds: Schema.optional(LeaseSeconds).annotations({
    description: "length of the lease from now on, in seconds; as long as the last time by default",
  }),
}).annotations({ identifier: "RenewBody", description: "The claim to renew" })

export const ReleaseBody = Schema.Struct({
  token: Schema.optional(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200))).annotations({
    description: "the token of the claim to release; absent to release a quarantined message",
  }),
}).annotations({
  identifier: "ReleaseBody",
  description: "The claim to release, or nothing for a quarantined message",
})

export const TokenBody = Schema.Struct({ token }).annotations({
  identifier: "ClaimTokenBody",
  description: "The claim to end",
})

const HeldClaim = Schema.Struct({
  token: described(
    Schema.String,
    "proves that the message is yours: keep it for renew, release and complete",
  ),
  expiresAt: described(Timestamp, "when the lease ends"),
}).annotations({ identifier: "HeldClaim", description: "The claim that the caller holds" })

const Claimed = Schema.Struct({
  message: described(Message, "the message"),
  claim: described(HeldClaim, "the claim"),
})

const MaybeClaimed = Schema.Struct({
  message: described(Schema.NullOr(Message), "the message; null when none was free in time"),
  claim: described(Schema.NullOr(HeldClaim), "the claim; null without a message"),
})

const CurrentClaim = Schema.Struct({
  claim: described(Schema.NullOr(MessageClaim), "the claim, as messages show it"),
})

const Released = Schema.Struct({
  ...CurrentClaim.fields,
  message: Schema.optional(Message).annotations({
    description: "the message that was released from quarantine; absent when a claim was released",
  }),
})

export class ClaimsGroup extends HttpApiGroup.make("claims")
  .add(
    HttpApiEndpoint.post("next")`/v1/mailboxes/${mailboxId}/messages/claim`
      // The body is optional.
      .setPayload(Schema.NullOr(ClaimNextBody))
      .addSuccess(MaybeClaimed)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Claim the oldest inbound message that nobody has claimed or completed")
      .annotate(
        OpenApi.Description,
        "Any number of workers may call this at the same time: each gets another message. The claim ends with its lease, unless it is renewed, released or completed before. With `timeout`, waits for a message, and then counts as a wait.",
      ),
  )
  .add(
    HttpApiEndpoint.post("one")`/v1/mailboxes/${mailboxId}/messages/${messageId}/claim`
      .setPayload(Schema.NullOr(ClaimBody))
      .addSuccess(Claimed)
      .addError(Conflict)
      .addError(InboundLimitExceeded)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Claim a message")
      .annotate(
        OpenApi.Description,
        "Answers 409 `CLAIMED` while another worker holds it, with `Retry-After` until the lease ends, and for ever when its work is done. Only received messages can be claimed.",
      ),
  )
  .add(
    HttpApiEndpoint.post("renew")`/v1/mailboxes/${mailboxId}/messages/${messageId}/renew`
      .setPayload(RenewBody)
      .addSuccess(CurrentClaim)
      .addError(Conflict)
      .addError(InboundLimitExceeded)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Begin the lease of a claim again")
      .annotate(
        OpenApi.Description,
        "Answers 409 `CLAIM_LOST` when the lease has ended, or the token is not that of the claim.",
      ),
  )
  .add(
    HttpApiEndpoint.post("release")`/v1/mailboxes/${mailboxId}/messages/${messageId}/release`
      // The body is optional.
      .setPayload(Schema.NullOr(ReleaseBody))
      .addSuccess(Released)
      .addError(Conflict)
      .addError(InboundLimitExceeded)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Give a claimed message back, or release a message from quarantine")
      .annotate(
        OpenApi.Description,
        "With `token`: the message is free at once, and first in turn by its age. Can be repeated with the same token. 409 `CLAIM_LOST` as for renew. Without `token`: a quarantined message is shown from now on, and `message.received` tells so; this needs the permission `manage`; 400 for a message that is not quarantined.",
      ),
  )
  .add(
    HttpApiEndpoint.post("complete")`/v1/mailboxes/${mailboxId}/messages/${messageId}/complete`
      .setPayload(TokenBody)
      .addSuccess(CurrentClaim)
      .addError(Conflict)
      .addError(InboundLimitExceeded)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Mark the work on a claimed message as done")
      .annotate(
        OpenApi.Description,
        "Nobody can claim the message again. Can be repeated with the same token. 409 `CLAIM_LOST` as for renew.",
      ),
  )
  .add(
    HttpApiEndpoint.del("takeBack")`/v1/mailboxes/${mailboxId}/messages/${messageId}/claim`
      .addSuccess(Deleted)
      .addError(Conflict)
      .addError(InboundLimitExceeded)
      .middleware(MailAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Take a claimed message back from its worker")
      .annotate(
        OpenApi.Description,
        "Needs no token. The message is free at once; the worker gets 409 `CLAIM_LOST` when it renews or completes its claim. Does nothing to a message that is free. 409 `CLAIMED` when its work is done.",
      ),
  )
  .annotate(OpenApi.Title, "Claims")
  .annotate(OpenApi.Description, "Sharing the messages of a mailbox among workers.") {}
