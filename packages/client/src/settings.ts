/** The settings of a client, from its options and the environment. */
import type { Fetch, MailroomOptions } from "./options.js"

const DEFAULT_TIMEOUT = 60_000
const DEFAULT_RETRIES = 2

interface Process {
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** An environment variable, in Node, Bun and Deno. Undefined elsewhere, and where Deno does not permit to read it. */
const environment = (name: string): string | undefined => {
  try {
    const process: Process | undefined = Reflect.get(globalThis, "process")
    return process?.env?.[name]
  } catch {
    return undefined
  }
}

/** Whether a key is visible ASCII or empty: a header field cannot carry every other character, and the service reads none. */
export const isSendable = (key: string): boolean => /^[!-~]*$/.test(key)

/**
 * An API key without the white space around it, such as the line end of a file; undefined for an empty one. Throws a TypeError,
 * which does not repeat the key, for one that cannot be sent.
 */
export const checkedKey = (apiKey: string | undefined): string | undefined => {
  const key = apiKey?.trim()
  if (key === undefined || key === "") return undefined
  if (isSendable(key)) return key
  throw new TypeError("`apiKey` has a character that no key has.")
}

/** A timeout in milliseconds. `Infinity` is 25 days (`LONGEST_TIMER`); throws a TypeError for NaN, and for 0 or less. */
export const checkedTimeout = (timeout: number): number => {
  if (timeout > 0) return timeout
  throw new TypeError("`timeout` has to be above 0.")
}

export interface Settings {
  /** without a slash at its end */
  readonly baseUrl: string
  readonly timeout: number
  readonly maxRetries: number
  readonly fetch: Fetch
  /** of every request */
  readonly headers: Readonly<Record<string, string>>
}

export const settingsOf = (options: MailroomOptions): Settings => {
  const baseUrl = options.baseUrl ?? environment("MAILROOM_URL")
  if (baseUrl === undefined || baseUrl === "")
    throw new TypeError("Pass `baseUrl`, the URL of the service, or set MAILROOM_URL.")
  const apiKey = checkedKey(options.apiKey ?? environment("MAILROOM_API_KEY"))
  return {
    baseUrl: baseUrl.replace(/\/+$/, ""),
    timeout: checkedTimeout(options.timeout ?? DEFAULT_TIMEOUT),
    maxRetries: options.maxRetries ?? DEFAULT_RETRIES,
    // Called as a function of nothing: browsers refuse to call `fetch` as a method of another object.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }), ...options.headers },
  }
}
