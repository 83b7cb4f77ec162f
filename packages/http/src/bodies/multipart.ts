/**
 * Multipart forms, read so that reading always ends. The library's parser waits for ever for the rest of a file that the
 * client broke off, and for more of a body that is above its limit: here it is given an end, and then the reason.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Multipart from "@effect/platform/Multipart"
import {
  ATTACHMENT_MAX_BYTES,
  InvalidInput,
  type RequestTooSlow,
  SizeExceeded,
  type TooManyBodies,
} from "@mailroom/domain"
import { Effect, Option, Stream } from "effect"

type Refusal = InvalidInput | RequestTooSlow | SizeExceeded | TooManyBodies

/** The parser has a limit of its own on the whole form. It is ours plus the end that is added. */
const CLOSING_MAX_BYTES = 1024

const encoder = new TextEncoder()
const latin1 = new TextDecoder("latin1")

const malformed = (message: string) => new InvalidInput({ issues: [{ path: "", message }] })

const tooLarge = new SizeExceeded({ what: "the file", limitBytes: ATTACHMENT_MAX_BYTES })

const boundaryOf = (contentType: string): string | null => {
  const [, quoted, plain] = /boundary=(?:"([^"]{1,70})"|([^;\s"]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? plain ?? null
}

/** The parser's own reasons, and what it throws: at headers that are cut short, at a file name encoded wrongly. */
const refusalOf = (error: Multipart.MultipartError): Refusal =>
  /TooLarge/.test(error.reason) ? tooLarge : malformed("malformed multipart form")

const isThrown = (defect: unknown): boolean => defect instanceof TypeError || defect instanceof URIError

/**
 * The parts of a form: fields as text, files in a temporary folder that is gone with the scope. `next` pulls the body;
 * `limits` are the parser's.
 */
export const readMultipart = (
  request: HttpServerRequest.HttpServerRequest,
  next: Effect.Effect<Uint8Array | null, Exclude<Refusal, SizeExceeded>>,
  maxBytes: number,
  limits: Multipart.withLimits.Options,
) =>
  Effect.suspend(() => {
    const boundary = boundaryOf(request.headers["content-type"] ?? "")
    if (boundary === null) return Effect.fail(malformed("the form names no boundary"))
    const closing = `--${boundary}--`
    let total = 0
    let tail = ""
    let refusal: Refusal | null = null
    const end = (reason: Refusal | null) => {
      refusal = reason
      return Effect.fail(Option.none<never>())
    }
    const pull = next.pipe(
      Effect.catchAll((reason) => end(reason)),
      Effect.flatMap((chunk) => {
        if (chunk === null) return end(tail.includes(closing) ? null : malformed("the form has no end"))
        total += chunk.length
        tail = (tail + latin1.decode(chunk.subarray(-2 * closing.length))).slice(-2 * closing.length)
        return total > maxBytes ? end(tooLarge) : Effect.succeed(chunk)
      }),
    )
    const body = Stream.concat(
      Stream.repeatEffectOption(pull),
      Stream.suspend(() =>
        refusal === null ? Stream.empty : Stream.make(encoder.encode(`\r\n${closing}\r\n`)),
      ),
    )
    return Multipart.toPersisted(
      Stream.pipeThroughChannel(body, Multipart.makeChannel<never>(request.headers)),
    ).pipe(
      Multipart.withLimits({ ...limits, maxTotalSize: Option.some(maxBytes + CLOSING_MAX_BYTES) }),
      Effect.catchSomeDefect((defect) =>
        isThrown(defect)
          ? Option.some(new Multipart.MultipartError({ reason: "Parse", cause: "malformed headers" }))
          : Option.none<Multipart.MultipartError>(),
      ),
      Effect.mapError(refusalOf),
      Effect.exit,
      Effect.flatMap((parsed) => (refusal === null ? parsed : Effect.fail(refusal))),
    )
  })
