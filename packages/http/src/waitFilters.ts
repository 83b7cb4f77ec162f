/** The filter of a wait or a claim, from the fields of its request. */
import type { WaitFilterFields } from "@mailroom/api"
import type { Direction, WaitFilter } from "@mailroom/domain"
import { filterOf } from "./filters.js"

export const waitFilter = (direction: Direction, fields: WaitFilterFields): WaitFilter => ({
  ...filterOf({ ...fields, direction }),
  hasCode: fields.hasCode ?? null,
  hasLink: fields.hasLink ?? null,
})
