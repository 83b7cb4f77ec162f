/** The content of a mail to send: options, files and the standard input. */
import * as Options from "@effect/cli/Options"
import type { FileUpload } from "@mailroom/client"
import { Effect, Option } from "effect"
import { readFile } from "node:fs/promises"
import { basename, extname } from "node:path"
import { type CliError, usageError } from "./CliError.js"
import { optionalText, texts } from "./options.js"
import { Shell } from "./terminal/Shell.js"

export const contentOptions = {
  text: optionalText("text", "the text, or - for the standard input"),
  html: optionalText("html", "the HTML part, or @ and the path of a file with it"),
  attach: texts("attach", "path of a file to attach"),
  cc: texts("cc", "a recipient of a copy"),
  bcc: texts("bcc", "a recipient of a blind copy"),
  replyTo: optionalText("reply-to", "where replies go"),
  label: texts("label", "a label of the stored message"),
}

/** The options of commands that need a body, which is piped in otherwise. */
export const bodyOptions = {
  ...contentOptions,
  text: optionalText(
    "text",
    "the text, or - for the standard input, which is also read without --text and --html",
  ),
}

export const at = optionalText("at", "when to send it, ISO 8601 with an offset; at most 90 days ahead")

export const idempotencyKey = Options.text("idempotency-key").pipe(
  Options.withDescription("a repeated command with the same key and content sends once"),
  Options.optional,
)

export interface ContentInput {
  readonly text: Option.Option<string>
  readonly html: Option.Option<string>
  readonly attach: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
  readonly bcc: ReadonlyArray<string>
  readonly replyTo: Option.Option<string>
  readonly label: ReadonlyArray<string>
}

/** MIME types of usual files; others are `application/octet-stream`. */
const TYPES: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ".eml": "message/rfc822",
  ".gif": "image/gif",
  ".html": "text/html",
  ".ics": "text/calendar",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".md": "text/markdown",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".webp": "image/webp",
  ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ".xml": "application/xml",
  ".zip": "application/zip",
}

const fileBytes = (path: string): Effect.Effect<Buffer<ArrayBuffer>, CliError> =>
  Effect.tryPromise({
    try: async () => Buffer.from(await readFile(path)),
    catch: (error) =>
      usageError(
        `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
        "Check the path.",
      ),
  })

const upload = (path: string): Effect.Effect<FileUpload, CliError> =>
  Effect.map(fileBytes(path), (content) => ({
    filename: basename(path),
    contentType: TYPES[extname(path).toLowerCase()] ?? "application/octet-stream",
    content,
  }))

const htmlOf = (html: string): Effect.Effect<string, CliError> =>
  html.startsWith("@")
    ? Effect.map(fileBytes(html.slice(1)), (bytes) => bytes.toString("utf8"))
    : Effect.succeed(html)

/** `--text` that stands for the standard input. */
const INPUT = "-"

const inputText = Effect.fnUntraced(function* () {
  const { stdin } = yield* Shell
  const bytes = yield* Effect.promise(() => stdin.read())
  return bytes.length === 0 ? undefined : bytes.toString("utf8")
})

/**
 * The fields of a request that the content makes. The standard input is read only when it is asked for: in a loop over lines it is
 * the rest of the lines.
 */
export const contentFields = Effect.fnUntraced(function* (input: ContentInput) {
  const attachments = yield* Effect.forEach(input.attach, upload)
  const bodyHtml = Option.getOrUndefined(yield* Effect.transposeMapOption(input.html, htmlOf))
  const given = Option.getOrUndefined(input.text)
  return {
    bodyText: given === INPUT ? yield* inputText() : given,
    bodyHtml,
    attachments: attachments.length === 0 ? undefined : attachments,
    cc: input.cc.length === 0 ? undefined : input.cc,
    bcc: input.bcc.length === 0 ? undefined : input.bcc,
    replyTo: Option.getOrUndefined(input.replyTo),
    labels: input.label.length === 0 ? undefined : input.label,
  }
})

/** As `contentFields`, for a mail that needs a body: without one, the standard input if it is not a terminal. */
export const bodyFields = Effect.fnUntraced(function* (input: ContentInput) {
  const { stdin } = yield* Shell
  const isPiped = Option.isNone(input.text) && Option.isNone(input.html) && !stdin.isTerminal
  const fields = yield* contentFields(isPiped ? { ...input, text: Option.some(INPUT) } : input)
  if (fields.bodyText === undefined && fields.bodyHtml === undefined)
    return yield* usageError("The mail has no text.", "Give --text or --html, or pipe the text in.")
  return fields
})
