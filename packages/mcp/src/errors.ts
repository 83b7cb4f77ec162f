/** The errors of tools: results with `isError`, whose text is JSON that names the next step. */
import { ConnectionError, MailroomError, TimeoutError } from "@mailroom/client"
import type { CallToolResult } from "@modelcontextprotocol/server"
import { inLine } from "./fence.js"

export interface ToolError {
  /** what went wrong, for programs: a code of the service, or one of those that begin this file's table */
  readonly code: string
  readonly message: string
  /** whether the same call can succeed later without a change */
  readonly retryable: boolean
  /** seconds to wait before; null when the service names none */
  readonly retryAfter: number | null
  /** the next step */
  readonly hint: string
}

/** An error that a tool finds by itself. */
export class ToolFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string,
  ) {
    super(message)
  }
}

const OWNER = "Only the owner of the account can change this: tell the person you work for."

/** What to do about a mail that the relay did not confirm. */
export const UNCERTAIN =
  "The mail may have been sent: do not send it again. list_messages shows its status later."

const NO_READER =
  "Read the resource mailroom://attachments/{id} for a link to the file, or ask the sender for another format."

/** What to do about each error that a tool can get. Those that pass by themselves need no line. */
const hints: Readonly<Record<string, string | undefined>> = {
  UNAUTHORIZED: "The API key is wrong or revoked. Ask the person you work for to configure a valid one.",
  PERMISSION_DENIED:
    "This key lacks a permission; whoami lists what it has. With `draft` but not `send`, use create_draft. Otherwise ask the owner for another key.",
  SCOPE_FORBIDDEN: "This needs a key of full access. Work with the mailboxes that list_mailboxes shows.",
  PAYMENT_REQUIRED: OWNER,
  TRIAL_RECIPIENT_LOCKED: "In the trial, mail goes to the owner's own address only. " + OWNER,
  INBOUND_LIMIT_EXCEEDED: "The message is stored, and unlocks by an upgrade or next month. " + OWNER,
  INBOUND_TRIAL_LIMIT_EXCEEDED: "The message is stored, and unlocks by an upgrade. " + OWNER,
  ACCOUNT_SUSPENDED: OWNER,
  EMAIL_NOT_VERIFIED:
    "The owner has to open the link in the verification mail first. Reading works meanwhile.",
  SENDING_PAUSED: OWNER,
  SENDING_STOPPED: OWNER,
  MAILBOX_LIMIT_REACHED: "Use a mailbox of list_mailboxes. " + OWNER,
  MAILBOX_NOT_FOUND: "Call list_mailboxes, and pass an id or an address of its result.",
  MAILBOX_NOT_ACTIVE: "Send from another mailbox of list_mailboxes.",
  MESSAGE_NOT_FOUND: "Call list_messages or search_messages: the id must be of a message in this mailbox.",
  THREAD_NOT_FOUND: "Use a threadId of list_messages or get_message, with its mailbox.",
  DRAFT_NOT_FOUND:
    "The draft was sent or deleted, or is in another mailbox. A sent draft is a message of the same id: get_message shows it.",
  DOMAIN_NOT_FOUND: "Leave domainId out: the mailbox then gets an address at the domain of the service.",
  DOMAIN_NOT_VERIFIED: "Leave domainId out, or send from another mailbox. " + OWNER,
  ATTACHMENT_NOT_FOUND: "Use an attachment id of get_message.",
  NO_TEXT: "The file has no text. Read the resource mailroom://attachments/{id} for a link to its bytes.",
  TEXT_ENCRYPTED: "Ask the sender for the password or for another file.",
  TEXT_DAMAGED: NO_READER,
  TEXT_TOO_LARGE: NO_READER,
  TEXT_TOO_SLOW: NO_READER,
  NOBODY_TO_ANSWER: "Use send_message with an address you know.",
  NO_INVITATION: "Use reply_to_message.",
  NOT_A_REQUEST: "Use reply_to_message.",
  NOT_INVITED: "Use reply_to_message.",
  ADDRESS_TAKEN: "Choose another address, or use the existing mailbox: list_mailboxes.",
  CLAIMED: "Another worker has this message. Call claim_message without messageId for the next free one.",
  THREAD_TAKEN_OVER:
    "A person answers this thread now: send nothing into it, and go on with other work. create_draft keeps a proposal for the person.",
  CLAIM_LOST:
    "The lease is over, or the token is another claim's. Call claim_message again before you go on.",
  DRAFT_LIMIT_REACHED: "Send or delete drafts first.",
  RECIPIENT_SUPPRESSED: "Mail to this address bounced or was complained about. Do not try again; " + OWNER,
  RECIPIENT_BLOCKED: OWNER,
  RECIPIENT_NOT_ALLOWED: "Ask the recipient for another address: this one is disposable, or for tests.",
  RELAY_REFUSED:
    "Check the addresses of the recipients, if it names them; otherwise change the mail. " + OWNER,
  SEND_UNCERTAIN: UNCERTAIN,
  SEND_OUTCOME_UNKNOWN: UNCERTAIN,
  IDEMPOTENCY_RESULT_LOST:
    "The mail was sent, and its result is lost: list_messages with direction OUTBOUND shows it.",
  IDEMPOTENCY_KEY_REUSED: "This idempotencyKey belongs to another mail: leave it out, or choose a new one.",
  IDEMPOTENCY_KEY_IN_USE: "The same call is still running. Repeat it to get its result.",
  MAIL_LOOP_CUT: "Stop answering in this thread: two machines answer each other.",
  SIZE_EXCEEDED: "Send less: shorter values, less text, or fewer files.",
  STORAGE_FULL: OWNER,
  MONTHLY_SEND_LIMIT_REACHED: "Nothing is sent from this mailbox until next month. " + OWNER,
  TOO_MANY_WAITS: "Other waits of the account are open. Use list_messages with unread: true instead.",
  VALIDATION_FAILED: "Correct the named fields and call again.",
  CONNECTION: "The service cannot be reached. Repeat the call later, unchanged: a send is not sent twice.",
  NOT_JSON: "Another program answers at the URL of the service: tell the person you work for.",
  REDIRECTED: "The service has another URL: tell the person you work for what the message says.",
  TIMEOUT: "Repeat the call, unchanged: a send is not sent twice.",
}

