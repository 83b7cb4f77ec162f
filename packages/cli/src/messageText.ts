/** How messages look to people. */
import type { Message, MessageListItem } from "@mailroom/client"
import { fieldLines, sizeText, timeText } from "./format.js"
import { safeText } from "./terminal/safeText.js"
import type { Column } from "./terminal/table.js"

const named = (name: string | null, address: string): string =>
  name === null || name === "" ? address : `${name} <${address}>`

/** The other side of a message: its sender, or the recipients of a sent one. */
const otherSide = ({ direction, fromName, fromAddress, toAddresses }: MessageListItem): string =>
  direction === "INBOUND" ? (fromName ?? fromAddress) : `to ${toAddresses.join(", ")}`

export const messageColumns: ReadonlyArray<Column<MessageListItem>> = [
  { title: "ID", value: ({ id }) => id },
  { title: "TIME", value: ({ createdAt }) => timeText(createdAt) },
  { title: "FROM", value: otherSide, shrinks: true },
  { title: "", value: ({ readAt, direction }) => (readAt === null && direction === "INBOUND" ? "new" : "") },
  { title: "SUBJECT", value: ({ subject }) => subject, shrinks: true },
]

/** The fields of a message that people read before its text. */
const headText = (message: Message): string =>
  fieldLines([
    ["Id", message.id],
    ["From", named(message.fromName, message.fromAddress)],
    ["To", message.toAddresses.join(", ")],
    ["Cc", message.ccAddresses.join(", ")],
    ["Reply-To", message.replyTo],
    ["Time", timeText(message.receivedAt ?? message.createdAt)],
    ["Subject", message.subject],
    ["Status", message.direction === "OUTBOUND" ? message.status : undefined],
    [
      "Trust",
      message.trust === null
        ? undefined
        : [message.trust.level, ...message.trust.reasons].join(", ").replaceAll("_", " "),
    ],
    ["Codes", message.codes.map(({ code }) => code).join(", ")],
    ["Labels", message.labels.join(", ")],
    ["Thread", message.threadId],
    ...message.attachments.map(
      ({ id, filename, contentType, sizeBytes }) =>
        ["File", `${filename} (${contentType}, ${sizeText(sizeBytes)}) ${id}`] as const,
    ),
  ])

/** The text of a message. A sent one that is HTML alone has that of its HTML in `extractedText`. */
const bodyOf = ({ bodyText, extractedText }: Message): string => bodyText ?? extractedText ?? ""

export const messageText = (message: Message): string =>
  `${headText(message)}\n\n${safeText(bodyOf(message)).trimEnd()}`
