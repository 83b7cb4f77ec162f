/**
 * The text inside attachments: read when first asked for, or for small files soon after their arrival, and then kept
 * (docs/decisions/0063, 0070).
 */
import {
  type AttachmentId,
  type AttachmentRecord,
  type AttachmentTextPage,
  DOCUMENTS_AT_ONCE,
  DOCUMENTS_PER_ACCOUNT,
  DOCUMENTS_WAITING_MAX,
  DOCUMENTS_WAITING_PER_ACCOUNT,
  type DocumentText,
  FILE_READ_ATTEMPTS,
  type MessageId,
  MINUTE,
  type NoText,
  NotFound,
  type OverInboundLimit,
  type Overloaded,
  type Principal,
  type AccountId,
  textPage,
  type TextUnreadable,
} from "@mailroom/domain"
import { Cause, Chunk, Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { Messages } from "../messages/Messages.js"
import { AttachmentText } from "../ports/AttachmentText.js"
import { Blobs } from "../ports/Blobs.js"
import { AttachmentStore } from "../ports/stores/AttachmentStore.js"
import { isTemporary } from "../ports/StorageFailure.js"
import { AttachmentTextStore, type WaitingFile } from "../ports/stores/AttachmentTextStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { makeFairSemaphore } from "../workers/fairSemaphore.js"
import { attachmentContent } from "./content.js"
import { visibleAttachment } from "./visibleAttachment.js"

/** Seconds after which a refused client should try again. */
const RETRY_AFTER = 5
/** The group of files that are read in the background: one at a time, beside the requests of all accounts. */
const BACKGROUND = "background"
/** Milliseconds until a file that was being read when its process died is read again. */
const READING_LEASE = 1 * MINUTE

export interface TextRange {
  /** UTF-16 units from the start of the text */
  readonly offset: number
  readonly maxChars: number
}

export class AttachmentTexts extends Context.Tag("@mailroom/AttachmentTexts")<
  AttachmentTexts,
  {
    /**
     * A part of the text inside an attachment. `Overloaded` when too many files wait to be read, in this process or of this
     * account. A failure is not kept: the file is read again when asked for again.
     */
    readonly read: (
      principal: Principal,
      id: AttachmentId,
      range: TextRange,
    ) => Effect.Effect<AttachmentTextPage, NotFound | OverInboundLimit | NoText | TextUnreadable | Overloaded>
    /**
     * Reads one of the small files of messages that nobody has asked for, and keeps its text. Accounts take turns, and the
     * newest file of an account comes first. Files without a text are done too. Returns how many files it took: 0 or 1.
     */
    readonly readWaiting: Effect.Effect<number>
    /** The texts of a message's attachments that were read before. Reads no files. */
    readonly keptOf: (
      accountId: AccountId,
      messageId: MessageId,
    ) => Effect.Effect<ReadonlyArray<DocumentText & { readonly attachmentId: AttachmentId }>>
  }
>() {
  static readonly layer = Layer.effect(
    AttachmentTexts,
    Effect.gen(function* () {
      const visible = visibleAttachment(yield* AttachmentStore, yield* Messages)
      const texts = yield* AttachmentTextStore
      const content = attachmentContent(yield* Blobs, yield* RawMailStore)
      const reader = yield* AttachmentText
      const withPermit = makeFairSemaphore({
        permits: DOCUMENTS_AT_ONCE,
        perGroup: DOCUMENTS_PER_ACCOUNT,
        waitingMax: DOCUMENTS_WAITING_MAX,
        waitingPerGroup: DOCUMENTS_WAITING_PER_ACCOUNT,
        retryAfter: RETRY_AFTER,
      })

      const bytesOf = (blobKey: string): Effect.Effect<Uint8Array, NotFound> =>
        Effect.flatMap(
          content.open(blobKey),
          Option.match({
            onNone: () => new NotFound({ resource: "attachment" }),
            onSome: (blob) =>
              Effect.map(Stream.runCollect(blob.content), (chunks) =>
                Buffer.concat(Chunk.toReadonlyArray(chunks)),
              ),
          }),
        )

      const readAndKeep = Effect.fnUntraced(function* (attachment: AttachmentRecord) {
        const { id, blobKey, contentType, filename } = attachment
        const text = yield* reader.read({ filename, contentType, bytes: yield* bytesOf(blobKey) })
        yield* texts.keep(id, text, yield* Clock.currentTimeMillis)
        return text
      })

      const readFile = Effect.fnUntraced(function* (principal: Principal, id: AttachmentId) {
        // Another request may have read the file while this one waited.
        const kept = yield* texts.byId(principal.account.id, id)
        if (Option.isSome(kept)) return kept.value
        return yield* readAndKeep(yield* visible(principal, id))
      })

      /** The account whose waiting file was read last. */
      let lastAccount: AccountId | null = null

      const readWaitingFile = ({ attachment, attempt }: WaitingFile) =>
        (attempt > FILE_READ_ATTEMPTS
          ? texts.dismiss(attachment.id)
          : Effect.asVoid(readAndKeep(attachment))
        ).pipe(
          // No text, or none that can be read. On request the file is read again.
          Effect.catchAll(() => texts.dismiss(attachment.id)),
          Effect.onError((cause) =>
            isTemporary(cause) || Cause.isInterrupted(cause)
              ? texts.release(attachment.id)
              : texts.dismiss(attachment.id),
          ),
        )

      const readWaiting = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const next = yield* texts.claim(lastAccount, now, now + READING_LEASE)
        if (Option.isNone(next)) return 0
        lastAccount = next.value.attachment.accountId
        yield* readWaitingFile(next.value)
        return 1
      })

      return {
        read: Effect.fn("AttachmentTexts.read")(function* (principal, id, { offset, maxChars }) {
          const { id: accountId } = principal.account
          yield* visible(principal, id)
          const kept = yield* texts.byId(accountId, id)
          const text = Option.isSome(kept)
            ? kept.value
            : yield* withPermit(accountId, readFile(principal, id))
          return textPage(text, offset, maxChars)
        }),
        // Overloaded by requests: later.
        readWaiting: Effect.catchAll(withPermit(BACKGROUND, readWaiting), () => Effect.succeed(0)),
        keptOf: texts.ofMessage,
      }
    }),
  )
}
