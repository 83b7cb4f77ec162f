/** From a claimed queue entry to what a message is made of: parsed, its attachments put away. */
import {
  keepAttachments,
  type KeptAttachments,
  type ParsedAttachment,
  type ParsedContent,
  unreadableMail,
} from "@mailroom/domain"
import { Effect, Stream } from "effect"
import type { Blobs } from "../ports/Blobs.js"
import type { MimeParser } from "../ports/MimeParser.js"
import type { QueuedMail } from "../ports/stores/RawMailStore.js"
import { readRaw } from "./rawContent.js"

/**
 * After this many claims that came to nothing, a mail is no longer parsed but kept as raw bytes alone. High, because
 * a process that is killed takes innocent mail with it, and from its third claim on a mail is claimed alone.
 */
const PARSE_ATTEMPTS_MAX = 10

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
}

/** Reading again overwrites what an attempt before it left: the keys follow from the entry. */
export const readMail = (blobs: typeof Blobs.Service, parser: typeof MimeParser.Service) =>
  Effect.fnUntraced(function* (queued: QueuedMail) {
    const { attachments, ...parsed } =
      queued.attempts > PARSE_ATTEMPTS_MAX
        ? unreadableMail("reading this mail failed repeatedly; only its raw bytes are kept")
        : yield* Effect.flatMap(readRaw(blobs, queued.raw.content), parser.parse)
    const { kept, dropped } = keepAttachments(attachments)
    const files = yield* Effect.forEach(kept, ({ bytes, ...attachment }, index) => {
      const blobKey = `attachments/${queued.id}/${index}`
      return Effect.as(blobs.put(blobKey, Stream.make(bytes)), {
        ...attachment,
        sizeBytes: bytes.length,
        blobKey,
      })
    })
    return { queued, parsed, files, dropped } satisfies ReadMail
  })
