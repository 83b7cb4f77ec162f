/** Opaque positions between two pages of a list (decisions §2, `cursor`). */
import { InvalidInput, MessageId } from "@mailroom/domain"
import type { MessagePosition } from "@mailroom/engine"
import { Either, Encoding, Schema } from "effect"

export interface Cursor<A> {
  readonly encode: (position: A) => string
  /** null when the text was not made by `encode` */
  readonly decode: (text: string) => A | null
}

export const cursorOf = <A, I>(position: Schema.Schema<A, I>): Cursor<A> => {
  const text = Schema.parseJson(position)
  const encode = Schema.encodeSync(text)
  const decode = Schema.decodeUnknownEither(text)
  return {
    encode: (position) => Encoding.encodeBase64Url(encode(position)),
    decode: (given) =>
      Either.getOrNull(Either.flatMap(Encoding.decodeBase64UrlString(given), (json) => decode(json))),
  }
}

const messages = cursorOf(Schema.Tuple(Schema.Int, MessageId))

export const messageCursor: Cursor<MessagePosition> = {
  encode: ({ createdAt, id }) => messages.encode([createdAt, id]),
  decode: (text) => {
    const position = messages.decode(text)
    return position === null ? null : { createdAt: position[0], id: position[1] }
  },
}

/** The position that a query's `cursor` names; null without one. */
export const positionIn = <A>(
  cursor: Cursor<A>,
  text: string | undefined,
): Either.Either<A | null, InvalidInput> => {
  if (text === undefined) return Either.right(null)
  const position = cursor.decode(text)
  return position === null
    ? Either.left(new InvalidInput({ issues: [{ path: "cursor", message: "is not a cursor of ours" }] }))
    : Either.right(position)
}
