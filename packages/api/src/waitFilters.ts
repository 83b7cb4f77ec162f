/** The messages that a wait or a claim is for: query parameters of a wait, and the field `filter` of a claim. */
import { Labels } from "@mailroom/domain"
import { Schema, Struct } from "effect"
import { filterParameters, flag } from "./filters.js"

const HAS_CODE = "true for messages with a code in `codes`, false for those without"
const HAS_LINK = "true for messages with a link in `links`, false for those without"

/** The parameters of a wait, except for its direction. */
export const waitParameters = {
  ...Struct.omit(filterParameters, "direction"),
  hasCode: Schema.optional(flag(HAS_CODE)),
  hasLink: Schema.optional(flag(HAS_LINK)),
}

const boolean = (description: string) => Schema.optional(Schema.Boolean).annotations({ description })

/** The same as a JSON object: flags are booleans and labels a list. */
export const ClaimFilter = Schema.Struct({
  ...Struct.pick(filterParameters, "threadId", "from", "to", "subject", "since", "before"),
  labels: Schema.optional(Labels).annotations({ description: "only messages with all these labels" }),
  unread: boolean("true for messages that are not marked as read, false for the others"),
  hasAttachment: boolean("true for messages with attachments, false for those without"),
  hasCode: boolean(HAS_CODE),
  hasLink: boolean(HAS_LINK),
}).annotations({
  identifier: "ClaimFilter",
  description: "The messages that a claim is for; all conditions must hold, absent ones do not matter",
})

/** The fields of both, decoded. */
export type WaitFilterFields = typeof ClaimFilter.Type
