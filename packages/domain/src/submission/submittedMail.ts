/** The rules for a mail that a client submits by SMTP, and what a send makes of it (docs/specification/submission.md). */
import { SUBJECT_MAX_LENGTH, SUBMITTED_HEADER_MAX_BYTES } from "../limits.js"
import { isEmailAddress, normalizeAddress, writtenAddress } from "../mailboxes/address.js"
import { hasAtMost } from "../messages/oneLine.js"
import type { ParsedAddress, ParsedMail } from "../messages/ParsedMail.js"
import type { ReplyLinks } from "../sending/reply.js"
import type { InlineAttachment, SendBody } from "../sending/send.js"
import { isCustomField } from "./keptFields.js"
import type { SmtpAnswer } from "./smtpAnswer.js"

const NUL = 0

/** Why a mail cannot be submitted by the mailbox with this address, whatever its recipients are; null when it can. */
export const mailFault = (
  raw: Uint8Array,
  { layout, subject }: Pick<ParsedMail, "layout" | "subject">,
  mailbox: string,
): SmtpAnswer | null => {
  const bad = (text: string): SmtpAnswer => ({ code: 554, enhanced: "5.6.0", text })
  if (layout === null) return bad("This is no mail that could be read")
  const { authors, senders, bodyStart, isAmbiguous } = layout
  if (bodyStart > SUBMITTED_HEADER_MAX_BYTES)
    return {
      code: 552,
      enhanced: "5.3.4",
      text: `The header has more than ${SUBMITTED_HEADER_MAX_BYTES} bytes`,
    }
  if (raw.includes(NUL)) return bad("The mail has a NUL byte")
  if (isAmbiguous) return bad("A mail has one Content-Type and one Content-Transfer-Encoding at most")
  if (!hasAtMost(subject, SUBJECT_MAX_LENGTH))
    return bad(`The subject has more than ${SUBJECT_MAX_LENGTH} characters`)
  const isMailbox = ({ address }: ParsedAddress): boolean => normalizeAddress(address) === mailbox
  if (authors.length !== 1 || !authors.every(isMailbox))
    return {
      code: 550,
      enhanced: "5.7.1",
      text: `From must be ${mailbox}, the mailbox that signed in, alone`,
    }
  return senders.every(isMailbox)
    ? null
    : {
        code: 550,
        enhanced: "5.7.1",
        text: `Sender must be absent or ${mailbox}, the mailbox that signed in`,
      }
}

/** What the mail of a submission has from the client's header, beside the fields that it keeps. */
export interface SubmittedHeader {
  /** display name of From; null without one */
  readonly fromName: string | null
  /** To and Cc, also those that the envelope does not name, as `Recipient` */
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
  readonly replyTo: ReadonlyArray<string>
  /** Message-ID with angle brackets; null without one that can be sent */
  readonly messageId: string | null
  readonly links: ReplyLinks
}

/** The addresses of a header field, without those that cannot be written to. */
const written = (addresses: ReadonlyArray<ParsedAddress>): ReadonlyArray<string> =>
  addresses.flatMap(({ address, name }) => (isEmailAddress(address) ? [writtenAddress(address, name)] : []))

/** A Message-ID is ASCII (RFC 5322 §3.6.4) and has a right side. */
const sendableId = (id: string | null): string | null =>
  id !== null && /^<[!-;=?-~]+@[!-;=?-~]+>$/.test(id) ? id : null

export const submittedHeader = (mail: ParsedMail): SubmittedHeader => ({
  fromName: mail.from?.name ?? null,
  to: written(mail.to),
  cc: written(mail.cc),
  replyTo: written(mail.replyTo),
  messageId: sendableId(mail.messageId),
  // Some clients write References alone; its last id is the answered message (RFC 5322 §3.6.4).
  links: { inReplyTo: mail.inReplyTo[0] ?? mail.references.at(-1) ?? null, references: mail.references },
})

/** The custom header fields; of a field that occurs several times the first. */
const customFields = ({ headers }: ParsedMail): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = typeof value === "string" ? value : value[0]
      return isCustomField(name) && first !== undefined ? [[name, first] as const] : []
    }),
  )

/**
 * The body of a send that describes the mail. The envelope decides who gets it: a recipient that To and Cc do not name gets
 * a blind copy, and an address in To or Cc that is no recipient gets nothing. `recipients`: those of the envelope.
 */
export const submittedBody = (
  mail: ParsedMail,
  header: SubmittedHeader,
  recipients: ReadonlyArray<string>,
  attachments: ReadonlyArray<typeof InlineAttachment.Type>,
): SendBody => {
  const [replyTo] = header.replyTo
  const { inReplyTo } = header.links
  const named = (addresses: ReadonlyArray<ParsedAddress>): ReadonlyMap<string, string> =>
    new Map(
      addresses.map(
        ({ address, name }) => [normalizeAddress(address), writtenAddress(address, name)] as const,
      ),
    )
  const [inTo, inCc] = [named(mail.to), named(mail.cc)]
  const addresses = [...new Set(recipients.map(normalizeAddress))]
  const isNamed = (address: string): boolean => inTo.has(address) || inCc.has(address)
  return {
    to: addresses.flatMap((address) => inTo.get(address) ?? []),
    cc: addresses.flatMap((address) => (inTo.has(address) ? [] : (inCc.get(address) ?? []))),
    bcc: addresses.filter((address) => !isNamed(address)),
    subject: mail.subject,
    ...(mail.text !== null && { bodyText: mail.text }),
    ...(mail.html !== null && { bodyHtml: mail.html }),
    ...(inReplyTo !== null && { inReplyTo }),
    ...(replyTo !== undefined && { replyTo }),
    headers: customFields(mail),
    attachments,
  }
}

/**
 * What makes two submissions with one Message-ID the same mail: what a reader sees. Date, boundaries and encodings may differ
 * between two tries of one client.
 */
export const submittedContent = (body: SendBody): unknown => [
  body.subject,
  body.bodyText ?? null,
  body.bodyHtml ?? null,
  (body.attachments ?? []).map((file) =>
    typeof file === "string" ? file : [file.filename, file.contentType, file.content],
  ),
]
