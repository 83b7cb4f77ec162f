/** Waiting for a message (docs/specification/sharing.md). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  described,
  Direction,
  Message,
  WAIT_DEFAULT,
  WAIT_MAX,
  WAITS_MAX_PER_ACCOUNT,
} from "@mailroom/domain"
import { Schema } from "effect"
import { TooManyRequests, Unavailable } from "../errors.js"
import { integer } from "../paging.js"
import { mailboxId } from "../paths.js"
import { query, saying } from "../query.js"
import { MailAccess, Needs } from "../security.js"
import { waitParameters } from "../waitFilters.js"

export const WaitQuery = query({
  ...waitParameters,
  direction: Schema.optionalWith(
    Direction.annotations({
      jsonSchema: {
        type: "string",
        enum: Direction.literals,
        default: "INBOUND",
        description: "INBOUND for received messages, which is the default, or OUTBOUND for sent ones",
      },
      ...saying("must be INBOUND or OUTBOUND"),
    }),
    { default: () => "INBOUND" as const },
  ),
  timeout: Schema.optionalWith(
    integer.pipe(Schema.between(0, WAIT_MAX)).annotations({
      jsonSchema: {
        type: "integer",
        minimum: 0,
        maximum: WAIT_MAX,
        default: WAIT_DEFAULT,
        description: `seconds to wait, 0 to ${WAIT_MAX}`,
      },
      ...saying(`must be a whole number from 0 to ${WAIT_MAX}`),
    }),
    { default: () => WAIT_DEFAULT },
  ),
  after: Schema.optional(
    Schema.String.pipe(Schema.maxLength(200)).annotations({
      description:
        "`after` of the previous wait: continues where it ended, without a gap and without a repetition",
      ...saying("is not what a wait of this account returned"),
    }),
  ),
})

export const WaitAnswer = Schema.Struct({
  message: described(Schema.NullOr(Message), "the message; null when the time was over first"),
  timedOut: described(Schema.Boolean, "whether the wait ended without a message"),
  after: described(Schema.String, "pass it to the next wait as `after`; valid for 30 days"),
}).annotations({ identifier: "WaitAnswer", description: "The end of a wait" })

const DESCRIPTION =
  `Answers with the oldest message that matches, in the order in which messages became visible: with one that is there already, or with the next one at its commit. Begins at \`since\`, at \`after\`, or now. An account can have ${WAITS_MAX_PER_ACCOUNT} requests waiting at a time.` as const

export class WaitsGroup extends HttpApiGroup.make("waits")
  .add(
    HttpApiEndpoint.get("inMailbox")`/v1/mailboxes/${mailboxId}/messages/wait`
      .setUrlParams(WaitQuery)
      .addSuccess(WaitAnswer)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Wait for a message in a mailbox")
      .annotate(OpenApi.Description, DESCRIPTION),
  )
  .add(
    HttpApiEndpoint.get("anywhere", "/v1/messages/wait")
      .setUrlParams(WaitQuery)
      .addSuccess(WaitAnswer)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Wait for a message in any mailbox")
      .annotate(OpenApi.Description, `${DESCRIPTION} A scoped key waits for messages in its mailboxes.`),
  )
  .annotate(OpenApi.Title, "Waits")
  .annotate(OpenApi.Description, "Waiting for a message.") {}
