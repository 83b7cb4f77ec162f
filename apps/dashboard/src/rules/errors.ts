/** Errors of the service in words for people: what happened, and what to do. */
import { ConnectionError, MailroomError, TimeoutError } from "@mailroom/client"

export interface ErrorWords {
  readonly title: string
  readonly text: string
  /** whether the same again may succeed */
  readonly mayRetry: boolean
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const waitText = (seconds: number): string => {
  if (seconds < 90) return "Try again in a minute."
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? `Try again in ${minutes} minutes.` : `Try again in ${Math.round(minutes / 60)} hours.`
}

export const errorWords = (error: unknown): ErrorWords => {
  if (error instanceof ConnectionError)
    return {
      title: "Mailroom cannot be reached",
      text: "Check your connection, then try again.",
      mayRetry: true,
    }
  if (error instanceof TimeoutError)
    return { title: "The service took too long", text: "Try again in a moment.", mayRetry: true }
  if (!(error instanceof MailroomError))
    return {
      title: "This page has a fault",
      text: "Load it again. If that does not help, tell the operator.",
      mayRetry: true,
    }
  const { status = 0, message, retryAfter, issues } = error
  if (status >= 500)
    return {
      title: "The service has a problem",
      text: `${sentence(message)} Your data is safe.`,
      mayRetry: true,
    }
  if (status === 429)
    return {
      title: "That is a limit",
      text: `${sentence(message)}${retryAfter === undefined ? "" : ` ${waitText(retryAfter)}`}`,
      mayRetry: true,
    }
  if (status === 404)
    return { title: "Not found", text: `${sentence(message)} It may have been deleted.`, mayRetry: false }
  const [issue] = issues
  const detail =
    issue === undefined ? message : `${issue.path === "" ? "" : `${issue.path}: `}${issue.message}`
  return { title: "That did not work", text: sentence(detail), mayRetry: false }
}

/** What is wrong with a field, as the service says it; undefined when nothing is. A field that is a list gathers its items. */
export const issueOf = (error: unknown, field: string): string | undefined => {
  if (!(error instanceof MailroomError)) return undefined
  const issue = error.issues.find(({ path }) => path === field || path.startsWith(`${field}.`))
  return issue && sentence(issue.message.charAt(0).toUpperCase() + issue.message.slice(1))
}
