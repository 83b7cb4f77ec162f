/** An OpenTelemetry collector that keeps the spans it is sent (OTLP over HTTP, JSON). */
import { eventually } from "@mailroom/test-services"
import { Effect, Schema, type Scope } from "effect"
import { createServer } from "node:http"
import { listenLocally } from "./listening.js"

const Attribute = Schema.Struct({ key: Schema.String, value: Schema.Unknown })

export const Span = Schema.Struct({
  traceId: Schema.String,
  spanId: Schema.String,
  parentSpanId: Schema.optional(Schema.String),
  name: Schema.String,
  attributes: Schema.Array(Attribute),
})
export type Span = typeof Span.Type

const Traces = Schema.parseJson(
  Schema.Struct({
    resourceSpans: Schema.Array(
      Schema.Struct({ scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Span) })) }),
    ),
  }),
)

export interface TraceCollector {
  readonly url: string
  /** Everything that was sent, as text. */
  readonly text: () => string
  /** The spans so far, once one of this name is among them. */
  readonly withSpan: (name: string) => Effect.Effect<ReadonlyArray<Span>>
}

export const traceCollector: Effect.Effect<TraceCollector, never, Scope.Scope> = Effect.gen(function* () {
  const spans: Array<Span> = []
  let text = ""
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString()
      text += body
      if (request.url === "/v1/traces")
        for (const { scopeSpans } of Schema.decodeUnknownSync(Traces)(body).resourceSpans)
          spans.push(...scopeSpans.flatMap((scope) => scope.spans))
      response.writeHead(200).end("{}")
    })
  })
  const port = yield* listenLocally(server)
  return {
    url: `http://127.0.0.1:${port}`,
    text: () => text,
    withSpan: (name) =>
      eventually(
        `a span ${name} is exported`,
        Effect.sync(() => spans),
        (all) => all.some((span) => span.name === name),
      ),
  }
})
