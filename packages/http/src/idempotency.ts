/**
 * `Idempotency-Key` (decisions §4) around the handlers of the contract: `group` makes each POST of a caller heed it,
 * once the gates have let the request in and its body was decoded.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Multipart from "@effect/platform/Multipart"
import { CurrentPrincipal } from "@mailroom/api"
import { IDEMPOTENCY_KEY, InvalidInput, type Principal } from "@mailroom/domain"
import { type Attempt, Idempotency, type StoredAnswer } from "@mailroom/engine"
import { Context, Effect, flow, Layer, Option, Predicate, Schema } from "effect"
import { ErrorResponses } from "./errors.js"
import { pathOf } from "./pathOf.js"
import { sentMessage } from "./sentMessage.js"

/** What a handler is given; what the path names is in the request too. */
interface Decoded {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly payload?: unknown
  readonly urlParams?: unknown
}
export type Handler = (decoded: Decoded) => Effect.Effect<unknown, unknown, unknown>
type Endpoint = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const textOf = ({ body }: HttpServerResponse.HttpServerResponse): Effect.Effect<string> => {
  if (body._tag === "Empty") return Effect.succeed("")
  return body._tag === "Uint8Array"
    ? Effect.succeed(decoder.decode(body.body))
    : Effect.dieMessage(`The answer of a POST is kept, and a ${body._tag} cannot be`)
}

const answerOf = (response: HttpServerResponse.HttpServerResponse): Effect.Effect<StoredAnswer> =>
  Effect.map(textOf(response), (body) => {
    const headers = Object.entries(response.headers).filter(([name]) => name !== "content-length")
    return { status: response.status, headers: Object.fromEntries(headers), body }
  })

const responseOf = ({ status, headers, body }: StoredAnswer): HttpServerResponse.HttpServerResponse =>
  body === ""
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.text(body, { status, headers })

/** What the library makes of what a handler returns. */
const encode = ({ successSchema }: Endpoint, result: unknown) =>
  HttpServerResponse.isServerResponse(result)
    ? Effect.succeed(result)
    : HttpServerResponse.schemaJson(successSchema)(result, {
        status: HttpApiSchema.getStatusSuccess(successSchema),
      })

const refusesInput = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ code: Schema.Literal("VALIDATION_FAILED") })),
)

/**
 * Whether a request has its answer. A body that some use case still found wrong was no request yet, a 429 asks to come
 * again, and a fault is nobody's answer (docs/decisions/0021).
 */
const isFinal = ({ status, body }: StoredAnswer): boolean =>
  status < 500 && status !== 429 && !(status === 400 && Option.isSome(refusesInput(body)))

export class IdempotencyGuard extends Context.Tag("@mailroom/http/IdempotencyGuard")<
  IdempotencyGuard,
  {
    /** The handler of a POST, carried out once a key. */
    readonly guard: (endpoint: Endpoint, handler: Handler) => Handler
  }
>() {
  static readonly layer: Layer.Layer<
    IdempotencyGuard,
    never,
    FileSystem.FileSystem | Idempotency | ErrorResponses
  > = Layer.effect(
    IdempotencyGuard,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const idempotency = yield* Idempotency
      const { respond } = yield* ErrorResponses

      /** A file as what makes it the same one: not by where it lies. */
      const present = (field: unknown): Effect.Effect<unknown> =>
        Multipart.isPersistedFile(field)
          ? Effect.map(Effect.orDie(files.readFile(field.path)), (content) => ({
              name: field.name,
              contentType: field.contentType,
              content,
            }))
          : Effect.succeed(field)

      const bodyOf = ({ payload, urlParams }: Decoded) =>
        Effect.map(
          Predicate.isRecord(payload) && !(payload instanceof Uint8Array)
            ? Effect.all(
                Object.fromEntries(Object.entries(payload).map(([name, field]) => [name, present(field)])),
              )
            : Effect.succeed(payload),
          (body) => ({ body, urlParams }),
        )

      const malformed = respond(
        new InvalidInput({
          issues: [{ path: "Idempotency-Key", message: "must be 1 to 256 of A-Z a-z 0-9 - . _ ~" }],
        }),
      )

      const once = Effect.fnUntraced(function* (
        principal: Principal,
        key: string,
        decoded: Decoded,
        work: Effect.Effect<Attempt, never, unknown>,
      ) {
        if (!IDEMPOTENCY_KEY.test(key)) return malformed
        const { method, url } = decoded.request
        const route = `${method} ${pathOf(url)}`
        const body = yield* bodyOf(decoded)
        const { answer, replayed } = yield* idempotency.once(
          principal,
          { key, route, body },
          work,
          flow(sentMessage, answerOf),
        )
        const response = responseOf(answer)
        return replayed ? HttpServerResponse.setHeader(response, "Idempotent-Replayed", "true") : response
      })

      return {
        guard: (endpoint, handler) => (decoded) => {
          const key = decoded.request.headers["idempotency-key"]
          if (key === undefined) return handler(decoded)
          const work = Effect.suspend(() => handler(decoded)).pipe(
            Effect.flatMap((result) => encode(endpoint, result)),
            Effect.orDie,
            Effect.flatMap(answerOf),
            Effect.map((answer) => ({ answer, final: isFinal(answer) })),
          )
          return Effect.flatMap(
            Effect.serviceOption(CurrentPrincipal),
            Option.match({
              // Of nobody: signing up, signing in.
              onNone: () => handler(decoded),
              onSome: (principal) =>
                Effect.catchAll(once(principal, key, decoded, work), (refusal) =>
                  Effect.succeed(respond(refusal)),
                ),
            }),
          )
        },
      }
    }),
  )
}
