/** The errors at the border of the engine: refusals with their code and text, and trouble of the storage. */
import type { WireError } from "@mailroom/api"
// The whole contract would take a third of the time of the import.
import { wireErrors } from "@mailroom/api/wireErrors"
import type { MailroomError } from "@mailroom/domain"
import { isTemporary, storageFailureIn } from "@mailroom/engine"
import { type Cause, Data, Effect, Match, Option } from "effect"

/** Mailroom refused what was asked. Nothing was changed. */
export class Refused extends Data.TaggedError("Refused")<{
  /** as over HTTP, such as `MAILBOX_NOT_FOUND` (docs/specification/errors.md) */
  readonly code: WireError["code"]
  /** what was wrong, and what to do */
  readonly message: string
  /** the refusal with its data */
  readonly refusal: MailroomError
}> {}

/** The storage is full, cannot be reached, or was too slow. The same call may succeed later. */
export class StorageUnavailable extends Data.TaggedError("StorageUnavailable")<{
  readonly message: string
  readonly cause: unknown
}> {}

export type MailroomFailure = Refused | StorageUnavailable

const wire = Match.type<MailroomError>().pipe(
  Match.tagsExhaustive(wireErrors({ baseUrl: "http://localhost", billing: "none" })),
)

const refused = (refusal: MailroomError): Refused => {
  const { code, error } = wire(refusal)
  return new Refused({ code, message: error, refusal })
}

const texts = {
  full: "The disk of the storage is full. Free some space, and try again",
  unavailable: "The storage cannot be reached. Try again",
  exceeded: "The storage was too slow. Try again",
  unexpected: "The storage failed",
} as const

const unavailable = (cause: Cause.Cause<unknown>): Option.Option<StorageUnavailable> =>
  isTemporary(cause)
    ? Option.map(
        storageFailureIn(cause),
        (failure) => new StorageUnavailable({ message: texts[failure.reason], cause: failure.cause }),
      )
    : Option.none()

/** Turns the defects of a storage that is away into an error. Other defects stay defects. */
export const orUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E | StorageUnavailable, R> =>
  Effect.catchAllCause(effect, (cause) =>
    Option.match(unavailable(cause), {
      onNone: (): Effect.Effect<never, E | StorageUnavailable> => Effect.failCause(cause),
      onSome: (failure) => Effect.fail(failure),
    }),
  )

/** A call of a use case as its callers outside of the engine see it. */
export const atBorder = <A, R>(
  effect: Effect.Effect<A, MailroomError, R>,
): Effect.Effect<A, MailroomFailure, R> => orUnavailable(Effect.mapError(effect, refused))
