/** The failure of a command: two lines for the person who typed it, and an exit code for scripts. */
import {
  ConnectionError,
  type Draft,
  MailroomError,
  NotJsonError,
  RedirectedError,
  TimeoutError,
} from "@mailroom/client"
import { Data } from "effect"
import { type ExitCode, exitCodes } from "./exitCodes.js"

export class CliError extends Data.TaggedError("CliError")<{
  readonly exitCode: ExitCode
  /** what went wrong, one line */
  readonly message: string
  /** what to do about it, one line */
  readonly hint: string
  /** the code of the service, such as `MAILBOX_NOT_FOUND`; for programs */
  readonly code?: string
}> {}

export const usageError = (message: string, hint: string): CliError =>
  new CliError({ exitCode: exitCodes.usage, message, hint })

export const failure = (message: string, hint: string): CliError =>
  new CliError({ exitCode: exitCodes.failure, message, hint })

/** Statuses of a service, or of a proxy in front of it, that cannot work now. */
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504])

const exitCodeOf = (error: MailroomError): ExitCode => {
  const { status = 0 } = error
  if ([ConnectionError, NotJsonError, RedirectedError, TimeoutError].some((Class) => error instanceof Class))
    return exitCodes.unreachable
  if (status === 401) return exitCodes.signedOut
  if (status === 404) return exitCodes.nothing
  if (UNAVAILABLE.has(status)) return exitCodes.unreachable
  return status >= 400 && status < 500 ? exitCodes.refused : exitCodes.failure
}

/** What to do about an error of the service that names no way out of its own. */
const hints: Readonly<Record<string, string>> = {
  CONNECTION:
    "Check the URL of the service (MAILROOM_URL, or that of the profile), and that the service runs.",
  NOT_JSON: "Check the URL of the service (MAILROOM_URL, or that of the profile), and what runs there.",
  REDIRECTED: "Change the URL of the service (MAILROOM_URL, or that of the profile).",
  TIMEOUT: "Try again; mailroom doctor shows what is slow or closed.",
  UNAUTHORIZED: "Run mailroom login with a key that is valid, or set MAILROOM_API_KEY.",
  PERMISSION_DENIED: "Use a key with this permission: mailroom keys create makes one.",
  SCOPE_FORBIDDEN: "Use a key with full access, or one for this mailbox.",
  EMAIL_NOT_VERIFIED: "Open the link in the verification mail to the owner of the account.",
  SENDING_PAUSED: "The owner of the account paused all sends, and can resume them.",
  SENDING_STOPPED: "Find out why mail bounced; then resume sending of this mailbox.",
  RECIPIENT_NOT_ALLOWED:
    "Test domains, such as example.org, and disposable addresses get no mail. With mailroom dev, write to delivered@simulator.mailroom.localhost.",
  RECIPIENT_SUPPRESSED: "Do not write to this address: it bounced, complained or unsubscribed.",
  DIGEST_MISMATCH: "The draft changed. Look at it again: mailroom reviews show.",
  MAILBOX_NOT_FOUND: "mailroom mailboxes list shows the mailboxes of this key.",
  MESSAGE_NOT_FOUND: "mailroom inbox shows the messages; --mailbox chooses where to look.",
  DRAFT_NOT_FOUND: "mailroom drafts list shows the drafts. One that was sent is a message with the same id.",
  SEND_UNCERTAIN: "Do not send it again: it may have been sent. The message with status UNKNOWN tells later.",
  SEND_OUTCOME_UNKNOWN: "Do not send it again: it may have been sent.",
  ENDPOINT_NOT_FOUND: "This service does not have this function; it may be older than the command.",
}

/** Fields of requests that have another name on the command line. */
const optionNames: Readonly<Record<string, string | undefined>> = {
  "Idempotency-Key": "--idempotency-key",
  attachments: "--attach",
  bcc: "--bcc",
  bodyHtml: "--html",
  bodyText: "--text",
  cc: "--cc",
  clientId: "--client-id",
  from: "--from",
  label: "--label",
  labels: "--label",
  q: "query",
  replyTo: "--reply-to",
  sendAt: "--at",
  subject: "--subject",
  to: "--to",
}

/** The name of a field on the command line: `to.1` is the second `--to`. */
const fieldName = (path: string): string => {
  const [field = "", index = ""] = path.split(".")
  const option = optionNames[field]
  if (option === undefined) return path
  return Number(index) > 0 ? `${option} number ${Number(index) + 1}` : option
}

/** The message of an error, with the fields in the words of the command line. */
const messageOf = ({ message, issues }: MailroomError): string =>
  issues.length === 0
    ? message
    : issues
        .map((issue) => (issue.path === "" ? issue.message : `${fieldName(issue.path)}: ${issue.message}`))
        .join("; ")

const otherRefusal = (what: "request" | "draft", code: string): string =>
  `Change the ${what}; the code of the refusal is ${code}.`

const hintOf = (error: MailroomError): string => {
  const { code, upgrade, retryAfter } = error
  if (upgrade !== undefined) return typeof upgrade === "string" ? upgrade : upgrade.hint
  if (retryAfter !== undefined) return `Try again in ${retryAfter} s.`
  const hint = hints[code]
  if (hint !== undefined) return hint
  const exitCode = exitCodeOf(error)
  if (exitCode === exitCodes.unreachable) return "Try again in a moment."
  if (exitCode === exitCodes.nothing) return "Check the id, and the mailbox."
  return exitCode === exitCodes.refused
    ? otherRefusal("request", code)
    : "Try again; if it stays, ask the operator of the service."
}

/** The error of a draft that is FAILED: a check refused its send. */
export const refusedDraft = ({ id, error }: Draft): CliError => {
  const { code, message } = error ?? { code: "FAILED", message: "its send was refused" }
  return new CliError({
    exitCode: exitCodes.refused,
    message: `Draft ${id} was not sent: ${message}`,
    hint: hints[code] ?? otherRefusal("draft", code),
    code,
  })
}

/** The error of a call. Anything that the client does not document is a fault of the program. */
export const cliError = (error: unknown): CliError => {
  if (error instanceof CliError) return error
  if (error instanceof MailroomError)
    return new CliError({
      exitCode: exitCodeOf(error),
      message: messageOf(error),
      hint: hintOf(error),
      code: error.code,
    })
  if (error instanceof Error && "syscall" in error)
    return failure(error.message, "Check the path, its rights, and the space on the disk.")
  return failure(
    error instanceof Error ? error.message : String(error),
    "This looks like a fault of the program: please report it, with the command.",
  )
}
