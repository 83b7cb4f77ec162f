/**
 * Reads and decodes the body of a request, within the limit that its endpoint declares and while the process has room for
 * it. It runs after the access rule, so nobody who is refused anyway has a body read.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as Path from "@effect/platform/Path"
import * as UrlParams from "@effect/platform/UrlParams"
import { BodyLimit, type BodySize, FileFields, IgnoresUnknown } from "@mailroom/api"
import {
  ATTACHMENT_MAX_BYTES,
  InvalidInput,
  issuesOf,
  type RequestTooSlow,
  SizeExceeded,
  type TooManyBodies,
} from "@mailroom/domain"
import { yieldToSockets } from "@mailroom/engine"
import { Context, Effect, Either, Layer, Option, Schema, type Scope } from "effect"
import { StringDecoder } from "node:string_decoder"
import { BodiesInFlight, type Next, type BodySender } from "./BodiesInFlight.js"
import { FORM_FIELD_MAX_BYTES, FORM_MAX_FIELDS } from "./limits.js"
import { type BodyScan, formScan, jsonScan, noScan } from "./jsonScan.js"
import { formAsJson } from "./formAsJson.js"
import { type FormShape, persistedFile, readMultipart } from "./multipart.js"
import { readToFile } from "./rawBody.js"

type Request = HttpServerRequest.HttpServerRequest
export type BodyRefusal = InvalidInput | RequestTooSlow | SizeExceeded | TooManyBodies
type Endpoint = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps

/** Texts of more UTF-16 units are decoded in steps, and other requests get a turn in between. */
const LARGE_TEXT = 256 * 1024

const refused = (message: string) => new InvalidInput({ issues: [{ path: "", message }] })

const notJson = refused("the body is not valid JSON")
const notForm = refused("the body has to be a form: Content-Type multipart/form-data")
const notDecodable = refused("the body has to be JSON: Content-Type application/json")
const compressed = refused("a compressed body is not taken: send it without Content-Encoding")

const notOfType = (type: string) => refused(`the body has to be ${type}: Content-Type ${type}`)
const emptyBody = refused("the body is empty")

const contentType = ({ headers }: Request): string =>
  headers["content-type"]?.toLowerCase() ?? "application/json"
const isForm = (request: Request): boolean => contentType(request).includes("multipart/form-data")

const announcedLength = ({ headers }: Request): number | null => {
  const length = Number(headers["content-length"] ?? Number.NaN)
  return Number.isFinite(length) ? length : null
}

const isAbsent = (request: Request): boolean => {
  const length = announcedLength(request)
  return length === null
    ? request.headers["transfer-encoding"] === undefined && request.headers["content-type"] === undefined
    : length === 0
}

const tooLarge = (request: Request, { maxBytes }: BodySize) =>
  isForm(request) && maxBytes > ATTACHMENT_MAX_BYTES
    ? new SizeExceeded({ what: "the file", limitBytes: ATTACHMENT_MAX_BYTES })
    : new SizeExceeded({ what: "the request", limitBytes: maxBytes })

/** Pulls a body, and fails with `SizeExceeded` above the limit of its endpoint. */
const limited = (
  next: Next,
  request: Request,
  size: BodySize,
): Effect.Effect<Uint8Array | null, BodyRefusal> => {
  let total = 0
  return Effect.filterOrFail(
    next,
    (chunk) => (total += chunk?.length ?? 0) <= size.maxBytes,
    () => tooLarge(request, size),
  )
}

const parseJson = (text: string): Effect.Effect<unknown, InvalidInput> =>
  Effect.try({ try: (): unknown => (text === "" ? null : JSON.parse(text)), catch: () => notJson })

type Decode = (value: unknown) => Either.Either<unknown, InvalidInput>

