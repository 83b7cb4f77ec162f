/** Listing, searching and reading messages, threads and attachments. */
import type { MessageListItem, Page } from "@mailroom/client"
import * as z from "zod"
import { fenced } from "../fence.js"
import { mailboxId, mailboxIdOrAll } from "../mailboxes.js"
import { beginningOf, partOf } from "../parts.js"
import { fitting } from "../result.js"
import * as s from "../schemas.js"
import { tool } from "../tool.js"
import {
  formats,
  lineOf,
  lines,
  listed,
  listedThread,
  newTextOf,
  readMessage,
  threadLineOf,
} from "../views.js"

/** Messages of a page, at most: fewer when their subjects or labels are long. */
const PAGE = 20
/** Messages of a thread that are shown, the newest, at most. */
const THREAD_MAX = 20
/** Bytes of all texts of a thread, as JSON. */
const THREAD_MAX_BYTES = 4_000
/** UTF-16 units of an attachment's text that are asked for: more than a result has. */
const ATTACHMENT_TEXT_CHARS = 10_000

const page = z.object({
  messages: z.array(s.messageFields),
  nextCursor: z.string().nullable(),
  content: s.content,
})

/** What is read of a page's metadata. */
interface PageBody {
  readonly metadata: { readonly nextCursor?: string | undefined; readonly overLimitCount?: number }
}

const pageOf = ({ items, body: { metadata } }: Page<MessageListItem, PageBody>) => ({
  fields: {
    messages: items.map(listed),
    nextCursor: metadata.nextCursor ?? null,
    ...((metadata.overLimitCount ?? 0) > 0 && { hiddenOverLimit: metadata.overLimitCount }),
    content: items.length === 0 ? "(no messages)" : fenced(lines(items.map(lineOf))),
  },
})

export const listMessages = tool({
  name: "list_messages",
  description:
    "List messages, newest first, one line each. To find words in the text, use search_messages; to read one, get_message.",
  input: z.strictObject({
    mailbox: s.anyMailbox,
    direction: z.enum(["INBOUND", "OUTBOUND"]).optional(),
    unread: z.boolean().optional(),
    from: z.string().describe("address or @domain").optional(),
    subject: z.string().describe("part of the subject").optional(),
    labels: z.array(z.string()).optional(),
    since: s.time,
    before: s.time,
    limit: s.limit(PAGE),
    cursor: s.cursor,
  }),
  output: page,
  effects: "reads",
  run: async ({ mailbox, limit = PAGE, ...filter }, context) => {
    const { mailroom, signal } = context
    const id = await mailboxIdOrAll(context, mailbox)
    return fitting(limit, async (count) => {
      const query = { ...filter, bodies: "preview", limit: count } as const
      return pageOf(
        id === undefined
          ? await mailroom.messages.listAll(query, { signal })
          : await mailroom.messages.list(id, query, { signal }),
      )
    })
  },
})

export const searchMessages = tool({
  name: "search_messages",
  description:
    'Search subjects, names, text and file names. All words must match; "a phrase", -not, OR, from: to: subject: filename: label:, has:attachment|code|link|invite, is:unread, in:inbound|outbound, before: after: (date).',
  input: z.strictObject({
    query: z.string().min(1),
    mailbox: s.anyMailbox,
    sort: z.enum(["relevance", "date"]).optional(),
    limit: s.limit(PAGE),
    cursor: s.cursor,
  }),
  output: page,
  effects: "reads",
  run: async ({ query: q, mailbox, limit = PAGE, ...rest }, context) => {
    const { mailroom, signal } = context
    const id = await mailboxIdOrAll(context, mailbox)
    return fitting(limit, async (count) => {
      const query = { q, bodies: "preview", limit: count, ...rest } as const
      return pageOf(
        id === undefined
          ? await mailroom.messages.searchAll(query, { signal })
          : await mailroom.messages.search(id, query, { signal }),
      )
    })
  },
})

