/** Files of requests: forms where the service takes them, base64 otherwise. */
import type { InlineAttachment } from "./generated/types.js"

/** A file to send: a `File`, or content with a name and a MIME type. */
export type FileUpload =
  | File
  | {
      readonly filename: string
      readonly contentType: string
      readonly content: Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
    }

/** Raw mail. */
export type RawMail = string | Exclude<FileUpload, File>["content"]

/** The mail as a blob. A stream is read first: the request can then be repeated. */
export const rawMailOf = async (mail: RawMail): Promise<Blob> =>
  new Blob([mail instanceof ReadableStream ? await new Response(mail).arrayBuffer() : mail])

type Attachment = string | InlineAttachment | FileUpload

/** A request body whose attachments may be files. */
interface FileBody {
  readonly attachments?: ReadonlyArray<Attachment> | undefined
}

interface NamedBlob {
  readonly filename: string
  readonly blob: Blob
}

/** The file as a blob. A stream is read first: the request can then be repeated, and browsers can send it. */
const blobOf = async (file: FileUpload): Promise<NamedBlob> => {
  if (file instanceof File) return { filename: file.name, blob: file }
  const { filename, contentType, content } = file
  const part = content instanceof ReadableStream ? await new Response(content).arrayBuffer() : content
  return { filename, blob: new Blob([part], { type: contentType }) }
}

/** The bytes of a request body with their type. */
export interface Encoded {
  readonly content: Blob | string
  readonly contentType: string
}

export const encodedJson = (body: unknown): Encoded => ({
  content: JSON.stringify(body),
  contentType: "application/json",
})

/** A form as bytes, so that every repetition of a request sends the same. */
const encodedForm = async (form: FormData): Promise<Encoded> => {
  const response = new Response(form)
  const contentType = response.headers.get("content-type") ?? "multipart/form-data"
  return { content: await response.blob(), contentType }
}

const CHUNK = 0x8000

const base64Of = async (blob: Blob): Promise<string> => {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ""
  for (let start = 0; start < bytes.length; start += CHUNK)
    text += String.fromCharCode(...bytes.subarray(start, start + CHUNK))
  return btoa(text)
}

const isInline = (attachment: Attachment): attachment is InlineAttachment =>
  typeof attachment === "object" && !(attachment instanceof File) && typeof attachment.content === "string"

const isFile = (attachment: Attachment): attachment is FileUpload =>
  typeof attachment === "object" && !isInline(attachment)

/** A form with one file, in the field `file`. */
export const encodedUpload = async (file: FileUpload): Promise<Encoded> => {
  const form = new FormData()
  const { filename, blob } = await blobOf(file)
  form.append("file", blob, filename)
  return encodedForm(form)
}

/** Fields of a list repeat; objects and booleans are JSON. */
const formOf = async ({ attachments = [], ...fields }: FileBody): Promise<FormData> => {
  const form = new FormData()
  for (const [name, value] of Object.entries<unknown>(fields))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined) form.append(name, typeof item === "string" ? item : JSON.stringify(item))
  for (const attachment of attachments) {
    if (typeof attachment === "string") form.append("attachments", attachment)
    else if (isFile(attachment)) {
      const { filename, blob } = await blobOf(attachment)
      form.append("attachments", blob, filename)
    }
  }
  return form
}

const withoutFile = async (attachment: Attachment): Promise<string | InlineAttachment> => {
  if (!isFile(attachment)) return attachment
  const { filename, blob } = await blobOf(attachment)
  // Bun adds a charset to the types of texts, which the service does not take here.
  const contentType = blob.type.split(";", 1)[0] || "application/octet-stream"
  return { filename, contentType, content: await base64Of(blob) }
}

/**
 * A body whose attachments may be files: JSON without files, else a form. Inline attachments have no place in a form, so
 * files beside them become base64.
 */
export const encodedMessage = async (body: FileBody): Promise<Encoded> => {
  const { attachments = [] } = body
  if (!attachments.some(isFile)) return encodedJson(body)
  if (!attachments.some(isInline)) return encodedForm(await formOf(body))
  return encodedJson({ ...body, attachments: await Promise.all(attachments.map(withoutFile)) })
}
