/** The opaque position between two pages of messages (decisions §2, `cursor`). */
import { MessageId } from "@mailroom/domain"
import type { MessagePosition } from "@mailroom/engine"
import { Either, Encoding, Schema } from "effect"

const Position = Schema.parseJson(Schema.Tuple(Schema.Int, MessageId))
const decodePosition = Schema.decodeUnknownEither(Position)

export const encodeCursor = ({ createdAt, id }: MessagePosition): string =>
  Encoding.encodeBase64Url(JSON.stringify([createdAt, id]))

/** null when the text was not made by `encodeCursor`. */
export const decodeCursor = (text: string): MessagePosition | null =>
  Encoding.decodeBase64UrlString(text).pipe(
    Either.flatMap(decodePosition),
    Either.match({ onLeft: () => null, onRight: ([createdAt, id]) => ({ createdAt, id }) }),
  )
