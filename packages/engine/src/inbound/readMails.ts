/** From a claimed queue entry to what a message is made of: parsed, its attachments put away. */
import {
  type Authentication,
  keepAttachments,
  type KeptAttachments,
  type ParsedAttachment,
  type ParsedContent,
  type ParsedMail,
  unreadableMail,
} from "@mailroom/domain"
import { Array, Cause, Effect, type Fiber, Option, type Scope, Stream } from "effect"
import type { Blobs } from "../ports/Blobs.js"
import type { MimeParser } from "../ports/MimeParser.js"
import { storageFailureIn } from "../ports/StorageFailure.js"
import type { SenderAuthentication } from "../ports/SenderAuthentication.js"
import type { QueuedMail } from "../ports/stores/RawMailStore.js"
import { insideAuthentication, isFromInside, notEvaluated } from "./authentication.js"
import { readRaw } from "./rawContent.js"

/**
 * After this many claims that came to nothing, a mail is no longer parsed but kept as raw bytes alone. High, because
 * a process that is killed takes innocent mail with it, and from its third claim on a mail is claimed alone.
 */
const PARSE_ATTEMPTS_MAX = 10
const GAVE_UP = "reading this mail failed repeatedly; only its raw bytes are kept"

/** An attachment whose bytes are in the blob store. */
interface StoredFile extends Omit<ParsedAttachment, "bytes"> {
  readonly sizeBytes: number
  readonly blobKey: string
}

export interface ReadMail {
  readonly queued: QueuedMail
  readonly parsed: ParsedContent
  readonly files: ReadonlyArray<StoredFile>
  readonly dropped: KeptAttachments<ParsedAttachment>["dropped"]
  /** whether it is from whom it says: known, or being found out since the mail was read */
  readonly authentication: Authentication | Fiber.Fiber<Authentication>
}

/**
 * Reads the mails of a batch; those in the blob store, which are large, one after the other. A mail whose reading
 * breaks is left out, and `onBroken` hears why; without storage all of them die.
 */
export const readMails =
  (
    blobs: typeof Blobs.Service,
    parser: typeof MimeParser.Service,
    senders: typeof SenderAuthentication.Service,
    onBroken: (queued: QueuedMail, cause: Cause.Cause<never>) => Effect.Effect<void>,
  ) =>
  (batch: ReadonlyArray<QueuedMail>): Effect.Effect<ReadonlyArray<ReadMail>, never, Scope.Scope> => {
    const authenticate = (
      { envelope }: QueuedMail,
      raw: Uint8Array,
      { unsignedAuthors }: ParsedMail,
    ): Effect.Effect<ReadMail["authentication"], never, Scope.Scope> => {
      if (isFromInside(envelope)) return Effect.succeed(insideAuthentication(envelope))
      const known = unsignedAuthors === null ? null : senders.known(unsignedAuthors, envelope)
      return known === null ? Effect.forkScoped(senders.evaluate(raw, envelope)) : Effect.succeed(known)
    }

    /** Reading again overwrites what an attempt before it left: the keys follow from the entry. */
    const putAway = (queued: QueuedMail, mail: ParsedMail, authentication: ReadMail["authentication"]) => {
      const { kept, dropped } = keepAttachments(mail.attachments)
      // Their bytes are not held any longer.
      const parsed: ParsedMail = { ...mail, attachments: [] }
      if (kept.length === 0)
        return Effect.succeed<ReadMail>({ queued, parsed, files: [], dropped, authentication })
      return Effect.forEach(kept, ({ bytes, ...attachment }, index) => {
        const blobKey = `attachments/${queued.id}/${index}`
        const file: StoredFile = { ...attachment, sizeBytes: bytes.length, blobKey }
        return Effect.as(blobs.put(blobKey, Stream.make(bytes)), file)
      }).pipe(Effect.map((files): ReadMail => ({ queued, parsed, files, dropped, authentication })))
    }

    const readTogether = (mails: ReadonlyArray<QueuedMail>) =>
      Effect.gen(function* () {
        const raws = yield* Effect.forEach(mails, ({ raw }) => readRaw(blobs, raw.content))
        const parsed = yield* parser.parse(raws)
        return yield* Effect.all(
          Array.zipWith(mails, Array.zip(raws, parsed), (queued, [raw, mail]) =>
            Effect.flatMap(authenticate(queued, raw, mail), (found) => putAway(queued, mail, found)),
          ),
        )
      })

    const readAlone = (queued: QueuedMail): Effect.Effect<ReadonlyArray<ReadMail>, never, Scope.Scope> =>
      queued.attempts > PARSE_ATTEMPTS_MAX
        ? Effect.map(putAway(queued, unreadableMail(GAVE_UP), notEvaluated), Array.of)
        : Effect.catchSomeCause(readTogether([queued]), (cause) =>
            isAway(cause) ? Option.none() : Option.some(Effect.as(onBroken(queued, cause), [])),
          )

    const readAllAlone = (mails: ReadonlyArray<QueuedMail>) =>
      Effect.map(Effect.forEach(mails, readAlone), Array.flatten)

    const [together, alone] = Array.partition(
      batch,
      ({ raw, attempts }) => raw.content.kind === "blob" || attempts > PARSE_ATTEMPTS_MAX,
    )
    const readSmall = Effect.catchSomeCause(readTogether(together), (cause) =>
      isAway(cause) ? Option.none() : Option.some(readAllAlone(together)),
    )
    return Effect.map(Effect.all([readSmall, readAllAlone(alone)]), (read) => {
      const byId = new Map(read.flat().map((mail) => [mail.queued.id, mail]))
      return batch.flatMap(({ id }) => byId.get(id) ?? [])
    })
  }

/** Nobody's fault: the storage is gone, or the reading was called off. */
const isAway = (cause: Cause.Cause<never>): boolean =>
  Cause.isInterrupted(cause) || Option.isSome(storageFailureIn(cause))
