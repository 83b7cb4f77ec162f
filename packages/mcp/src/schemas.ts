/** The pieces that the schemas of tools share. Descriptions are short: a model reads all of them before its first call. */
import * as z from "zod"
import { ASKED_MAX_CHARS } from "./parts.js"

/** An id of the service. Nothing else becomes a part of a path. */
export const id = z
  .string()
  .refine((value) => /^[\w-]{1,64}$/.test(value), { error: "is not an id of this service" })

export const mailbox = z.string().min(1).describe("id or address; not needed with one mailbox").optional()
export const anyMailbox = z.string().min(1).describe("id or address; default all").optional()

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
