/** The text inside attachments: read when first asked for, then kept (docs/decisions/0063). */
import {
  type AttachmentId,
  type AttachmentTextPage,
  DOCUMENTS_AT_ONCE,
  DOCUMENTS_PER_ACCOUNT,
  DOCUMENTS_WAITING_MAX,
  DOCUMENTS_WAITING_PER_ACCOUNT,
  type DocumentText,
  type MessageId,
  type NoText,
  NotFound,
  type OverInboundLimit,
  type Overloaded,
  type Principal,
  type AccountId,
  textPage,
  type TextUnreadable,
} from "@mailroom/domain"
import { Chunk, Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { Messages } from "../messages/Messages.js"
import { AttachmentText } from "../ports/AttachmentText.js"
import { Blobs } from "../ports/Blobs.js"
import { AttachmentStore } from "../ports/stores/AttachmentStore.js"
import { AttachmentTextStore } from "../ports/stores/AttachmentTextStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { makeFairSemaphore } from "../workers/fairSemaphore.js"
import { attachmentContent } from "./content.js"
import { visibleAttachment } from "./visibleAttachment.js"

/** Seconds after which a refused client should try again. */
const RETRY_AFTER = 5

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

      const readFile = Effect.fnUntraced(function* (principal: Principal, id: AttachmentId) {
        // Another request may have read the file while this one waited.
        const kept = yield* texts.byId(principal.account.id, id)
        if (Option.isSome(kept)) return kept.value
        const { blobKey, contentType, filename } = yield* visible(principal, id)
        const text = yield* reader.read({ filename, contentType, bytes: yield* bytesOf(blobKey) })
        yield* texts.keep(id, text, yield* Clock.currentTimeMillis)
        return text
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
        keptOf: texts.ofMessage,
      }
    }),
  )
}
