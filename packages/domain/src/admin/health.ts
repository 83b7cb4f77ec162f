/** What the operator sees of the health of the service: the result of an examination, and what was logged. */
import { Schema } from "effect"
import { described } from "../described.js"
import { AccountId } from "../ids.js"
import { DOCTOR_FINDINGS_MAX, LOGGED_ERRORS_MAX } from "../limits.js"
import { Timestamp } from "../time.js"

/** A stored count that did not equal the rows that it counts. It is corrected. */
export const Finding = Schema.Struct({
  check: described(Schema.String, "which count, such as thread-messages"),
  accountId: AccountId,
  id: described(Schema.String, "id of the thread, attachment, mailbox, account or webhook"),
  stored: described(Schema.NullOr(Schema.Number), "the value before; null for none"),
  counted: described(Schema.NullOr(Schema.Number), "the value now; null for none"),
}).annotations({ identifier: "Finding" })
export type Finding = typeof Finding.Type

export const Examination = Schema.Struct({
  compared: described(Schema.Int, "how many counts were compared"),
  wrong: described(Schema.Int, "how many of them were wrong, and are corrected"),
  findings: described(
    Schema.Array(Finding).pipe(Schema.maxItems(DOCTOR_FINDINGS_MAX)),
    `the first ${DOCTOR_FINDINGS_MAX} that were wrong`,
  ),
  isComplete: described(Schema.Boolean, "false when the time was over before all were compared"),
}).annotations({ identifier: "Examination" })
export type Examination = typeof Examination.Type

export const LoggedError = Schema.Struct({
  at: Timestamp,
  level: Schema.Literal("WARN", "ERROR", "FATAL"),
  message: Schema.String,
  detail: described(Schema.String, "the fields of the line and the cause; empty for none"),
}).annotations({ identifier: "LoggedError" })
export type LoggedError = typeof LoggedError.Type

export const LoggedErrors = Schema.Array(LoggedError).pipe(Schema.maxItems(LOGGED_ERRORS_MAX))
