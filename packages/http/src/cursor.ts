/** The opaque position between two pages of a list (decisions §2, `cursor`). */
import { Either, Encoding, Schema } from "effect"

/** The last row of a page: lists are in the order of creation, then of ids. */
interface Position<Id extends string> {
  readonly createdAt: number
  readonly id: Id
}

export const encodeCursor = ({ createdAt, id }: Position<string>): string =>
  Encoding.encodeBase64Url(JSON.stringify([createdAt, id]))

/** Reads what `encodeCursor` made of a row with such an id; null for any other text. */
export const cursorReader = <Id extends string>(
  id: Schema.Schema<Id, string>,
): ((text: string) => Position<Id> | null) => {
  const decode = Schema.decodeUnknownEither(Schema.parseJson(Schema.Tuple(Schema.Int, id)))
  return (text) =>
    Encoding.decodeBase64UrlString(text).pipe(
      Either.flatMap(decode),
      Either.match({ onLeft: () => null, onRight: ([createdAt, id]) => ({ createdAt, id }) }),
    )
}
