/** The errors of calls. Each code of the service has a class, in `generated/errors.ts`. */
import type { Upgrade } from "./generated/types.js"

/** A field of a request that is wrong. */
export interface Issue {
  /** the field, such as `attachments.0.filename` */
  readonly path: string
  readonly message: string
  /** where in the text of the field, in characters from its start; only for a search query */
  readonly position?: number | undefined
}

/** What every error body has. */
export interface ErrorBody {
  /** what went wrong, for people */
  readonly error: string
  /** what went wrong, for programs; stable */
  readonly code: string
}

export interface ErrorFields {
  readonly code: string
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly retryAfter?: number | undefined
  readonly upgrade?: string | Upgrade | undefined
  readonly issues?: ReadonlyArray<Issue>
  readonly body?: unknown
  readonly cause?: unknown
}

/** `MAILBOX_NOT_FOUND` becomes `MailboxNotFoundError`. */
const nameOf = (code: string): string =>
  `${code.toLowerCase().replaceAll(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())}Error`

/** Every error of a call, except for the reason of an aborted signal. */
export class MailroomError extends Error {
  /** HTTP status; undefined without a response */
  declare readonly status: number | undefined
  /** what went wrong, for programs: a code of the service, or `CONNECTION`, `TIMEOUT`, `NOT_JSON`, `REDIRECTED`, `HTTP_502` … */
  declare readonly code: string
  /** `X-Request-Id` of the response, if a proxy in front of the service sets one */
  declare readonly requestId: string | undefined
  /** seconds to wait before the next attempt; undefined if the service names none */
  declare readonly retryAfter: number | undefined
  /** how to lift the limit, if a larger plan would: a hint, or links for the owner */
  declare readonly upgrade: string | Upgrade | undefined
  /** every field that is wrong; empty unless the code is VALIDATION_FAILED */
  declare readonly issues: ReadonlyArray<Issue>
  /** the JSON of the response; undefined without one */
  declare readonly body: unknown

  constructor(message: string, { cause, ...fields }: ErrorFields) {
    super(message, cause === undefined ? undefined : { cause })
    Object.assign(this, { status: undefined, issues: [], name: nameOf(fields.code) }, fields)
  }
}

/** The service could not be reached, or the connection broke. `cause` is the error of `fetch`. */
export class ConnectionError extends MailroomError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: "CONNECTION", cause })
  }
}

/** The service did not answer in time. */
export class TimeoutError extends MailroomError {
  constructor(milliseconds: number) {
    super(`The service did not answer within ${milliseconds} ms.`, { code: "TIMEOUT" })
  }
}

/** A success that is not JSON, so not of the service: another program, or a proxy, answers at the URL. Not repeated. */
export class NotJsonError extends MailroomError {
  constructor(baseUrl: string, { status, headers }: Response) {
    super(`${baseUrl} answers with ${headers.get("content-type")}, not JSON.`, { code: "NOT_JSON", status })
  }
}

/** The service answers with a redirect: it is at another URL. The request was not done, and is not repeated. */
export class RedirectedError extends MailroomError {
  constructor(message: string, status: number) {
    super(message, { code: "REDIRECTED", status: status === 0 ? undefined : status })
  }
}

/** A webhook request that the service did not sign with the secret, or not within the last five minutes. */
export class WebhookVerificationError extends MailroomError {
  constructor(message: string) {
    super(message, { code: "WEBHOOK_VERIFICATION" })
  }
}
