/** The development outbox: what would have been sent (decisions §1, §4). */
import { HttpApiBuilder, HttpServerRequest } from "@effect/platform"
import { timestamp } from "@mailroom/domain"
import { DevelopmentOutbox, MimeParser, Settings } from "@mailroom/engine"
import { Effect, Schema } from "effect"
import { clientAddress, isLoopback } from "../clientAddress.js"
import { HttpSettings } from "../HttpSettings.js"
import { json } from "../json.js"
import { unknownPath } from "../unknownPath.js"

const OutboxQuery = HttpServerRequest.schemaSearchParams(
  Schema.Struct({ to: Schema.optional(Schema.String) }),
)
const SHOWN_MAX = 100

export const developmentOutboxPage = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const outbox = yield* DevelopmentOutbox
    const parser = yield* MimeParser
    const { developmentOutbox, trustProxy } = yield* HttpSettings
    const { baseUrl } = yield* Settings

    /** What would have been sent, newest first; only for clients on this machine. */
    const captured = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!developmentOutbox || !isLoopback(clientAddress(request, trustProxy)))
        return unknownPath(baseUrl, request)
      const { to } = yield* Effect.orDie(OutboxQuery)
      const mails = yield* outbox.list({ to: to?.toLowerCase() ?? null, limit: SHOWN_MAX })
      const shown = yield* Effect.forEach(mails, ({ id, from, to: recipients, raw, at }) =>
        Effect.map(parser.parse(raw), ({ subject, text, html, attachments, headers }) => ({
          id,
          from,
          to: recipients,
          subject,
          text,
          html,
          headers,
          attachments: attachments.map(({ filename, contentType, bytes }) => ({
            filename,
            contentType,
            sizeBytes: bytes.length,
          })),
          capturedAt: timestamp(at),
        })),
      )
      return json({ messages: shown })
    })

    yield* router.get("/dev/outbox", captured)
  }),
)
