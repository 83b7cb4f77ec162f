/** Values to raw bytes. */
import type { Instant } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export interface MailDraft {
  /** with angle brackets */
  readonly messageId: string
  readonly date: Instant
  readonly from: { readonly address: string; readonly name: string | null }
  /** each an address, or a display name and an address in angle brackets; so are `cc` and `replyTo` */
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
  readonly replyTo: string | null
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  /** with angle brackets */
  readonly inReplyTo: string | null
  readonly references: ReadonlyArray<string>
  /** fields of its own: one that something else in the draft writes is left out */
  readonly headers: Readonly<Record<string, string>>
  /** says that no person wrote it, by itself or as an answer to one mail, so that no machine answers (RFC 3834 §5) */
  readonly autoSubmitted: "auto-generated" | "auto-replied" | null
  /**
   * how to get no more of the like (RFC 2369): `mailto` is an address, with what follows one in a mailto URI; an
   * https `url` is POSTed to by readers' unsubscribe buttons (RFC 8058), so the mail's signature covers both fields
   */
  readonly listUnsubscribe: { readonly mailto: string; readonly url?: string } | null
  readonly attachments: ReadonlyArray<{
    readonly filename: string
    readonly contentType: string
    /** without angle brackets; an image that the HTML shows by this id travels with it (RFC 2387, RFC 2392) */
    readonly contentId: string | null
    readonly bytes: Uint8Array
  }>
}

/**
 * An RFC 5322 message with CRLF line ends; HTML without text gets a text made from it, when that takes no time. What a
 * draft holds becomes content, never structure: no value adds a header, a recipient or a part. Blind copies are not
 * in a draft: they are in the envelope only.
 */
export class MimeComposer extends Context.Tag("@mailroom/MimeComposer")<
  MimeComposer,
  { readonly compose: (draft: MailDraft) => Effect.Effect<Uint8Array> }
>() {}
