/** Reads claimed mail: parses it, stores its attachments, and starts the lookups about it: its sender, the spam filter. */
import {
  blobsAmong,
  type SenderResults,
  keepAttachments,
  keyInMail,
  type KeptAttachments,
  type Lane,
  type ParsedAttachment,
  type ParsedContent,
  type ParsedMail,
  receivedFileKey,
  type Spam,
  unreadableMail,
} from "@mailroom/domain"
import { Array, Cause, Context, Effect, type Fiber, Layer, Option, type Scope, Stream } from "effect"
import { eachValue } from "../eachValue.js"
import { BlobDrafts } from "../blobs/BlobDrafts.js"
import { Blobs } from "../ports/Blobs.js"
import { MimeParser } from "../ports/MimeParser.js"
import { evaluatedMail, SenderAuthentication } from "../ports/SenderAuthentication.js"
import type { SpamFilter } from "../ports/SpamFilter.js"
import { isStorageAway } from "../ports/StorageFailure.js"
import type { QueuedMail } from "../ports/stores/RawMailStore.js"
import { insideAuthentication, isFromInside, notEvaluated } from "./authentication.js"
import { makeMailMemory } from "./mailMemory.js"
import { readBlob } from "./rawContent.js"
import { makeJudgeSpam } from "./spamJudgements.js"

/**
 * After this many failed claims a mail is no longer parsed; only its raw bytes are kept. The number is high because a process
 * that is killed counts an attempt for each mail in its batch; from the sixth on, the mail was alone in its batch, and its
 * process had delivered for a while before (`attemptsMaxAfter`).
 */
const PARSE_ATTEMPTS_MAX = 10
const GAVE_UP = "reading this mail failed repeatedly; only its raw bytes are kept"

/** Blobs of a batch that are read or written at a time. Concurrent syncs share the disk. */
const BLOBS_AT_ONCE = 16

/** An attachment. `blobKey` is the key of its blob, or a place in the raw mail (`keyInMail`). */
interface StoredFile extends Omit<ParsedAttachment, "content"> {
  readonly blobKey: string
}

export interface ReadMail {
  readonly queued: QueuedMail
  readonly parsed: ParsedContent
  readonly files: ReadonlyArray<StoredFile>
  /** why attachments were left out (`keepAttachments`) */
  readonly dropped: KeptAttachments<ParsedAttachment>["dropped"]
  /** the result of sender authentication, or the fiber that looks it up */
  readonly authentication: SenderResults | Fiber.Fiber<SenderResults>
  /** the result of the spam filter, or the fiber that asks it; null without a result */
  readonly spam: Spam | null | Fiber.Fiber<Spam | null>
}

/** The result of reading a batch. Each part is in the order of the batch. */
export interface Reading {
  readonly read: ReadonlyArray<ReadMail>
  /** mails of the fast lane that took too long to parse, or stopped the thread of the parser, for the slow lane */
  readonly slow: ReadonlyArray<QueuedMail>
  /** mails that alone made reading fail */
  readonly broken: ReadonlyArray<{ readonly queued: QueuedMail; readonly cause: Cause.Cause<never> }>
}

/** The mail, or why there is none: it took too long to parse, or stopped the thread of the parser. */
type Outcome = ReadMail | { readonly slow: QueuedMail }

/** A mail that is no longer parsed. */
const unread = (queued: QueuedMail): ReadMail => ({
  queued,
  parsed: unreadableMail(GAVE_UP),
  files: [],
  dropped: null,
  authentication: notEvaluated,
  spam: null,
})

/** Whether no mail caused the failure: the storage is unavailable, or the reading was interrupted. */
const blamesNoMail = (cause: Cause.Cause<never>): boolean =>
  Cause.isInterrupted(cause) || isStorageAway(cause)