/** UTF-16 units of a message: it may repeat what the call, or the relay, said. */
const MESSAGE_MAX_CHARS = 1_000

/** A message in one line. */
export const shortMessage = (message: string): string => inLine(message, MESSAGE_MAX_CHARS)

/** The arguments of tools that have another name in the interface of the service. */
const argumentNames: Readonly<Record<string, string>> = {
  bodyText: "text",
  bodyHtml: "html",
  address: "name",
  q: "query",
  timeout: "timeoutSeconds",
  "Idempotency-Key": "idempotencyKey",
}

const inArguments = (text: string): string =>
  text.replaceAll(/\b(?:bodyText|bodyHtml|Idempotency-Key)\b/g, (name) => argumentNames[name] ?? name)

/** The message of an error, in the words of the tools. */
const messageOf = ({ message, issues }: MailroomError): string =>
  issues.length === 0
    ? message
    : issues
        .map(
          ({ path, message: issue }) => `${argumentNames[path] ?? inArguments(path)}: ${inArguments(issue)}`,
        )
        .join("; ")

/** Errors of 429 and 503 that a repetition does not mend. */
const LASTING = new Set(["SEND_UNCERTAIN", "MONTHLY_SEND_LIMIT_REACHED", "MAIL_LOOP_CUT"])

const isRetryable = (error: MailroomError): boolean => {
  const { status = 0, code, retryAfter } = error
  if (LASTING.has(code)) return false
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true
  if (code === "IDEMPOTENCY_KEY_IN_USE") return true
  // Without the end of a lease, the work on the message is done.
  if (code === "CLAIMED") return retryAfter !== undefined
  return status === 408 || status === 429 || status >= 500
}

const hintFor = ({ code, upgrade }: MailroomError, retryable: boolean): string => {
  const hint =
    hints[code] ?? (retryable ? "Wait, then repeat the call unchanged." : "Do not repeat the call unchanged.")
  if (upgrade === undefined) return hint
  return `${hint} ${typeof upgrade === "string" ? upgrade : `A larger plan lifts the limit: ${JSON.stringify(upgrade)}`}`
}

/** A fault of this program. Its message is all that a client could report. */
const faultOf = (error: unknown): ToolError => ({
  code: "TOOL_FAULT",
  message: shortMessage(String(error)),
  retryable: false,
  retryAfter: null,
  hint: "This is a fault of the tool. Try another one, and tell the person you work for.",
})

/** The error as a tool reports it. */
export const toolErrorOf = (error: unknown): ToolError => {
  if (error instanceof ToolFailure) {
    const { code, message, hint } = error
    return { code, message: shortMessage(message), hint, retryable: false, retryAfter: null }
  }
  if (!(error instanceof MailroomError)) return faultOf(error)
  const retryable = isRetryable(error)
  return {
    code: error.code,
    message: shortMessage(messageOf(error)),
    retryable,
    retryAfter: error.retryAfter ?? null,
    hint: hintFor(error, retryable),
  }
}

/**
 * The result of a failed call. It has no structured content, because clients of the 2025 protocols would check that against
 * the output schema of the tool.
 */
export const errorResult = (error: ToolError): CallToolResult => ({
  isError: true,
  content: [{ type: "text", text: JSON.stringify(error) }],
})
