/** Composes the raw bytes of a mail. */
import type { Instant, OutgoingCalendar } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export interface MailDraft {
  /** with angle brackets */
  readonly messageId: string
  readonly date: Instant
  readonly from: { readonly address: string; readonly name: string | null }
  /** `ada@example.org` or `Ada <ada@example.org>`; so are `cc` and `replyTo` */
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
  readonly replyTo: ReadonlyArray<string>
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  /** a calendar as the last alternative to the text (RFC 6047 §2.4); null for mail without one */
  readonly calendar: OutgoingCalendar | null
  /** with angle brackets */
  readonly inReplyTo: string | null
  readonly references: ReadonlyArray<string>
  /** custom header fields; one that another value of the draft already sets is ignored */
  readonly headers: Readonly<Record<string, string>>
  /** Auto-Submitted, for a mail that no person wrote (RFC 3834 §5); null: no such field */
  readonly autoSubmitted: "auto-generated" | "auto-replied" | null
  /**
   * List-Unsubscribe (RFC 2369). `mailto`: an address, optionally with the query of a mailto URI. `url`: an https URL for
   * one-click unsubscribe (RFC 8058), which requires that the DKIM signature covers both fields
   */
  readonly listUnsubscribe: { readonly mailto: string; readonly url?: string } | null
  readonly attachments: ReadonlyArray<{
    readonly filename: string
    readonly contentType: string
    /**
     * without angle brackets; an image that the HTML refers to by this id goes into its multipart/related (RFC 2387,
     * RFC 2392)
     */
    readonly contentId: string | null
    readonly bytes: Uint8Array
  }>
  /**
   * the body of a mail that a client submitted, sent unchanged in place of text, HTML, calendar and attachments. `fields`: the
   * lines of header fields that it keeps, with the Content fields of the body, each with its CRLF, bytes as Latin-1. One that
   * another value of the draft writes is dropped, and so is one beyond ASCII that is no Content field. Absent for a mail that
   * is composed
   */
  readonly submitted?: { readonly fields: ReadonlyArray<string>; readonly body: Uint8Array }
}

/**
 * Composes an RFC 5322 message with CRLF line ends. HTML without text gets a text alternative, unless converting it takes
 * long. No value of a draft can inject a header field, a recipient or a part. A draft has no Bcc: blind copies are only in
 * the envelope.
 */
export class MimeComposer extends Context.Tag("@mailroom/MimeComposer")<
  MimeComposer,
  { readonly compose: (draft: MailDraft) => Effect.Effect<Uint8Array> }
>() {}
