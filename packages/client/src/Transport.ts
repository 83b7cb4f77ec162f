/** Sends the requests of a client: addresses, header fields, deadlines, repetitions. */
import { type Call, callOf, type WithResponse } from "./Call.js"
import { errorOf, objectIn, requestIdOf } from "./errorOf.js"
import { type Encoded, encodedJson, encodedMessage } from "./files.js"
import { operations, type OperationName } from "./generated/operations.js"
import {
  ConnectionError,
  MailroomError,
  NotJsonError,
  RedirectedError,
  TimeoutError,
} from "./MailroomError.js"
import { withOpenBody } from "./openBody.js"
import type { Operation } from "./Operation.js"
import type { MailroomOptions, RequestOptions } from "./options.js"
import { type List, listOf, pageOf } from "./Page.js"
import { followsRedirects, isRedirect, redirectMessage } from "./redirects.js"
import { delayBefore, isRepeated, LONGEST_TIMER, sleep } from "./retrying.js"
import { checkedTimeout, type Settings, settingsOf } from "./settings.js"

type QueryValue = string | number | boolean | Date | ReadonlyArray<string> | undefined

/** What a call sends beside the ids in its path. */
export interface Input {
  readonly query?: { readonly [name: string]: QueryValue } | object | undefined
  readonly body?: object | undefined
  /** the body, when it is not JSON */
  readonly encoded?: () => Promise<Encoded>
}

const queryText = (value: Exclude<QueryValue, undefined>): string => {
  if (value instanceof Date) return value.toISOString()
  return typeof value === "object" ? value.join(",") : String(value)
}

const searchOf = (query: object | undefined): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries<QueryValue>({ ...query }))
    if (value !== undefined) search.append(name, queryText(value))
  const text = search.toString()
  return text === "" ? "" : `?${text}`
}

/** Texts that are no id: an empty one, and segments that a URL resolves, so that another operation would be called. */
const NO_IDS: ReadonlySet<string> = new Set(["", ".", ".."])

/** The path with the ids in the places of its parameters, in their order. */
const pathOf = (path: string, ids: ReadonlyArray<string>): string => {
  let next = 0
  return path.replaceAll(/\{\w+\}/g, (parameter) => {
    const id = ids[next++] ?? ""
    if (NO_IDS.has(id)) throw new TypeError(`${path} needs a value for ${parameter}.`)
    return encodeURIComponent(id)
  })
}

/** A key that nobody else makes. Unlike `randomUUID`, it is also there in pages without TLS. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  )

/** A request that is ready to be sent, and sent again. */
interface Prepared {
  readonly url: string
  readonly init: RequestInit
  /** whether the service does its work once, however often the request comes */
  readonly isSafe: boolean
}

/** How a response becomes a result. */
interface Reading<T> {
  readonly read: (response: Response) => Promise<T>
  /** whether the body is still open when the call ends: then the signal of the call ends it, too */
  readonly staysOpen?: boolean
}

/** What is read of a page beside its items. */
interface Metadata {
  readonly hasMore?: boolean
  readonly nextCursor?: string
  readonly nextAfter?: string
}

/** The part of the query that asks for the next page; undefined on the last page. */
const nextQuery = ({ hasMore, nextCursor, nextAfter }: Metadata): object | undefined => {
  if (hasMore !== true) return undefined
  if (nextCursor !== undefined) return { cursor: nextCursor, offset: undefined }
  return nextAfter === undefined ? undefined : { after: nextAfter }
}

/** The JSON of a success, which every answer of the service is. */
const jsonOf = async (response: Response, baseUrl: string) => {
  const body = objectIn(await response.text())
  if (body === undefined) throw new NotJsonError(baseUrl, response)
  return body
}

/** Why a connection failed. `fetch` of Node has the reason, such as ECONNREFUSED, in the cause of its error. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  // The error of a name with several addresses has a code alone.
  return error.message === "" && "code" in error ? String(error.code) : error.message
}

/** Bytes of a second that the service wants of a body, on average (packages/http/src/bodies/limits.ts). */
const BODY_MIN_RATE = 64 * 1024

/** Milliseconds after which the service ends a request that is still coming. */
const LONGEST_UPLOAD = 300_000

/** Milliseconds that the service gives a body of a request. */
const uploadTime = (body: RequestInit["body"]): number => {
  const bytes = body instanceof Blob ? body.size : typeof body === "string" ? body.length : 0
  return Math.min(Math.floor(bytes / BODY_MIN_RATE) * 1000, LONGEST_UPLOAD)
}

export class Transport {
  readonly timeout: number
  readonly maxRetries: number
  readonly #settings: Settings

  constructor(options: MailroomOptions) {
    this.#settings = settingsOf(options)
    this.timeout = this.#settings.timeout
    this.maxRetries = this.#settings.maxRetries
  }