export class MailReader extends Context.Tag("@mailroom/MailReader")<
  MailReader,
  {
    /** Dies with `StorageFailure` during an outage of the blob store. */
    readonly read: (
      batch: ReadonlyArray<QueuedMail>,
      lane: Lane,
    ) => Effect.Effect<Reading, never, Scope.Scope>
    /** Starts the threads of the parser, so that the first mail does not wait for them. */
    readonly warmUp: Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<
    MailReader,
    never,
    BlobDrafts | Blobs | MimeParser | SenderAuthentication | SpamFilter
  > = Layer.effect(
    MailReader,
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const blobDrafts = yield* BlobDrafts
      const parser = yield* MimeParser
      const senders = yield* SenderAuthentication
      const judgeSpam = yield* makeJudgeSpam
      const memory = makeMailMemory()

      /** The result of sender authentication if it is known without a DNS lookup, else null. */
      const knownAuthentication = (
        { envelope }: QueuedMail,
        raw: Uint8Array,
        mail: ParsedMail,
      ): SenderResults | null =>
        isFromInside(envelope)
          ? insideAuthentication(mail)
          : senders.known(evaluatedMail(raw, mail), envelope)

      /**
       * Starts the lookups about a mail and stores its attachments, where it needs either. Blob keys derive from the queue
       * entry, so a second attempt overwrites them. They are drafts until the mail is delivered, because it may be without them.
       */
      const readOne = (
        queued: QueuedMail,
        raw: Uint8Array,
        mail: ParsedMail,
      ): ReadMail | Effect.Effect<ReadMail, never, Scope.Scope> => {
        const { kept, dropped } = keepAttachments(mail.attachments)
        const writes: Array<Effect.Effect<unknown>> = []
        const files = kept.map(({ content, ...attachment }, index): StoredFile => {
          if (!(content instanceof Uint8Array))
            return { ...attachment, blobKey: keyInMail({ rawId: queued.raw.id, lines: content }) }
          const blobKey = receivedFileKey(queued.id, index)
          writes.push(blobs.put(blobKey, Stream.make(content)))
          return { ...attachment, blobKey }
        })
        // Frees the memory of the attachments.
        const parsed: ParsedMail = { ...mail, attachments: [] }
        const known = knownAuthentication(queued, raw, mail)
        if (known !== null && judgeSpam === null && writes.length === 0)
          return { queued, parsed, files, dropped, authentication: known, spam: null }
        return Effect.gen(function* () {
          const { envelope } = queued
          const authentication =
            known ?? (yield* Effect.forkScoped(senders.evaluate(evaluatedMail(raw, mail), envelope)))
          const spam = judgeSpam === null ? null : yield* Effect.forkScoped(judgeSpam(raw, envelope))
          yield* blobDrafts.begin(blobsAmong(files.map(({ blobKey }) => blobKey)))
          yield* Effect.all(writes, { concurrency: BLOBS_AT_ONCE, discard: true })
          return { queued, parsed, files, dropped, authentication, spam }
        })
      }

      const parse = (raws: ReadonlyArray<Uint8Array>, lane: Lane) =>
        lane === "fast" ? parser.parseFast(raws) : Effect.map(parser.parse(raws), Array.map(Option.some))

      const readTogether = Effect.fnUntraced(function* (mails: ReadonlyArray<QueuedMail>, lane: Lane) {
        const giveMemory = yield* memory.scoped
        const raws = yield* eachValue(
          mails,
          ({ raw: { content } }) =>
            content.kind === "inline" ? content.bytes : readBlob(blobs, content.key, undefined, giveMemory),
          BLOBS_AT_ONCE,
        )
        const parsed = yield* parse(raws, lane)
        return yield* eachValue(
          Array.zip(mails, Array.zip(raws, parsed)),
          ([queued, [raw, found]]) =>
            Option.match(found, {
              onNone: (): Outcome => ({ slow: queued }),
              onSome: (mail) => readOne(queued, raw, mail),
            }),
          BLOBS_AT_ONCE,
        )
      })

      /** Reads the mails together. If that fails, reads each alone, so that one bad mail does not fail the others. */
      const readSome = (
        mails: ReadonlyArray<QueuedMail>,
        lane: Lane,
      ): Effect.Effect<
        Pick<Reading, "broken"> & { readonly outcomes: ReadonlyArray<Outcome> },
        never,
        Scope.Scope
      > =>
        Effect.catchSomeCause(
          Effect.map(readTogether(mails, lane), (outcomes) => ({ outcomes, broken: [] })),
          (cause) => {
            if (blamesNoMail(cause)) return Option.none()
            const [only] = mails
            if (mails.length === 1 && only !== undefined)
              return Option.some(Effect.succeed({ outcomes: [], broken: [{ queued: only, cause }] }))
            return Option.some(
              Effect.map(
                Effect.forEach(mails, (mail) => readSome([mail], lane)),
                (parts) => ({
                  outcomes: parts.flatMap(({ outcomes }) => outcomes),
                  broken: parts.flatMap(({ broken }) => broken),
                }),
              ),
            )
          },
        )

      return {
        warmUp: Effect.asVoid(parser.parseFast([new Uint8Array()])),
        read: Effect.fnUntraced(function* (batch, lane) {
          const [readable, givenUp] = Array.partition(batch, ({ attempts }) => attempts > PARSE_ATTEMPTS_MAX)
          const { outcomes, broken } = yield* readSome(readable, lane)
          const read = outcomes.flatMap((outcome) => ("slow" in outcome ? [] : [outcome]))
          const byId = new Map(
            [...read, ...givenUp.map(unread)].map((mail): [string, ReadMail] => [mail.queued.id, mail]),
          )
          return {
            read: batch.flatMap(({ id }) => byId.get(id) ?? []),
            slow: outcomes.flatMap((outcome) => ("slow" in outcome ? outcome.slow : [])),
            broken,
          }
        }),
      }
    }),
  )
}
