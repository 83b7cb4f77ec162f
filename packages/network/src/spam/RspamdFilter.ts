/** rspamd as spam filter: `POST /checkv2` of its normal worker (https://rspamd.com/doc/developers/protocol.html). */
import type { Spam } from "@mailroom/domain"
import { type Envelope, SpamFilter, SpamFilterFailed } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import type { Pool } from "undici"
import { reasonOf } from "../webhooks/reasons.js"

/** Connections to rspamd. It closes each after its answer. */
const CONNECTIONS = 8
/** Milliseconds until a connection is open. */
const CONNECT_WITHIN = 2_000
/** Bytes of an answer. An ordinary one has some kilobytes. */
const ANSWER_MAX = 1_000_000
/** Names of rules that a message keeps, and characters of a name. */
const SYMBOLS_MAX = 50
const SYMBOL_MAX_LENGTH = 100
/** Recipients that rspamd is told. */
const RECIPIENTS_MAX = 50

const Answer = Schema.parseJson(
  Schema.Struct({
    score: Schema.Number,
    action: Schema.String,
    symbols: Schema.optionalWith(
      Schema.Record({ key: Schema.String, value: Schema.Struct({ score: Schema.Number }) }),
      { default: () => ({}) },
    ),
  }),
)

const decodeAnswer = Schema.decodeUnknown(Answer)

const spamOf = ({ score, action, symbols }: typeof Answer.Type): Spam => ({
  score,
  action,
  symbols: Object.entries(symbols)
    .sort(([, one], [, other]) => Math.abs(other.score) - Math.abs(one.score))
    .slice(0, SYMBOLS_MAX)
    .map(([name]) => name.slice(0, SYMBOL_MAX_LENGTH)),
})

/** A value for a header field: UTF-8 bytes (SMTPUTF8), without control characters. */
const fieldValue = (text: string): string =>
  Buffer.from(text.replace(/\p{Cc}/gu, ""), "utf8").toString("latin1")

/** The envelope as header fields, name and value alternating. A mail from inside has no client. */
const fieldsOf = ({ from, to, remoteAddress, helo }: Envelope): Array<string> => [
  "From",
  fieldValue(from),
  ...to.slice(0, RECIPIENTS_MAX).flatMap((recipient) => ["Rcpt", fieldValue(recipient)]),
  ...(remoteAddress === "" ? [] : ["IP", remoteAddress]),
  "Helo",
  fieldValue(helo),
]

const failed = (reason: string) => new SpamFilterFailed({ reason })

/** Posts a mail, and returns the text of the answer. Interruption aborts the request. */
const post = (pool: Pool, path: string, raw: Uint8Array, envelope: Envelope) =>
  Effect.tryPromise({
    try: async (signal) => {
      const { statusCode, body } = await pool.request({
        path,
        method: "POST",
        headers: fieldsOf(envelope),
        body: raw,
        signal,
      })
      const chunks: Array<Buffer> = []
      let length = 0
      for await (const chunk of body) {
        const bytes = Buffer.from(chunk)
        length += bytes.length
        if (length > ANSWER_MAX) throw new Error("its answer is too long")
        chunks.push(bytes)
      }
      return { statusCode, text: Buffer.concat(chunks).toString() }
    },
    catch: (error) => failed(reasonOf(error)),
  })

export const RspamdFilter = {
  /** `url`: the address of a normal worker, `http://host:11333`. */
  layer: (url: string): Layer.Layer<SpamFilter> =>
    Layer.scoped(
      SpamFilter,
      Effect.gen(function* () {
        const { origin, pathname } = new URL(url)
        const { Pool } = yield* Effect.promise(() => import("../undiciPool.js"))
        const pool = yield* Effect.acquireRelease(
          Effect.sync(
            () =>
              new Pool(origin, {
                connections: CONNECTIONS,
                pipelining: 1,
                // 0: no timeouts, because the caller has a deadline.
                headersTimeout: 0,
                bodyTimeout: 0,
                connect: { timeout: CONNECT_WITHIN },
              }),
          ),
          (open) => Effect.promise(() => open.destroy()),
        )
        const path = `${pathname.replace(/\/$/, "")}/checkv2`
        return {
          judge: Effect.fn("SpamFilter.judge")(function* (raw: Uint8Array, envelope: Envelope) {
            const { statusCode, text } = yield* post(pool, path, raw, envelope)
            if (statusCode !== 200) return yield* failed(`it answered with status ${statusCode}`)
            return spamOf(
              yield* Effect.mapError(decodeAnswer(text), () => failed("its answer is no judgement")),
            )
          }),
        }
      }),
    ),
}