  /** A call whose result is JSON. */
  call<T>(name: OperationName, ids: ReadonlyArray<string>, input: Input, options?: RequestOptions): Call<T> {
    const { field }: Operation = operations[name]
    return callOf(
      this.#request(name, ids, input, options, {
        read: async (response) => {
          const body = await jsonOf(response, this.#settings.baseUrl)
          return field === undefined ? body : body[field]
        },
      }),
    )
  }

  /** A call whose result is the response, with its body unread. The timeout ends with its head, the signal with its body. */
  bytes(
    name: OperationName,
    ids: ReadonlyArray<string>,
    input: Input,
    options?: RequestOptions,
  ): Call<Response> {
    const read = (response: Response) => Promise.resolve(response)
    return callOf(this.#request(name, ids, input, options, { read, staysOpen: true }))
  }

  /** A call whose result is a page of a list. */
  list<Item, Body>(
    name: OperationName,
    ids: ReadonlyArray<string>,
    input: Input,
    options?: RequestOptions,
  ): List<Item, Body> {
    const { items = "" }: Operation = operations[name]
    const read = async (response: Response) => {
      const body = await jsonOf(response, this.#settings.baseUrl)
      const more = nextQuery(body.metadata ?? {})
      const next =
        more && (() => this.list<Item, Body>(name, ids, { query: { ...input.query, ...more } }, options))
      return pageOf<Item, Body>(body[items], body, next)
    }
    return listOf(this.#request(name, ids, input, options, { read }))
  }

  async #prepared(
    name: OperationName,
    ids: ReadonlyArray<string>,
    { query, body, encoded }: Input,
    options: RequestOptions,
  ): Promise<Prepared> {
    const { method, path, idempotent = false, files = false }: Operation = operations[name]
    const content = await (encoded?.() ??
      (body === undefined ? undefined : files ? encodedMessage(body) : encodedJson(body)))
    return {
      url: `${this.#settings.baseUrl}${pathOf(path, ids)}${searchOf(query)}`,
      isSafe: method === "GET" || idempotent,
      init: {
        method,
        redirect: followsRedirects(path) ? "follow" : "manual",
        headers: {
          ...this.#settings.headers,
          ...(content !== undefined && { "content-type": content.contentType }),
          ...(idempotent && { "idempotency-key": options.idempotencyKey ?? newKey() }),
          ...options.headers,
        },
        ...(content !== undefined && { body: content.content }),
      },
    }
  }

  /** Sends a request until it succeeds, fails for good, or has been repeated often enough. */
  async #request<T>(
    name: OperationName,
    ids: ReadonlyArray<string>,
    input: Input,
    options: RequestOptions = {},
    reading: Reading<T>,
  ): Promise<WithResponse<T>> {
    const { signal, maxRetries = this.maxRetries } = options
    const given = options.timeout === undefined ? undefined : checkedTimeout(options.timeout)
    const { url, init, isSafe } = await this.#prepared(name, ids, input, options)
    const timeout = given ?? this.timeout + uploadTime(init.body)
    for (let attempt = 0; ; attempt++)
      try {
        return await this.#attempt(url, init, { signal, timeout }, reading)
      } catch (error) {
        if (!isSafe || attempt >= maxRetries || !isRepeated(error)) throw error
        await sleep(delayBefore(attempt, error), signal)
      }
  }

  async #redirected(url: string, { status, headers, body }: Response): Promise<RedirectedError> {
    await body?.cancel()
    const { baseUrl } = this.#settings
    return new RedirectedError(redirectMessage(baseUrl, url, headers.get("location")), status)
  }

  /** Sends a request once. Fails with a MailroomError, or with the reason of the signal. */
  async #attempt<T>(
    url: string,
    init: RequestInit,
    { signal, timeout }: { readonly signal: AbortSignal | undefined; readonly timeout: number },
    { read, staysOpen = false }: Reading<T>,
  ): Promise<WithResponse<T>> {
    signal?.throwIfAborted()
    const controller = new AbortController()
    const aborted = () => controller.abort(signal?.reason)
    signal?.addEventListener("abort", aborted, { once: true })
    const release = () => signal?.removeEventListener("abort", aborted)
    const timer = setTimeout(
      () => controller.abort(new TimeoutError(timeout)),
      Math.min(timeout, LONGEST_TIMER),
    )
    const failureOf = (error: unknown): unknown => {
      if (error instanceof MailroomError) return error
      // Some runtimes fail with an error of their own instead of the reason.
      if (controller.signal.aborted) return controller.signal.reason
      const message = `The service at ${this.#settings.baseUrl} cannot be reached (${reasonOf(error)}).`
      return new ConnectionError(message, error)
    }
    let isOpen = false
    try {
      const answer = await this.#settings.fetch(url, { ...init, signal: controller.signal })
      if (init.redirect === "manual" && isRedirect(answer.status)) throw await this.#redirected(url, answer)
      if (!answer.ok) throw await errorOf(answer)
      const response = staysOpen ? withOpenBody(answer, release, failureOf) : answer
      const data = await read(response)
      isOpen = staysOpen
      return { data, response, requestId: requestIdOf(response) }
    } catch (error) {
      throw failureOf(error)
    } finally {
      clearTimeout(timer)
      if (!isOpen) release()
    }
  }
}
