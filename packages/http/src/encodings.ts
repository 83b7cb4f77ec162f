/** The content codings of answers (RFC 9110 §12.5.3), and answers that are compressed (docs/decisions/0079). */
import * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { SMALL_ANSWER_MAX_BYTES } from "@mailroom/domain"
import { Effect, Random } from "effect"
import { promisify } from "node:util"
import { gzip } from "node:zlib"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Whether a client takes a coding; `q=0` refuses it. */
export const acceptsEncoding = ({ headers }: Pick<Request, "headers">, coding: "br" | "gzip"): boolean =>
  (headers["accept-encoding"] ?? "").split(",").some((part) => {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })

/** Bytes from which compression saves a packet. */
const WORTHWHILE_BYTES = 2048

/** The most characters of a header that hides the exact size. */
const PADDING_MAX = 64

const gzipped = promisify(gzip)

const inGzip = (response: Response, content: Uint8Array, contentType: string): Response =>
  HttpServerResponse.setBody(response, HttpBody.uint8Array(content, contentType)).pipe(
    HttpServerResponse.setHeaders({ "content-encoding": "gzip", vary: "accept-encoding" }),
  )

/** An answer that is the same for everybody, compressed once for all clients that take it. */
export const compressedOnce = (response: Response): Effect.Effect<(request: Request) => Response> => {
  const { body } = response
  if (body._tag !== "Uint8Array") return Effect.succeed(() => response)
  return Effect.map(
    Effect.promise(() => gzipped(body.body)),
    (content) => {
      const plain = HttpServerResponse.setHeader(response, "vary", "accept-encoding")
      const compressed = inGzip(response, content, body.contentType)
      return (request) => (acceptsEncoding(request, "gzip") ? compressed : plain)
    },
  )
}

/**
 * Compresses a JSON answer of 2 to 256 kB to a browser that is signed in with this cookie: pages are read over slow networks.
 * Programs with a key get it as it is, because they are near and would rather have it soon. The length of a header is random:
 * otherwise who sees the sizes on the network, and sends mail, could compare the secrets of a list with a guess (BREACH).
 */
export const compressedFor = (cookie: string) => {
  const isWanted = (request: Request, { body, headers }: Response): boolean =>
    body._tag === "Uint8Array" &&
    body.contentType === "application/json" &&
    body.body.length >= WORTHWHILE_BYTES &&
    body.body.length <= SMALL_ANSWER_MAX_BYTES &&
    headers["content-encoding"] === undefined &&
    request.method !== "HEAD" &&
    request.cookies[cookie] !== undefined &&
    acceptsEncoding(request, "gzip")

  return (request: Request, response: Response): Effect.Effect<Response> => {
    const { body } = response
    if (body._tag !== "Uint8Array" || !isWanted(request, response)) return Effect.succeed(response)
    return Effect.zipWith(
      Effect.promise(() => gzipped(body.body)),
      Random.nextIntBetween(0, PADDING_MAX + 1),
      (content, padding) =>
        HttpServerResponse.setHeader(
          inGzip(response, content, body.contentType),
          "x-padding",
          "0".repeat(padding),
        ),
    )
  }
}
