/** Messages as results show them: fields that the service made, and apart from them the text that others wrote. */
import type { Message, MessageListItem, Thread } from "@mailroom/client"
import type { ResourceLink } from "@modelcontextprotocol/server"
import { inLine } from "./fence.js"
import { beginningOf, CONTENT_MAX_BYTES, partOf, type TextPart } from "./parts.js"

/** Labels of a message that a list shows. */
const LABELS_SHOWN = 5
/** UTF-16 units of a line in a list. */
const LINE_MAX_CHARS = 160
/** UTF-16 units of a header line. */
const HEADER_MAX_CHARS = 300
/** Addresses and files that a message shows. */
const SHOWN = 15
/** Bytes of the header of a message, as JSON. */
const HEADER_MAX_BYTES = 3_500
/** Links that are shown below the text, and bytes of all together. */
const LINKS_SHOWN = 10
const LINKS_MAX_BYTES = 1_500

export const attachmentUri = (id: string): string => `mailroom://attachments/${id}`

const fieldsOf = (message: Message | MessageListItem) => ({
  id: message.id,
  mailboxId: message.mailboxId,
  threadId: message.threadId,
  direction: message.direction,
  at: message.receivedAt ?? message.sentAt ?? message.createdAt,
  unread: message.direction === "INBOUND" && message.readAt === null,
  trust: message.trust && { level: message.trust.level, reasons: [...message.trust.reasons] },
  ...(message.direction === "OUTBOUND" && { status: message.status }),
  ...(message.labels.length > 0 && { labels: message.labels.slice(0, LABELS_SHOWN) }),
  ...(message.automated && { automated: true }),
  ...(message.claim !== null && { claim: message.claim.state }),
  ...(message.quarantined !== null && { quarantined: true }),
})

/** The fields of a message in a list. */
export const listed = (message: MessageListItem) => ({
  ...fieldsOf(message),
  ...(message.hasAttachments && { attachments: message.attachments.length }),
})

const sender = ({ fromName, fromAddress }: MessageListItem | Message): string =>
  fromName === null ? fromAddress : `${fromName} <${fromAddress}>`

const shownOf = (all: ReadonlyArray<string>): string =>
  all.length > SHOWN ? `${all.slice(0, SHOWN).join(", ")}, … (${all.length})` : all.join(", ")

const titleOf = (subject: string): string => (subject === "" ? "(no subject)" : subject)

/** The line of a message in a list. */
export const lineOf = (message: MessageListItem): string => {
  const who =
    message.direction === "INBOUND" ? sender(message) : `to ${message.toAddresses.slice(0, 3).join(", ")}`
  return inLine(`${who}: ${titleOf(message.subject)}`, LINE_MAX_CHARS)
}

/** The fields of a thread in a list. */
export const listedThread = ({ id, mailboxId, messageCount, lastMessageAt, takenOverAt }: Thread) => ({
  id,
  mailboxId,
  messageCount,
  lastMessageAt,
  ...(takenOverAt !== null && { takenOver: true }),
})

/** The line of a thread in a list. */
export const threadLineOf = ({ participants, subject }: Thread): string =>
  inLine(`${participants.slice(0, 3).join(", ")}: ${titleOf(subject)}`, LINE_MAX_CHARS)

/** Numbered lines. */
export const lines = (all: ReadonlyArray<string>): string =>
  all.map((line, index) => `${index + 1}. ${line}`).join("\n")

const invitation = ({ calendar }: Message): string | undefined => {
  if (calendar === null) return undefined
  const { method, summary, start, end, location, organizer } = calendar
  const from = organizer === null ? "" : ` by ${organizer.address}`
  const place = location === null ? "" : ` at ${location}`
  return `${method ?? "event"} ${summary ?? ""} ${start ?? ""} to ${end ?? ""}${place}${from}`
}

const headerOf = (message: Message): string => {
  const fields: ReadonlyArray<readonly [name: string, value: string | null | undefined]> = [
    ["From", sender(message)],
    ["Reply-To", message.replyTo],
    ["To", shownOf(message.toAddresses)],
    ["Cc", shownOf(message.ccAddresses)],
    ["Subject", message.subject],
    ["Invitation", invitation(message)],
    ["Codes", message.codes.map(({ code }) => code).join(", ")],
    ...message.attachments
      .slice(0, SHOWN)
      .map(
        ({ filename, contentType, sizeBytes }, index) =>
          [`Attachment ${index + 1}`, `${filename} (${contentType}, ${sizeBytes} bytes)`] as const,
      ),
  ]
  const shown = fields.flatMap(([name, value]) =>
    value === null || value === undefined || value === ""
      ? []
      : [inLine(`${name}: ${value}`, HEADER_MAX_CHARS)],
  )
  return beginningOf(shown.join("\n"), HEADER_MAX_BYTES)
}

/** The links that the text does not show, such as those behind the words of an HTML mail. */
const linksOf = ({ links }: Message, text: string): string => {
  const shown = links
    .filter(({ url }) => !text.includes(url))
    .slice(0, LINKS_SHOWN)
    .map((link) => inLine(`Link: ${link.url} (${inLine(link.text, 60)})`, LINKS_MAX_BYTES))
  return shown.length === 0 ? "" : beginningOf(`\n\n${shown.join("\n")}`, LINKS_MAX_BYTES)
}

export const formats = ["text", "new", "html", "headers"] as const
export type Format = (typeof formats)[number]

/** What its author wrote, without quotes. */
export const newTextOf = ({ extractedText, bodyText }: Message | MessageListItem): string =>
  extractedText ?? bodyText ?? ""

const bodyOf = (message: Message, format: Format): string => {
  switch (format) {
    case "text":
      // A sent mail that is HTML alone has its text in `extractedText` only.
      return message.bodyText === null ? newTextOf(message) : message.bodyText
    case "new":
      return newTextOf(message)
    case "html":
      return message.bodyHtml ?? ""
    case "headers":
      return Object.entries(message.headers)
        .flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`))
        .join("\n")
  }
}

export interface Reading {
  readonly format?: Format | undefined
  readonly offset?: number | undefined
  readonly maxChars?: number | undefined
}

/** A part of a message: the first has its header and its links. */
const messagePart = (message: Message, { format = "text", offset = 0, maxChars }: Reading): TextPart => {
  const body = bodyOf(message, format)
  if (offset > 0) return partOf(body, offset, maxChars)
  const header = headerOf(message)
  const links = format === "text" || format === "new" ? linksOf(message, body) : ""
  const room = CONTENT_MAX_BYTES - Buffer.byteLength(JSON.stringify(header + links))
  const part = partOf(body, 0, maxChars, room)
  return { ...part, text: `${header}\n\n${part.text}${links}` }
}

/** The fields of a read message, its text before it is fenced, and links to its files. */
export const readMessage = (message: Message, reading: Reading) => {
  const { text, nextOffset, total } = messagePart(message, reading)
  const attachments = message.attachments.slice(0, SHOWN)
  return {
    message: {
      ...fieldsOf(message),
      ...(attachments.length > 0 && { attachments: attachments.map(({ id }) => id) }),
      ...(message.attachments.length > SHOWN && { attachmentCount: message.attachments.length }),
    },
    text,
    rest: { nextOffset, total },
    // The file name is the sender's, so it is in the fence only.
    links: attachments.map(({ id, sizeBytes }, index): ResourceLink => ({
      type: "resource_link",
      uri: attachmentUri(id),
      name: `attachment ${index + 1}`,
      size: sizeBytes,
    })),
  }
}
