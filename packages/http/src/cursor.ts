/** The opaque position between two pages of a list (decisions §2, `cursor`). */
import { InvalidInput, type Instant } from "@mailroom/domain"
import { Either, Encoding, Schema } from "effect"

interface Position<Id extends string> {
  readonly createdAt: Instant
  readonly id: Id
}

/** The cursors of a list of resources with this id. */
export const cursorsOf = <Id extends string>(id: Schema.Schema<Id, string>) => {
  const decodePosition = Schema.decodeUnknownEither(Schema.parseJson(Schema.Tuple(Schema.Int, id)))
  return {
    encode: ({ createdAt, id }: Position<Id>): string =>
      Encoding.encodeBase64Url(JSON.stringify([createdAt, id])),

    /** The position a request continues from, null for the first page; refuses what `encode` did not make. */
    decode: (cursor: string | undefined): Either.Either<Position<Id> | null, InvalidInput> =>
      cursor === undefined
        ? Either.right(null)
        : Encoding.decodeBase64UrlString(cursor).pipe(
            Either.flatMap(decodePosition),
            Either.mapBoth({
              onLeft: () =>
                new InvalidInput({ issues: [{ path: "cursor", message: "is not a cursor of ours" }] }),
              onRight: ([createdAt, id]) => ({ createdAt, id }),
            }),
          ),
  }
}