/** Decodes a value of bounded size and names every wrong field, unknown ones included unless the endpoint ignores them. */
const decodeWith = (ast: Schema.Schema.Any["ast"], ignoresUnknown: boolean): Decode => {
  const decode = Schema.decodeUnknownEither(Schema.make<unknown, unknown>(ast), {
    errors: "all",
    onExcessProperty: ignoresUnknown ? "ignore" : "error",
  })
  return (value) =>
    Either.mapLeft(decode(value), ({ issue }) => new InvalidInput({ issues: issuesOf(issue) }))
}

export class RequestBodies extends Context.Tag("@mailroom/http/RequestBodies")<
  RequestBodies,
  {
    /** The body as the text that was sent, for requests that are signed. */
    readonly text: (
      request: Request,
      sender: BodySender,
      size: BodySize,
    ) => Effect.Effect<string, BodyRefusal, Scope.Scope>
    /** The decoded payload of an endpoint. `annotations` are those of the endpoint, merged with those of its group. */
    readonly payload: (
      endpoint: Pick<Endpoint, "payloadSchema">,
      annotations: Context.Context<never>,
    ) => (
      request: Request,
      sender: BodySender,
    ) => Effect.Effect<unknown, BodyRefusal, Scope.Scope | FileSystem.FileSystem | Path.Path>
  }
