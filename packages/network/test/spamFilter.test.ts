/** The spam filters: rspamd where it is installed, a recorded exchange with one, and the filter in memory. */
import { describe, expect, it } from "@effect/vitest"
import { GTUBE, MemorySpamFilter, RspamdFilter } from "@mailroom/network"
import { eventually, freePort, rspamdAvailable, rspamdServer } from "@mailroom/test-services"
import { Clock, Effect, Layer } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { listenHttp } from "./servers.js"
import { judged, mailSaying, spamFilterContract } from "./spamFilter.contract.js"

/** What rspamd 3.4 of Debian 12 answered to the two mails of the contract. */
const RECORDED = {
  spam: '{"is_skipped":true,"score":15.0,"required_score":15.0,"action":"reject","symbols":{"GTUBE":{"name":"GTUBE","score":0.0,"metric_score":0.0}},"messages":{"smtp_message":"Gtube pattern"},"message-id":"1@b.example","time_real":0.361373}',
  other:
    '{"is_skipped":false,"score":0.0,"required_score":15.0,"action":"no action","symbols":{},"messages":{},"message-id":"1@b.example","time_real":0.000605}',
}

interface Request {
  readonly path: string
  readonly headers: ReadonlyArray<string>
  readonly body: Buffer
}

/** A server that answers each request; `requests` are those that it got. */
const answering = (answer: (body: string, response: ServerResponse) => void) =>
  Effect.gen(function* () {
    const requests: Array<Request> = []
    const { port } = yield* listenHttp((message: IncomingMessage, response) => {
      const chunks: Array<Buffer> = []
      message.on("data", (chunk: Buffer) => chunks.push(chunk))
      message.on("end", () => {
        const body = Buffer.concat(chunks)
        requests.push({ path: `${message.method} ${message.url}`, headers: message.rawHeaders, body })
        answer(body.toString(), response)
      })
    })
    return { url: `http://127.0.0.1:${port}`, requests }
  })

const answerRecorded = (body: string, response: ServerResponse): void => {
  response.setHeader("content-type", "application/json")
  response.setHeader("connection", "close")
  response.end(body.includes(GTUBE) ? RECORDED.spam : RECORDED.other)
}

const recorded = Layer.unwrapScoped(
  Effect.map(answering(answerRecorded), ({ url }) => RspamdFilter.layer(url)),
)

spamFilterContract("MemorySpamFilter", MemorySpamFilter.layer)
spamFilterContract("RspamdFilter, on a recorded exchange", recorded)

if (rspamdAvailable)
  spamFilterContract(
    "RspamdFilter, on rspamd",
    Layer.unwrapScoped(
      // Waits for rspamd in real time.
      Effect.map(Effect.withClock(rspamdServer, Clock.make()), ({ url }) => RspamdFilter.layer(url)),
    ),
  )

describe("RspamdFilter", () => {
  it.scopedLive("posts the mail unchanged, and the envelope in headers", () =>
    Effect.gen(function* () {
      const { url, requests } = yield* answering(answerRecorded)
      yield* Effect.provide(
        judged("Grüße", { to: ["a@m.example", "b@m.example"], from: "zoë@x.example" }),
        RspamdFilter.layer(`${url}/`),
      )
      const [request] = requests
      expect(request?.path).toBe("POST /checkv2")
      expect(request?.body.equals(mailSaying("Grüße"))).toBe(true)
      const fields = request?.headers.join("|") ?? ""
      const from = Buffer.from("zoë@x.example").toString("latin1")
      expect(fields).toContain(
        `From|${from}|Rcpt|a@m.example|Rcpt|b@m.example|IP|192.0.2.1|Helo|mail.sender.example`,
      )
    }),
  )

  it.scopedLive("names the rules that weigh most first, at most 50", () =>
    Effect.gen(function* () {
      const symbols = Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [`RULE_${index}`, { name: "x", score: index - 30 }]),
      )
      const { url } = yield* answering((_, response) =>
        response.end(JSON.stringify({ score: 7.5, action: "add header", symbols, urls: ["x.example"] })),
      )
      const spam = yield* Effect.provide(judged("Hello"), RspamdFilter.layer(url))
      expect(spam).toMatchObject({ score: 7.5, action: "add header" })
      expect(spam.symbols).toHaveLength(50)
      expect(spam.symbols.slice(0, 3)).toEqual(["RULE_0", "RULE_1", "RULE_59"])
    }),
  )

  it.scopedLive("fails with a line when there is no answer, or none that is a judgement", () =>
    Effect.gen(function* () {
      const reasonAt = (url: string) =>
        Effect.provide(Effect.flip(judged("Hello")), RspamdFilter.layer(url)).pipe(
          Effect.map(({ reason }) => reason),
        )
      const replying = (status: number, text: string) =>
        Effect.map(
          answering((_, response) => {
            response.statusCode = status
            response.end(text)
          }),
          ({ url }) => url,
        )
      expect(yield* reasonAt(`http://127.0.0.1:${yield* freePort}`)).toBe("connection refused")
      expect(yield* reasonAt(yield* replying(403, "{}"))).toBe("it answered with status 403")
      expect(yield* reasonAt(yield* replying(200, "<html>"))).toBe("its answer is no judgement")
      expect(yield* reasonAt(yield* replying(200, "x".repeat(1_000_001)))).toContain("its answer is too long")
    }),
  )

  it.scopedLive.skipIf(!rspamdAvailable)("tells rspamd the envelope", () =>
    Effect.gen(function* () {
      const { url, log } = yield* rspamdServer
      yield* Effect.provide(judged("Hello"), RspamdFilter.layer(url))
      const text = yield* eventually("the log", log, (lines) => lines.includes("rcpts:"))
      expect(text).toMatch(/from: <ada@sender\.example>/)
      expect(text).toMatch(/ip: 192\.0\.2\.1/)
      expect(text).toMatch(/rcpts: <agent@mailroom\.example>/)
    }),
  )
})
