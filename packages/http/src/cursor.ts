/** The opaque position between two pages of a list (decisions §2, `cursor`). */
import { InvalidInput } from "@mailroom/domain"
import { Either, Encoding, flow, Schema } from "effect"

export interface Cursors<A> {
  readonly encode: (position: A) => string
  /** The position a request continues from, null for the first page; refuses what `encode` did not make. */
  readonly decode: (cursor: string | undefined) => Either.Either<A | null, InvalidInput>
}

/** The cursors of a list whose positions have this shape. */
export const cursorsOf = <A, I>(position: Schema.Schema<A, I>): Cursors<A> => {
  const text = Schema.parseJson(position)
  const read = Schema.decodeUnknownEither(text)
  const foreign = () => new InvalidInput({ issues: [{ path: "cursor", message: "is not a cursor of ours" }] })
  return {
    encode: flow(Schema.encodeSync(text), Encoding.encodeBase64Url),
    decode: (cursor) =>
      cursor === undefined
        ? Either.right(null)
        : Encoding.decodeBase64UrlString(cursor).pipe(Either.flatMap(read), Either.mapLeft(foreign)),
  }
}

/** Of a list in the order of creation, then of ids. */
export const cursorsByCreation = <Id extends string>(id: Schema.Schema<Id, string>) =>
  cursorsOf(Schema.Struct({ createdAt: Schema.Int, id }))

/** What a page of `limit` says about itself; `next` is where the one after it begins, null at the end. */
export const pageMetadata = <A>(cursors: Cursors<A>, limit: number, next: A | null) => ({
  limit,
  hasMore: next !== null,
  ...(next !== null && { nextCursor: cursors.encode(next) }),
})
