/** The pieces that the schemas of tools share. Descriptions are short: a model reads all of them before its first call. */
import * as z from "zod"
import { ASKED_MAX_CHARS } from "./parts.js"

/** An id of the service. Nothing else becomes a part of a path. */
export const id = z
  .string()
  .refine((value) => /^[\w-]{1,64}$/.test(value), { error: "is not an id of this service" })

/** UTF-16 units of an address with its +tag: more than any has. */
const MAILBOX_MAX_CHARS = 320

// Limits that no caller meets by accident are not in the JSON Schema: each costs tokens in every conversation.
const mailboxName = z
  .string()
  .min(1)
  .refine(({ length }) => length <= MAILBOX_MAX_CHARS, { error: "is no id and no address" })
export const mailbox = mailboxName.describe("id or address; not needed with one mailbox").optional()
export const anyMailbox = mailboxName.describe("id or address; default all").optional()

export const maxChars = z
  .number()
  .int()
  .min(1)
  .max(ASKED_MAX_CHARS)
  .describe("length of the part; default about 7 kB")
  .optional()
export const offset = z.number().int().min(0).describe("nextOffset of the part before").optional()

export const limit = (max: number) => z.number().int().min(1).max(max).optional()
export const cursor = z.string().describe("nextCursor of the page before").optional()
export const time = z.string().describe("ISO 8601").optional()

const addresses = z.array(z.string())
export const recipients = addresses.min(1).describe("as a@b.c or Name <a@b.c>")
export const copies = addresses.optional()

export const idempotencyKey = z
  .string()
  .refine((key) => /^[\w.~-]{1,256}$/.test(key), { error: "must be 1 to 256 of A-Z a-z 0-9 - . _ ~" })
  .describe("new value: send the same content again on purpose")
  .optional()

export const attachments = z
  .array(
    z
      .strictObject({
        id: id.optional(),
        filename: z.string().optional(),
        text: z.string().optional(),
        contentType: z.string().optional(),
      })
      .refine(
        (file) => (file.id === undefined) === (file.filename !== undefined && file.text !== undefined),
        {
          error: "needs either id, or filename and text",
        },
      ),
  )
  .describe("id of an upload, or filename and text")
  .optional()

/** What a written mail has, beside its recipients and its subject. */
export const writing = {
  text: z.string().optional(),
  html: z.string().optional(),
  cc: copies,
  bcc: copies,
  attachments,
}

export const trust = z.object({ level: z.string(), reasons: z.array(z.string()) }).nullable()

/** A message, without what others wrote. */
export const messageFields = z.object({
  id: z.string(),
  mailboxId: z.string(),
  threadId: z.string(),
  direction: z.string(),
  at: z.string(),
  unread: z.boolean(),
  trust,
})

export const content = z.string()
export const nextOffset = z.number().nullable()
