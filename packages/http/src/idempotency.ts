/**
 * `Idempotency-Key` around the handlers of the contract (spec: decisions.idempotency.replay). `group` puts the guard around
 * each POST. It runs after the access rule has let the caller in and the body is decoded.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Multipart from "@effect/platform/Multipart"
import { CurrentPrincipal } from "@mailroom/api"
import {
  type DraftRecord,
  IDEMPOTENCY_KEY,
  InvalidInput,
  type NotFound,
  type Principal,
} from "@mailroom/domain"
import {
  type Attempt,
  DraftViews,
  type FireResult,
  Idempotency,
  makeActiveAccounts,
  type StoredAnswer,
  viewMessage,
} from "@mailroom/engine"
import { Context, Effect, Layer, Option, Predicate, Schema } from "effect"
import { ErrorResponses } from "./errors.js"
import { json } from "./json.js"
import { logRefusalOf } from "./refusalLog.js"
import { pathOf } from "./requests.js"
import type { HandlerServices } from "./requestServices.js"
import { UnreadAnswers } from "./UnreadAnswers.js"

/** The part of a handler's input that the guard reads. Path parameters are in the request's URL. */
interface Decoded {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly payload?: unknown
  readonly urlParams?: unknown
}
export type Handler = (decoded: Decoded) => Effect.Effect<unknown, unknown, HandlerServices>
type Endpoint = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const textOf = ({ body }: HttpServerResponse.HttpServerResponse): Effect.Effect<string> => {
  if (body._tag === "Empty") return Effect.succeed("")
  return body._tag === "Uint8Array"
    ? Effect.succeed(decoder.decode(body.body))
    : Effect.dieMessage(`The answer of a POST is stored, and a body of the kind ${body._tag} cannot be`)
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

/** The answer with a draft. */
export const draftAnswer = (
  views: typeof DraftViews.Service,
  draft: DraftRecord,
  status: number,
): Effect.Effect<HttpServerResponse.HttpServerResponse, NotFound> =>
  Effect.map(views.one(draft), (shown) => json({ draft: shown }, { status }))

/**
 * The answer to a send: 201 with the message, or 202 with the draft that was not sent yet. A send that was interrupted gets
 * the same answer when it is repeated under its key.
 */
export const sendAnswer =
  (views: typeof DraftViews.Service) =>
  (result: FireResult): Effect.Effect<HttpServerResponse.HttpServerResponse, NotFound> =>
    result.kind === "sent"
      ? Effect.succeed(json({ message: viewMessage(result.message) }, { status: 201 }))
      : draftAnswer(views, result.draft, 202)

/** The response that the library makes of a handler's result. */
const encode = ({ successSchema }: Endpoint, result: unknown) =>
  HttpServerResponse.isServerResponse(result)
    ? Effect.succeed(result)
    : HttpServerResponse.schemaJson(successSchema)(result, {
        status: HttpApiSchema.getStatusSuccess(successSchema),
      })

const refusalsOf = ({ request }: Decoded): string | undefined => request.headers["idempotency-refusals"]

const decodeRefusal = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ code: Schema.String })))

const codeOf = (body: string): Option.Option<string> => Option.map(decodeRefusal(body), ({ code }) => code)

/** A refusal that is replayed has a line, too: its reason may have ended long ago. */
const logReplay =
  (principal: Principal) =>
  ({ status, body }: StoredAnswer): Effect.Effect<void> =>
    status < 400
      ? Effect.void
      : Option.match(codeOf(body), {
          onNone: () => Effect.void,
          onSome: (code) => logRefusalOf(principal, code, true),
        })

/**
 * Whether an answer is stored under the key and given to each repetition for 24 hours (docs/decisions/0021). A 400
 * VALIDATION_FAILED, a 429 and a 5xx are not stored: the request may be repeated under its key. Every other refusal of the
 * use case is, also one whose reason may end: the 403 EMAIL_NOT_VERIFIED of a send is replayed after the verification. With
 * `Idempotency-Refusals: retry` none is. Refusals of access rules and of the body do not come here.
 */
