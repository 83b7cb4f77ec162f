/** Responses that several operations share. */
import { described } from "@mailroom/domain"
import { Schema } from "effect"

export const Deleted = Schema.Struct({ deleted: described(Schema.Literal(true), "always true") })
