/** A mail that a client submitted by SMTP, as a send carries it. */
import {
  type AttachmentRecord,
  type ParsedMail,
  submittedHeader,
  type SubmittedHeader,
} from "@mailroom/domain"
import type { MailDraft } from "../ports/MimeComposer.js"

export interface Submitted extends SubmittedHeader {
  /** as the client submitted it */
  readonly raw: Uint8Array
  readonly form: NonNullable<MailDraft["submitted"]>
  /** its row, when it comes from a draft; null when the client has just submitted it */
  readonly stored: AttachmentRecord | null
}

export const submittedOf = (
  raw: Uint8Array,
  mail: ParsedMail,
  stored: AttachmentRecord | null = null,
): Submitted => {
  const { keptFields, bodyStart } = mail.layout ?? { keptFields: [], bodyStart: 0 }
  const buffer = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  return {
    ...submittedHeader(mail),
    raw,
    form: {
      fields: keptFields.map(({ start, end }) => buffer.toString("latin1", start, end)),
      body: buffer.subarray(bodyStart),
    },
    stored,
  }
}
