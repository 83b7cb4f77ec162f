/** What a MIME parser makes of raw bytes. Plain values: they cross a thread boundary. */
import type { HeaderMap } from "./Message.js"

export interface ParsedAddress {
  readonly address: string
  readonly name: string | null
}

export interface ParsedAttachment {
  /** as given, or made up from the type; never empty, never with a path */
  readonly filename: string
  readonly contentType: string
  /** without angle brackets */
  readonly contentId: string | null
  readonly bytes: Uint8Array
}

export interface ParsedMail {
  /** with angle brackets */
  readonly messageId: string | null
  readonly inReplyTo: ReadonlyArray<string>
  readonly references: ReadonlyArray<string>
  readonly from: ParsedAddress | null
  readonly to: ReadonlyArray<ParsedAddress>
  readonly cc: ReadonlyArray<ParsedAddress>
  readonly replyTo: ReadonlyArray<ParsedAddress>
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  readonly headers: HeaderMap
  readonly attachments: ReadonlyArray<ParsedAttachment>
  /** set when the mail was not well formed: what is here is what could be read of it */
  readonly defect: string | null
}

/** A mail of which nothing could be read; its raw bytes are kept all the same. */
export const unreadableMail = (defect: string): ParsedMail => ({
  messageId: null,
  inReplyTo: [],
  references: [],
  from: null,
  to: [],
  cc: [],
  replyTo: [],
  subject: "",
  text: null,
  html: null,
  headers: {},
  attachments: [],
  defect,
})
