/** Reads the text inside files. */
import type { DocumentText, NoText, TextUnreadable } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export interface Document {
  readonly filename: string
  /** a MIME type, possibly with parameters; it and the name count less than the bytes */
  readonly contentType: string
  readonly bytes: Uint8Array
}

export class AttachmentText extends Context.Tag("@mailroom/AttachmentText")<
  AttachmentText,
  {
    /**
     * The text of a file, up to `ATTACHMENT_TEXT_MAX_LENGTH`. Reads it apart from the event loop, within a deadline and a
     * limit of memory. `NoText`: the file is empty or of a kind without text. The caller bounds how many files are read
     * at once.
     */
    readonly read: (document: Document) => Effect.Effect<DocumentText, NoText | TextUnreadable>
  }
>() {}
