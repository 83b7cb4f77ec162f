/** The resources: files of messages, and the newest messages of a mailbox, which clients can subscribe to. */
import { MailroomError, type Mailroom } from "@mailroom/client"
import {
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type Variables,
} from "@modelcontextprotocol/server"
import { fenced, inLine } from "./fence.js"
import { ASKED_MAX_CHARS } from "./parts.js"
import { attachmentUri, lineOf, lines } from "./views.js"

/** Messages of a mailbox that its resource shows. */
const NEWEST = 20

export const mailboxUri = (id: string): string => `mailroom://mailboxes/${id}/messages`

/** The error of a resource that the caller cannot read. */
const failed = (uri: URL, error: unknown): unknown =>
  error instanceof MailroomError && error.status === 404 ? new ResourceNotFoundError(uri.href) : error

const idOf = (variables: Variables): string => {
  const { id } = variables
  return typeof id === "string" ? id : ""
}

/** The text of a file, in a fence; of a file without text, a link to its bytes. */
const readAttachment = async ({ attachments }: Mailroom, id: string, signal: AbortSignal) => {
  const { url, filename, contentType, sizeBytes } = await attachments.get(id, { signal })
  const name = `${inLine(filename, 255)} (${inLine(contentType, 100)}, ${sizeBytes} bytes)`
  const link = `The bytes, for 24 hours: ${url}`
  try {
    const { text, nextOffset } = await attachments.text(id, { maxChars: ASKED_MAX_CHARS }, { signal })
    const more = nextOffset === null ? "" : `\nThe rest: get_attachment_text with offset ${nextOffset}.`
    return `${link}${more}\n${fenced(`${name}\n\n${text}`)}`
  } catch (error) {
    if (!(error instanceof MailroomError) || (error.status !== 415 && error.status !== 422)) throw error
    return `${link}\nNo text: ${error.code}\n${fenced(name)}`
  }
}

export const registerResources = (server: McpServer, mailroom: Mailroom): void => {
  server.registerResource(
    "attachment",
    new ResourceTemplate(attachmentUri("{id}"), { list: undefined }),
    { description: "The text of an attachment, or a link to its bytes", mimeType: "text/plain" },
    async (uri, variables, { mcpReq }) => {
      try {
        const text = await readAttachment(mailroom, idOf(variables), mcpReq.signal)
        return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] }
      } catch (error) {
        throw failed(uri, error)
      }
    },
  )
  server.registerResource(
    "messages",
    new ResourceTemplate(mailboxUri("{id}"), { list: undefined }),
    {
      description: "The newest messages of a mailbox, by its id; subscribe to hear of new mail",
      mimeType: "text/plain",
    },
    async (uri, variables, { mcpReq }) => {
      try {
        const page = await mailroom.messages.list(
          idOf(variables),
          { limit: NEWEST, direction: "INBOUND" },
          { signal: mcpReq.signal },
        )
        const ids = page.items.map(({ id, createdAt }) => `${id} ${createdAt}`)
        const text = `${lines(ids)}\n${fenced(lines(page.items.map(lineOf)))}`
        return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] }
      } catch (error) {
        throw failed(uri, error)
      }
    },
  )
}
