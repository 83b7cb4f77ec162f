/** `/dev/outbox`: the mail that OUTBOUND_URL=capture: keeps instead of sending it (spec: decisions.pages.outbox). */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { InvalidInput, issuesOf, timestamp } from "@mailroom/domain"
import { DevelopmentOutbox, MimeParser, Settings } from "@mailroom/engine"
import { Array, Effect, Schema } from "effect"
import { ErrorResponses } from "../errors.js"
import { isLocalClient } from "../requests.js"
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
    const { answer } = yield* ErrorResponses

    /** The newest mails, for clients on this machine only (spec: decisions.pages.outbox-loopback). */
    const captured = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!developmentOutbox || !isLocalClient(request, trustProxy, baseUrl))
        return unknownPath(baseUrl, request)
      const { to } = yield* Effect.mapError(
        OutboxQuery,
        ({ issue }) => new InvalidInput({ issues: issuesOf(issue) }),
      )
      const mails = yield* outbox.list({ to: to?.toLowerCase() ?? null, limit: SHOWN_MAX })
      const parsed = yield* parser.parse(mails.map(({ raw }) => raw))
      const shown = Array.zipWith(mails, parsed, ({ id, from, to: recipients, at }, mail) => ({
        id,
        from,
        to: recipients,
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        headers: mail.headers,
        attachments: mail.attachments.map(({ filename, contentType, sizeBytes }) => ({
          filename,
          contentType,
          sizeBytes,
        })),
        capturedAt: timestamp(at),
      }))
      return json({ messages: shown })
    })

    yield* router.get("/dev/outbox", answer(captured))
  }),
)