const isFinal = ({ status, body }: StoredAnswer, retriesRefusals: boolean): boolean =>
  status < (retriesRefusals ? 400 : 500) &&
  status !== 429 &&
  !(status === 400 && Option.contains(codeOf(body), "VALIDATION_FAILED"))

export class IdempotencyGuard extends Context.Tag("@mailroom/http/IdempotencyGuard")<
  IdempotencyGuard,
  {
    /** The handler of a POST, which runs once for each key. Later requests with the key get the stored answer. */
    readonly guard: (endpoint: Endpoint, handler: Handler) => Handler
  }
>() {
  static readonly layer: Layer.Layer<
    IdempotencyGuard,
    never,
    FileSystem.FileSystem | Idempotency | DraftViews | ErrorResponses | UnreadAnswers
  > = Layer.effect(
    IdempotencyGuard,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const idempotency = yield* Idempotency
      const views = yield* DraftViews
      const { refuse } = yield* ErrorResponses
      const unreadAnswers = yield* UnreadAnswers
      /** One of each account at a time: a replay may be large, and counts as unread once it is loaded. */
      const replays = makeActiveAccounts(1)

      /** A field, or a body, as it is compared: an uploaded file by its name, type and content, not by its temporary path. */
      const comparable = (field: unknown): Effect.Effect<unknown> =>
        Multipart.isPersistedFile(field)
          ? Effect.map(Effect.orDie(files.readFile(field.path)), (content) => ({
              name: field.name,
              contentType: field.contentType,
              content,
            }))
          : Effect.succeed(field)

      const bodyOf = ({ payload, urlParams }: Decoded) =>
        Effect.map(
          Predicate.isRecord(payload) &&
            !(payload instanceof Uint8Array) &&
            !Multipart.isPersistedFile(payload)
            ? Effect.all(
                Object.fromEntries(Object.entries(payload).map(([name, field]) => [name, comparable(field)])),
              )
            : comparable(payload),
          (body) => ({ body, urlParams }),
        )

      const malformed = new InvalidInput({
        issues: [{ path: "Idempotency-Key", message: "must be 1 to 256 of A-Z a-z 0-9 - . _ ~" }],
      })
      const unknownRefusals = new InvalidInput({
        issues: [{ path: "Idempotency-Refusals", message: "must be retry" }],
      })

      const once = Effect.fnUntraced(function* (
        principal: Principal,
        key: string,
        decoded: Decoded,
        work: Effect.Effect<Attempt, never, HandlerServices>,
      ) {
        if (!IDEMPOTENCY_KEY.test(key)) return yield* refuse(malformed)
        if (![undefined, "retry"].includes(refusalsOf(decoded))) return yield* refuse(unknownRefusals)
        const { method, url } = decoded.request
        const route = `${method} ${pathOf(url)}`
        const body = yield* bodyOf(decoded)
        const { answer, replayed } = yield* idempotency.once(
          principal,
          { key, route, body },
          work,
          (result) => sendAnswer(views)(result).pipe(Effect.catchAll(refuse), Effect.flatMap(answerOf)),
        )
        if (!replayed) return responseOf(yield* answer)
        return yield* replays.inTurn(
          principal.account.id,
          Effect.flatMap(Effect.tap(answer, logReplay(principal)), (stored) =>
            unreadAnswers.count(
              principal.account.id,
              HttpServerResponse.setHeader(responseOf(stored), "Idempotent-Replayed", "true"),
            ),
          ),
        )
      })

      return {
        guard: (endpoint, handler) => (decoded) => {
          const key = decoded.request.headers["idempotency-key"]
          if (key === undefined) return handler(decoded)
          const work = Effect.suspend(() => handler(decoded)).pipe(
            Effect.flatMap((result) => encode(endpoint, result)),
            Effect.orDie,
            Effect.flatMap(answerOf),
            Effect.map((answer) => ({ answer, final: isFinal(answer, refusalsOf(decoded) !== undefined) })),
          )
          return Effect.flatMap(
            Effect.serviceOption(CurrentPrincipal),
            Option.match({
              // Signing up and signing in have no caller whose keys could be stored.
              onNone: () => handler(decoded),
              onSome: (principal) => Effect.catchAll(once(principal, key, decoded, work), refuse),
            }),
          )
        },
      }
    }),
  )
}
