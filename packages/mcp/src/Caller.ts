/** For whom a server works: the key that each request to the service carries, and the way to the service. */
import { type Fetch, Mailroom } from "@mailroom/client"

export interface Caller {
  readonly apiKey: string
  readonly baseUrl: string
  /** sends the requests; by default the global `fetch` */
  readonly fetch?: Fetch
}

/** A client that repeats nothing: the model gets an error at once, with the time to wait, and decides. */
export const clientOf = ({ apiKey, baseUrl, fetch }: Caller): Mailroom =>
  new Mailroom({ apiKey, baseUrl, fetch, maxRetries: 0 })
