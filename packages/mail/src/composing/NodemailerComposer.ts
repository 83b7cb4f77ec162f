/** `MimeComposer` with nodemailer's composer. */
import { isAscii, parseNamed, safeFilename } from "@mailroom/domain"
import { type MailDraft, MimeComposer, newSharedMemory } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { displayName, headerFields, messageId, oneLine, plainAddress, quotable } from "./headerFields.js"
import { joinInSteps, slicesOf, streamInSteps } from "../steps.js"
import { textContent } from "./textParts.js"

/** As an object, because nodemailer parses a string as a list of addresses. */
const mailbox = (address: string, name: string | null = null) => ({
  address: plainAddress(address),
  name: displayName(name),
})

/**
 * The type of a file in the mail. A multipart type would make nodemailer write structure, and a type of mail does not allow base64
 * (RFC 2046 §5.2.1); every other type is only a label. The sender of a file chose its parameters, so only the method of an
 * invitation is kept.
 */
const contentTypeOf = (type: string): string =>
  /^(?!(?:multipart|message)\/)[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$|^text\/calendar; method=[a-z-]+$/i.test(
    type,
  )
    ? type
    : "application/octet-stream"

/** Bytes of a file that are encoded in one step: whole lines of base64, 57 bytes each (RFC 2045 §6.8). */
const FILE_STEP_BYTES = 57 * 4096

/** Whether the HTML refers to the part with this Content-ID, plain or percent-encoded (RFC 2392). */
const refersTo = (html: string, contentId: string): boolean =>
  html.includes(`cid:${contentId}`) || html.includes(`cid:${encodeURIComponent(contentId)}`)

const attached = (attachment: MailDraft["attachments"][number], html: string) => {
  const contentId = messageId(attachment.contentId ?? "").slice(1, -1)
  const isShown = contentId !== "" && refersTo(html, contentId)
  return {
    filename: quotable(safeFilename(oneLine(attachment.filename), "attachment")),
    contentType: contentTypeOf(attachment.contentType),
    contentDisposition: isShown ? "inline" : "attachment",
    contentTransferEncoding: "base64",
    content: streamInSteps(slicesOf(attachment.bytes, FILE_STEP_BYTES)),
    // nodemailer puts a part with `cid` beside the HTML, where mail clients do not list it as a file.
    ...(isShown && { cid: contentId }),
    ...(!isShown && contentId !== "" && { headers: { "Content-ID": `<${contentId}>` } }),
  }
}

/** In base64, because relays may change line ends, and folded lines depend on them. */
const calendarPart = ({ method, content }: NonNullable<MailDraft["calendar"]>) => ({
  contentType: `text/calendar; charset=utf-8; method=${method}`,
  contentTransferEncoding: "base64" as const,
  content,
})

const recipient = (text: string) => {
  const { address, name } = parseNamed(text)
  return mailbox(address, name)
}

/** Message ids are ASCII (RFC 5322 §3.6.4), except in a mail with an international address (RFC 6532 §3.3). */
const sendableIds = (draft: MailDraft, ids: ReadonlyArray<string>): Array<string> => {
  const named = [...draft.to, ...draft.cc, ...draft.replyTo]
  const addresses = [draft.from.address, ...named.map((text) => parseNamed(text).address)]
  const isInternational = addresses.some((address) => !isAscii(address.slice(0, address.lastIndexOf("@"))))
  return ids.map(messageId).filter((id) => isInternational || isAscii(id))
}

/** The fields of the header, each with its CRLF, without those of the body. */
const headerLines = (header: string): ReadonlyArray<string> =>
  header
    .split(/\r\n(?![ \t])/)
    .filter((field) => field !== "" && !/^(?:content-|mime-version:)/i.test(field))
    .map((field) => `${field}\r\n`)

const nameOf = (field: string): string => field.slice(0, field.indexOf(":")).trimEnd().toLowerCase()

/**
 * Whether a field of a submitted mail stays beside those that the composer has written. Without its Content fields the body
 * would be read as something else, so they stay also beyond ASCII, where clients write the name of a file so.
 */
const stays = (field: string, written: ReadonlySet<string>): boolean =>
  !written.has(nameOf(field)) && (isAscii(field) || nameOf(field).startsWith("content-"))

/** The header that the composer writes, the fields that the submitted mail keeps, and its body. */
const withSubmittedBody = (
  header: string,
  { fields, body }: NonNullable<MailDraft["submitted"]>,
): Promise<Uint8Array> => {
  const written = [...headerLines(header), "MIME-Version: 1.0\r\n"]
  const names = new Set(written.map(nameOf))
  const kept = fields.filter((field) => stays(field, names))
  return joinInSteps(
    [Buffer.from(written.join("")), Buffer.from(`${kept.join("")}\r\n`, "latin1"), body],
    newSharedMemory,
  )
}

const textFor = async (html: string): Promise<string | null> => {
  const { textAlternative } = await import("./textAlternative.js")
  return textAlternative(html)
}

/** Loads what it needs with the first mail, because these libraries would delay each start of a service. */
const compose = async (draft: MailDraft): Promise<Uint8Array> => {
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer")
  const html = draft.html ?? ""
  const text = draft.text === null || draft.text === "" ? await textFor(html) : draft.text
  const [inReplyTo] = sendableIds(draft, draft.inReplyTo === null ? [] : [draft.inReplyTo])
  const mail = new MailComposer({
    ...(text !== null && { text: textContent(text) }),
    ...(html !== "" && { html: textContent(html) }),
    ...(draft.calendar !== null && { alternatives: [calendarPart(draft.calendar)] }),
    from: mailbox(draft.from.address, draft.from.name),
    to: draft.to.map(recipient),
    cc: draft.cc.map(recipient),
    ...(draft.replyTo.length === 0 ? {} : { replyTo: draft.replyTo.map(recipient) }),
    messageId: messageId(draft.messageId),
    ...(inReplyTo === undefined ? {} : { inReplyTo }),
    references: sendableIds(draft, draft.references),
    date: new Date(draft.date),
    headers: headerFields(draft),
    attachments: draft.attachments.map((attachment) => attached(attachment, html)),
    newline: "win",
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  if (draft.submitted !== undefined) return withSubmittedBody(mail.compile().buildHeaders(), draft.submitted)
  const chunks: Array<Uint8Array> = []
  for await (const chunk of mail.compile().createReadStream()) chunks.push(chunk)
  // In shared memory, so that the thread that signs the mail needs no copy.
  return joinInSteps(chunks, newSharedMemory)
}

/**
 * Composes text, HTML or both as alternatives, unchanged, with the parts that the HTML shows beside it. Adds a text to a
 * mail that has only HTML. Encodes attachments in base64, so that no relay changes their bytes.
 */
export const layer: Layer.Layer<MimeComposer> = Layer.succeed(MimeComposer, {
  compose: (draft) => Effect.promise(() => compose(draft)),
})
