/** Makes the error of a response. */
import { codeClasses, statusClasses } from "./generated/errors.js"
import { type Issue, MailroomError } from "./MailroomError.js"
import type { Upgrade } from "./generated/types.js"

type ErrorClass = typeof MailroomError

const codes: Readonly<Record<string, ErrorClass | undefined>> = codeClasses
const statuses: Readonly<Record<number, ErrorClass | undefined>> = statusClasses

/** What is read of a body; a proxy's may be anything. */
interface Body {
  readonly error?: unknown
  readonly code?: unknown
  readonly upgrade?: string | Upgrade
  readonly issues?: ReadonlyArray<Issue>
}

/** The object that a JSON text is; undefined for any other text. */
export const objectIn = (text: string) => {
  try {
    const body = JSON.parse(text)
    return typeof body === "object" && body !== null ? body : undefined
  } catch {
    return undefined
  }
}

/** Seconds of a `Retry-After`, which is a number of seconds or a date. */
const secondsOf = (header: string | null): number | undefined => {
  if (header === null) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

export const requestIdOf = ({ headers }: Response): string | undefined =>
  headers.get("x-request-id") ?? undefined

/** The error of a response that is not a success. Reads its body. */
export const errorOf = async (response: Response): Promise<MailroomError> => {
  const { status, statusText, headers } = response
  const body: Body | undefined = objectIn(await response.text())
  const code = typeof body?.code === "string" ? body.code : `HTTP_${status}`
  const message = typeof body?.error === "string" ? body.error : `${status} ${statusText}`.trim()
  const ofStatus = statuses[status] ?? (status >= 500 ? statusClasses[500] : MailroomError)
  const Class = (Object.hasOwn(codes, code) ? codes[code] : undefined) ?? ofStatus
  return new Class(message, {
    status,
    code,
    requestId: requestIdOf(response),
    retryAfter: secondsOf(headers.get("retry-after")),
    upgrade: body?.upgrade,
    issues: body?.issues ?? [],
    body,
  })
}
