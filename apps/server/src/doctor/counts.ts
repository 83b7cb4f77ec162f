/** Runs the nightly check of counts now (docs/decisions/0044, 0048). */
import {
  type ComparedStep,
  type Drift,
  Integrity,
  type IntegrityCheck,
  type StorageFailure,
  storageFailureIn,
} from "@mailroom/engine"
import { NodeMailroom } from "@mailroom/node"
import { Cause, Effect, Option, Stream } from "effect"
import { withVariable } from "../StartFailed.js"
import { type Check, CheckFailed, type Line } from "./Check.js"

/** The kind of row that each check corrects. */
const rowOf: Readonly<Record<IntegrityCheck, string>> = {
  "thread-messages": "thread",
  "thread-activity": "thread",
  "attachment-message": "attachment",
  "mailbox-gated": "mailbox",
  "account-gated": "account",
  "account-storage": "account",
  "account-lists": "account",
  "account-events": "account",
  "webhook-due": "webhook",
}

const finding = ({ check, accountId, id, stored, counted }: Drift): Line => {
  const row = `${rowOf[check]} ${id}${id === accountId ? "" : ` of account ${accountId}`}`
  const change =
    check === "attachment-message"
      ? "its message was gone; it is removed now"
      : `was ${stored ?? "never"}, is ${counted ?? "never"} now`
  return { kind: "finding", text: `${check}: ${row}: ${change}` }
}

interface Totals {
  readonly compared: number
  readonly wrong: number
}

const none: Totals = { compared: 0, wrong: 0 }

/** The findings of a step. After the last step of a check, also the number of values that it compared. */
const report = (before: Totals, { check, compared, drifts, isLast }: ComparedStep) => {
  const totals = { compared: before.compared + compared, wrong: before.wrong + drifts.length }
  const sum: Line = { kind: "note", text: `${check}: ${totals.compared} compared, ${totals.wrong} wrong` }
  return [isLast ? none : totals, [...drifts.map(finding), ...(isLast ? [sum] : [])]] as const
}

const storageReasons: Readonly<Record<Exclude<StorageFailure["reason"], "unexpected">, string>> = {
  full: "the database is full",
  unavailable: "the database is away",
  exceeded: "a statement took longer than it may",
}

/** The reason why the check stopped: one line for a failure of the database, the whole cause for a fault of the program. */
const whyItStopped = (cause: Cause.Cause<unknown>): CheckFailed => {
  const reason = Option.match(storageFailureIn(cause), {
    onNone: () => null,
    onSome: (failure) => (failure.reason === "unexpected" ? null : storageReasons[failure.reason]),
  })
  return new CheckFailed({
    message:
      reason === null
        ? Cause.pretty(cause, { renderErrorCause: true })
        : `The check stopped on the way: ${reason}. Run it again; what it corrected stays corrected.`,
  })
}

export const counts: Check = {
  title: "Counts, compared with the rows they count (a count that is wrong is corrected)",
  run: ({ database }) =>
    Stream.unwrap(Effect.map(Integrity, ({ check }) => check)).pipe(
      Stream.provideLayer(NodeMailroom.integrity(database)),
      Stream.mapError(
        ({ _tag, message }) =>
          new CheckFailed({
            message: _tag === "StoreUnusable" ? withVariable(message, "DATABASE_URL") : message,
          }),
      ),
      Stream.catchAllCause((cause) =>
        Option.match(Cause.failureOption(cause), {
          onNone: () => Stream.fail(whyItStopped(cause)),
          onSome: Stream.fail,
        }),
      ),
      Stream.mapAccum(none, report),
      Stream.flattenIterables,
    ),
}
