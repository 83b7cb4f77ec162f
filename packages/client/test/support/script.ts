/** A `fetch` with prepared answers, which notes what it was asked. */
import { type Fetch, Mailroom, type MailroomOptions } from "@mailroom/client"

export interface Asked {
  readonly method: string
  /** path and query */
  readonly path: string
  readonly headers: Headers
  readonly body: unknown
  readonly init: RequestInit
}

type Answer = Response | Error | ((asked: Asked, signal: AbortSignal) => Response | Promise<Response>)

/** An error of the service. */
export const failure = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  Response.json({ error: `It is ${code}`, code }, { status, headers })

/** An answer that never comes: it fails when the request is aborted, as that of `fetch` does. */
export const silence = (_: Asked, signal: AbortSignal): Promise<Response> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))

/** Answers the requests in this order; more of them fail the test. */
export const scripted = (answers: ReadonlyArray<Answer>) => {
  const asked: Array<Asked> = []
  const fetch: Fetch = async (url, init) => {
    const { method = "GET", headers, body = null, signal } = init
    const { pathname, search } = new URL(url)
    const request = {
      method,
      path: `${pathname}${search}`,
      headers: new Headers(headers),
      body: body ?? null,
      init,
    }
    const answer = answers[asked.length]
    asked.push(request)
    if (answer === undefined) throw new Error(`No answer is prepared for ${method} ${url}`)
    if (answer instanceof Error) throw answer
    return typeof answer === "function" ? answer(request, signal ?? new AbortController().signal) : answer
  }
  return { fetch, asked }
}

/** A client of prepared answers. */
export const scriptedClient = (answers: ReadonlyArray<Answer>, options: MailroomOptions = {}) => {
  const { fetch, asked } = scripted(answers)
  return {
    mailroom: new Mailroom({ baseUrl: "https://mail.test/", apiKey: "mr_key", fetch, ...options }),
    asked,
  }
}
