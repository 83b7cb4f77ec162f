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
      .setPayload(TokenBody)
      .addSuccess(CurrentClaim)
      .addError(Conflict)
      .addError(InboundLimitExceeded)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Give a claimed message back")
      .annotate(
        OpenApi.Description,
        "The message is free at once, and first in turn by its age. Can be repeated with the same token. 409 `CLAIM_LOST` as for renew.",
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
  .annotate(OpenApi.Title, "Claims")
  .annotate(OpenApi.Description, "Sharing the messages of a mailbox among workers.") {}