>() {
  static readonly layer: Layer.Layer<RequestBodies, never, BodiesInFlight> = Layer.effect(
    RequestBodies,
    Effect.map(BodiesInFlight, ({ read }) => {
      const largeText = Effect.unsafeMakeSemaphore(1)

      /** Has `use` read a body, unless its headers show that it is too large or compressed. */
      const enter = <A, R>(
        request: Request,
        sender: BodySender,
        size: BodySize,
        use: (next: Next) => Effect.Effect<A, BodyRefusal, R>,
      ) =>
        Effect.suspend((): Effect.Effect<A, BodyRefusal, Exclude<R, Scope.Scope> | Scope.Scope> => {
          const length = announcedLength(request)
          if (length !== null && length > size.maxBytes) return Effect.fail(tooLarge(request, size))
          const encoding = request.headers["content-encoding"]
          if (encoding !== undefined && encoding !== "identity") return Effect.fail(compressed)
          return read(request, sender, length, use)
        })

      const readText = (request: Request, sender: BodySender, size: BodySize, scan: BodyScan) =>
        enter(request, sender, size, (next) =>
          Effect.gen(function* () {
            const decoder = new StringDecoder("utf8")
            const pull = limited(next, request, size)
            let text = ""
            for (;;) {
              const chunk = yield* pull
              if (chunk === null) return text + decoder.end()
              const problem = scan(chunk)
              if (problem !== null) return yield* refused(problem)
              text += decoder.write(chunk)
            }
          }),
        )

      /**
       * Parses a large text in one turn of the event loop and decodes it in another: 40 MB take 60 ms each. Large bodies
       * are decoded one at a time, because everything that is due in a turn runs in it.
       */
      const decodeJson = (text: string, decode: Decode): Effect.Effect<unknown, InvalidInput> =>
        text.length < LARGE_TEXT
          ? Effect.flatMap(parseJson(text), decode)
          : yieldToSockets.pipe(
              Effect.zipRight(parseJson(text)),
              Effect.zipLeft(yieldToSockets),
              Effect.flatMap(decode),
              Effect.zipLeft(yieldToSockets),
              largeText.withPermits(1),
            )

      const readJson = (request: Request, sender: BodySender, size: BodySize, decode: Decode) =>
        isAbsent(request)
          ? decode(null)
          : Effect.flatMap(readText(request, sender, size, jsonScan(size.maxValues)), (text) =>
              decodeJson(text, decode),
            )

      /**
       * An urlencoded form, which has a smaller limit than JSON: the service's own pages post a few fields. JSON of this type is
       * refused: `curl -d` sends it when no type is given.
       */
      const readForm = (request: Request, sender: BodySender, size: BodySize) => {
        const maxBytes = Math.min(size.maxBytes, FORM_FIELD_MAX_BYTES)
        const maxValues = Math.min(size.maxValues, FORM_MAX_FIELDS)
        return Effect.flatMap(
          readText(request, sender, { maxBytes, maxValues }, formScan(maxValues)),
          (text) =>
            /^\s*[[{]/.test(text)
              ? Effect.fail(notDecodable)
              : Effect.succeed(UrlParams.toRecord(UrlParams.fromInput(new URLSearchParams(text)))),
        )
      }

      /** Refuses a body of another type. It reads the body first, because a body that is too large has to be a 413. */
      const readOther = (request: Request, sender: BodySender, size: BodySize) =>
        Effect.zipRight(readText(request, sender, size, noScan), Effect.fail(notDecodable))

      const readFields = (
        request: Request,
        sender: BodySender,
        size: BodySize,
        decode: Decode,
      ): Effect.Effect<unknown, BodyRefusal, Scope.Scope> => {
        const type = contentType(request)
        if (type.includes("application/json")) return readJson(request, sender, size, decode)
        if (type.includes("x-www-form-urlencoded"))
          return Effect.flatMap(readForm(request, sender, size), decode)
        return readOther(request, sender, size)
      }

      /** A multipart form. Its files go to disk; its bytes are counted against the limit of the endpoint. */
      const readFiles = (
        request: Request,
        sender: BodySender,
        size: BodySize,
        form: Omit<FormShape, "maxParts">,
      ) =>
        enter(request, sender, size, (next) => {
          if (!isForm(request)) return Effect.fail(notForm)
          const shape = { ...form, maxParts: size.maxValues }
          return readMultipart(request.headers["content-type"] ?? "", limited(next, request, size), shape)
        })

      /** A body of bytes, which goes to a file. */
      const readBytes = (request: Request, sender: BodySender, size: BodySize, type: string) =>
        enter(request, sender, size, (next) => {
          if (contentType(request).split(";", 1)[0]?.trim() !== type) return Effect.fail(notOfType(type))
          return Effect.filterOrFail(
            readToFile(limited(next, request, size)),
            ({ sizeBytes }) => sizeBytes > 0,
            () => emptyBody,
          ).pipe(
            Effect.map(({ path }) => persistedFile({ name: "", filename: null, contentType: type }, path)),
          )
        })

      return {
        text: (request, sender, size) => readText(request, sender, size, jsonScan(size.maxValues)),
        payload: ({ payloadSchema }, annotations) => {
          if (Option.isNone(payloadSchema)) return () => Effect.succeed(undefined)
          const { ast } = payloadSchema.value
          const size = Context.get(annotations, BodyLimit)
          const decode = decodeWith(ast, Context.get(annotations, IgnoresUnknown))
          const { kind, contentType: bytesType } = HttpApiSchema.getEncoding(ast)
          if (kind === "Uint8Array") return (request, sender) => readBytes(request, sender, size, bytesType)
          const isFormOnly = HttpApiSchema.getMultipart(ast) !== undefined
          const fileFields = Context.get(annotations, FileFields)
          if (isFormOnly) {
            const form = { maxFieldBytes: FORM_FIELD_MAX_BYTES, fileFields }
            return (request, sender) => Effect.flatMap(readFiles(request, sender, size, form), decode)
          }
          const form = { maxFieldBytes: size.maxBytes, fileFields }
          const asJson = formAsJson(ast)
          return (request, sender) =>
            fileFields.size > 0 && isForm(request)
              ? Effect.flatMap(readFiles(request, sender, size, form), (fields) =>
                  asJson(fields).pipe(
                    Effect.zipLeft(yieldToSockets),
                    Effect.flatMap(decode),
                    // One body at a time, as with large JSON.
                    largeText.withPermits(1),
                  ),
                )
              : readFields(request, sender, size, decode)
        },
      }
    }),
  )
}
