/**
 * Multipart forms, read so that reading always ends. The library's parser waits for ever for the rest of a file that
 * the client broke off, and for more of a body that is above its limit: here it is given an end, and then the reason.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Multipart from "@effect/platform/Multipart"
import { Effect, Fiber, Mailbox, Option, Stream } from "effect"
import { MULTIPART_MAX_BYTES } from "./bodyLimits.js"

/** What the parser gets to see: below its own limit, with room for the end that is added. */
const PASSED_MAX_BYTES = MULTIPART_MAX_BYTES - 1024

/** So much is read all the same, and thrown away: a client that is still sending would not see the answer. */
const DISCARDED_MAX_BYTES = 4 * MULTIPART_MAX_BYTES

/** Read, and not parsed yet. */
const CHUNKS_AHEAD = 16

const encoder = new TextEncoder()
const latin1 = new TextDecoder("latin1")

const broken = (reason: "Parse" | "BodyTooLarge", cause: string) =>
  new Multipart.MultipartError({ reason, cause })

const tooLarge = broken("BodyTooLarge", "the form is above the limit")

const boundaryOf = (contentType: string): string | null => {
  const [, quoted, plain] = /boundary=(?:"([^"]{1,70})"|([^;\s"]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? plain ?? null
}

const endingAlways = (
  body: Stream.Stream<Uint8Array, unknown>,
  boundary: string,
): Stream.Stream<Uint8Array, Multipart.MultipartError> => {
  const closing = `--${boundary}--`
  let total = 0
  let tail = ""
  const pass = (chunk: Uint8Array) => {
    total += chunk.length
    tail = (tail + latin1.decode(chunk.subarray(-2 * closing.length))).slice(-2 * closing.length)
    if (total > DISCARDED_MAX_BYTES) return Effect.fail(tooLarge)
    return Effect.succeed(total <= PASSED_MAX_BYTES)
  }
  const verdict = Stream.suspend(() => {
    if (total > PASSED_MAX_BYTES) return Stream.fail(tooLarge)
    return tail.includes(closing) ? Stream.empty : Stream.fail(broken("Parse", "the form has no end"))
  })
  return body.pipe(
    Stream.filterEffect(pass),
    Stream.concat(verdict),
    Stream.catchAll((error) =>
      Stream.concat(
        Stream.make(encoder.encode(`\r\n${closing}\r\n`)),
        Stream.fail(
          error instanceof Multipart.MultipartError ? error : broken("Parse", "the form was broken off"),
        ),
      ),
    ),
  )
}

/**
 * Runs the parser on the body. Whatever it makes of it, all of it is read: a connection with bytes left on it would be
 * closed before the client had the answer.
 */
const parseWhole = <A, R>(
  body: Stream.Stream<Uint8Array, Multipart.MultipartError>,
  parse: (
    body: Stream.Stream<Uint8Array, Multipart.MultipartError>,
  ) => Effect.Effect<A, Multipart.MultipartError, R>,
) =>
  Effect.gen(function* () {
    const passed = yield* Mailbox.make<Uint8Array, Multipart.MultipartError>(CHUNKS_AHEAD)
    const reading = yield* Effect.fork(
      Mailbox.into(
        Stream.runForEach(body, (chunk) => passed.offer(chunk)),
        passed,
      ),
    )
    const parsed = yield* Effect.exit(parse(Mailbox.toStream(passed)))
    yield* passed.shutdown
    yield* Fiber.join(reading)
    return yield* parsed
  })

/** What the parser throws: at a part whose headers are cut short, at a file name whose encoding is broken. */
const isThrown = (defect: unknown): boolean => defect instanceof TypeError || defect instanceof URIError

/** What the request's own `multipart` would be. */
export const readMultipart = (
  request: HttpServerRequest.HttpServerRequest,
): HttpServerRequest.HttpServerRequest["multipart"] => {
  const boundary = boundaryOf(request.headers["content-type"] ?? "")
  if (boundary === null) return Effect.fail(broken("Parse", "the form names no boundary"))
  return parseWhole(endingAlways(request.stream, boundary), (body) =>
    Multipart.toPersisted(
      Stream.pipeThroughChannel(body, Multipart.makeChannel<Multipart.MultipartError>(request.headers)),
    ),
  ).pipe(
    Effect.catchSomeDefect((defect) =>
      isThrown(defect)
        ? Option.some(broken("Parse", "the headers of a part are malformed"))
        : Option.none<Multipart.MultipartError>(),
    ),
  )
}