export const getMessage = tool({
  name: "get_message",
  description:
    "Read a message: header, one-time codes, text, links and files. Long texts come in parts. Does not mark it as read: update_message does.",
  input: z.strictObject({
    mailbox: s.mailbox,
    messageId: s.id,
    format: z.enum(formats).describe("default text; new: without quotes").optional(),
    maxChars: s.maxChars,
    offset: s.offset,
  }),
  output: z.object({
    message: s.messageFields,
    nextOffset: s.nextOffset,
    total: z.number(),
    content: s.content,
  }),
  effects: "reads",
  run: async ({ mailbox, messageId, ...reading }, context) => {
    const { mailroom, signal } = context
    const found = await mailroom.messages.get(await mailboxId(context, mailbox), messageId, {}, { signal })
    const { message, rest, text, links } = readMessage(found, reading)
    return { fields: { message, ...rest, content: fenced(text) }, links }
  },
})

export const listThreads = tool({
  name: "list_threads",
  description: "List conversations, newest activity first, one line each. To read one, use get_thread.",
  input: z.strictObject({ mailbox: s.anyMailbox, limit: s.limit(PAGE), cursor: s.cursor }),
  output: z.object({
    threads: z.array(
      z.object({
        id: z.string(),
        mailboxId: z.string(),
        messageCount: z.number(),
        lastMessageAt: z.string(),
      }),
    ),
    nextCursor: z.string().nullable(),
    content: s.content,
  }),
  effects: "reads",
  run: async ({ mailbox, limit = PAGE, cursor }, context) => {
    const { mailroom, signal } = context
    const id = await mailboxIdOrAll(context, mailbox)
    return fitting(limit, async (count) => {
      const { items, body } = await mailroom.threads.listAll(
        { mailboxId: id, limit: count, cursor },
        { signal },
      )
      return {
        fields: {
          threads: items.map(listedThread),
          nextCursor: body.metadata.nextCursor ?? null,
          content: items.length === 0 ? "(no threads)" : fenced(lines(items.map(threadLineOf))),
        },
      }
    })
  },
})

export const getThread = tool({
  name: "get_thread",
  description: `Read a conversation, oldest message first: the newest ${THREAD_MAX} messages, without quotes, long ones cut. get_message has the whole text.`,
  input: z.strictObject({ mailbox: s.mailbox, threadId: s.id }),
  output: z.object({
    messages: z.array(s.messageFields),
    messageCount: z.number(),
    content: s.content,
  }),
  effects: "reads",
  run: async ({ mailbox, threadId }, context) => {
    const { mailroom, signal } = context
    const thread = await mailroom.threads.get(await mailboxId(context, mailbox), threadId, {}, { signal })
    return fitting(THREAD_MAX, async (count) => {
      const messages = thread.messages.slice(-count)
      const room = Math.floor(THREAD_MAX_BYTES / Math.max(1, messages.length))
      // Each text has a fence of its own: none can end in the beginning of another's message.
      const texts = messages.map(
        (message, index) => `${index + 1}. ${lineOf(message)}\n${beginningOf(newTextOf(message), room)}`,
      )
      return {
        fields: {
          messages: messages.map(listed),
          messageCount: thread.messageCount,
          content: fenced(...texts),
        },
      }
    })
  },
})

export const getAttachmentText = tool({
  name: "get_attachment_text",
  description:
    "Read the text inside an attachment: PDF, Word, Excel, PowerPoint, OpenDocument, RTF, HTML, CSV, JSON, calendar, text. Ids are in get_message.",
  input: z.strictObject({ attachmentId: s.id, maxChars: s.maxChars, offset: s.offset }),
  output: z.object({ kind: z.string(), nextOffset: s.nextOffset, total: z.number(), content: s.content }),
  effects: "reads",
  run: async ({ attachmentId, maxChars, offset = 0 }, { mailroom, signal }) => {
    const read = await mailroom.attachments.text(
      attachmentId,
      { offset, maxChars: maxChars ?? ATTACHMENT_TEXT_CHARS },
      { signal },
    )
    const part = partOf(read.text, 0, maxChars)
    const nextOffset = part.nextOffset === null ? read.nextOffset : offset + part.nextOffset
    return { fields: { kind: read.kind, nextOffset, total: read.total, content: fenced(part.text) } }
  },
})
