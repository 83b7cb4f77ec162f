/** Settings of a client and of a call. */

/** As the global `fetch`, which is the default. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface MailroomOptions {
  /**
   * an API key, `mr_` and hexadecimal digits; by default the environment variable `MAILROOM_API_KEY`. Signing up needs none. A
   * TypeError for one that no header field can carry
   */
  readonly apiKey?: string | undefined
  /** URL of the service, such as `https://mail.example.com`; by default the environment variable `MAILROOM_URL` */
  readonly baseUrl?: string | undefined
  /**
   * milliseconds until an attempt of a request fails with `TimeoutError`, above 0 and at most 25 days; by default 60,000. A request with a
   * large body gets a second more for each 64 kB, and 300 more at most
   */
  readonly timeout?: number | undefined
  /** how often a request that is safe to repeat is repeated; by default 2 */
  readonly maxRetries?: number | undefined
  /** header fields of every request */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** sends the requests, such as in tests; by default the global `fetch` */
  readonly fetch?: Fetch | undefined
}

export interface RequestOptions {
  /** ends the call, which then fails with the reason of the signal */
  readonly signal?: AbortSignal | undefined
  /** milliseconds until an attempt fails with `TimeoutError`, whatever its size; by default those of the client */
  readonly timeout?: number | undefined
  /** how often the request is repeated if that is safe; by default that of the client */
  readonly maxRetries?: number | undefined
  /**
   * `Idempotency-Key` of a POST: 1 to 256 characters of `A-Z a-z 0-9 - . _ ~`. By default each call makes one, which
   * covers its own repetitions. With a key of your own, a later call with the same body gets the first response again.
   */
  readonly idempotencyKey?: string | undefined
  /** additional header fields */
  readonly headers?: Readonly<Record<string, string>> | undefined
}
