/** Sends large answers in slices, at the speed of the client, so that the server sees how far the client has read. */
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { SMALL_ANSWER_MAX_BYTES } from "@mailroom/domain"
import { Option, Stream } from "effect"

/** bytes */
const SLICE = 64 * 1024

const slicesOf = (bytes: Uint8Array) =>
  Stream.unfold(0, (start) =>
    start < bytes.length
      ? Option.some([bytes.subarray(start, start + SLICE), start + SLICE] as const)
      : Option.none(),
  )

/** Makes a response above 256 kB one that is sent in slices of 64 kB. */
export const inSlices = (
  response: HttpServerResponse.HttpServerResponse,
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  return body._tag === "Uint8Array" && body.body.length > SMALL_ANSWER_MAX_BYTES
    ? HttpServerResponse.setBody(
        response,
        HttpBody.stream(slicesOf(body.body), body.contentType, body.body.length),
      )
    : response
}
