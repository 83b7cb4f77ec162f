/** Messages: the methods of the contract, waiting for as long as one likes, and the import of raw mail. */
import { type Call, callOf, type WithResponse } from "../Call.js"
import { type RawMail, rawMailOf } from "../files.js"
import { MessagesMethods } from "../generated/methods.js"
import type {
  Message,
  MessagesImportQuery,
  MessagesWaitAnyQuery,
  MessagesWaitQuery,
  WaitAnswer,
} from "../generated/types.js"
import type { RequestOptions } from "../options.js"
import { isPassing, sleep, unlimitedDelayBefore } from "../retrying.js"

/** Seconds that one request waits at most. */
const LONGEST_REQUEST = 55

/** Seconds of a wait without a `timeout`. */
const DEFAULT_TIMEOUT = 30

type Wait = (query: MessagesWaitQuery, options: RequestOptions) => Call<WaitAnswer>

export class Messages extends MessagesMethods {
  /**
   * Wait for a message in a mailbox. Answers with the oldest message that matches, in the order in which messages became
   * visible: with one that is there already, or with the next one. Begins at `since`, at `after`, or now. `timeout` is in
   * seconds and may be longer than 55, by default 30: the wait then takes several requests, and misses nothing between them. Once it
   * has begun, it goes on after each outage, unless `maxRetries` is 0, and fails when the time is over during one. `message` is null when
   * the time was over first.
   */
  wait(mailboxId: string, query: MessagesWaitQuery = {}, options: RequestOptions = {}): Call<WaitAnswer> {
    return this.#chained(query, options, (part, partOptions) =>
      this.transport.call("messages.wait", [mailboxId], { query: part }, partOptions),
    )
  }

  /** Wait for a message in any mailbox that the key may read. As `wait` otherwise. */
  waitAny(query: MessagesWaitAnyQuery = {}, options: RequestOptions = {}): Call<WaitAnswer> {
    return this.#chained(query, options, (part, partOptions) =>
      this.transport.call("messages.waitAny", [], { query: part }, partOptions),
    )
  }

  /**
   * Import an old mail, such as one from an archive. `mail` is the raw mail (RFC 5322), at most 40 MB; a stream is read into memory
   * first. The status of the response is 201, or 200 when the mailbox had the mail already, so an import can be repeated.
   */
  import(
    mailboxId: string,
    mail: RawMail,
    query: MessagesImportQuery = {},
    options?: RequestOptions,
  ): Call<Message> {
    const encoded = async () => ({ content: await rawMailOf(mail), contentType: "message/rfc822" })
    return this.transport.call("messages.import", [mailboxId], { query, encoded }, options)
  }

  #chained(query: MessagesWaitQuery, options: RequestOptions, wait: Wait): Call<WaitAnswer> {
    const { timeout: patience = this.transport.timeout, maxRetries = this.transport.maxRetries } = options
    const step = (seconds: number, after: string | undefined): Promise<WithResponse<WaitAnswer>> =>
      wait(
        { ...query, ...(after !== undefined && { after, since: undefined }), timeout: seconds },
        { ...options, timeout: seconds * 1000 + patience },
      ).withResponse()

    const all = async (): Promise<WithResponse<WaitAnswer>> => {
      const { timeout = DEFAULT_TIMEOUT } = query
      const end = Date.now() + timeout * 1000
      // Asks where "now" is, so that a request that is repeated after a broken connection begins at the same place.
      let answer = await step(0, query.after)
      let failures = 0
      for (;;) {
        const left = Math.ceil((end - Date.now()) / 1000)
        if (!answer.data.timedOut || left <= 0) return answer
        try {
          answer = await step(Math.min(left, LONGEST_REQUEST), answer.data.after)
          failures = 0
        } catch (error) {
          const delay = unlimitedDelayBefore(failures++, error)
          if (maxRetries === 0 || !isPassing(error) || Date.now() + delay >= end) throw error
          await sleep(delay, options.signal)
        }
      }
    }
    return callOf(all())
  }
}
