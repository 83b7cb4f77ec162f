/** Cursors: opaque positions between two pages of a list (spec: decisions.metadata.cursor). */
import { Either, Encoding, flow, Hash, Schema } from "effect"
import { InvalidInput } from "./errors.js"

export interface Cursors<A> {
  readonly encode: (position: A) => string
  /** The position that a request continues from, null for the first page. `InvalidInput` for text that `encode` did not make. */
  readonly decode: (cursor: string | undefined) => Either.Either<A | null, InvalidInput>
}

/** The cursors of a list whose positions have this shape. `parameter` is the name that issues give to a cursor. */
export const cursorsOf = <A, I>(position: Schema.Schema<A, I>, parameter = "cursor"): Cursors<A> => {
  const text = Schema.parseJson(position)
  const read = Schema.decodeUnknownEither(text)
  const foreign = () =>
    new InvalidInput({ issues: [{ path: parameter, message: "is not a cursor of ours" }] })
  return {
    encode: flow(Schema.encodeSync(text), Encoding.encodeBase64Url),
    decode: (cursor) =>
      cursor === undefined
        ? Either.right(null)
        : Encoding.decodeBase64UrlString(cursor).pipe(Either.flatMap(read), Either.mapLeft(foreign)),
  }
}

const hashOf = (query: unknown): number => Hash.string(JSON.stringify(query))

const ofAnotherQuery = (parameter: string) =>
  new InvalidInput({ issues: [{ path: parameter, message: "belongs to another query" }] })

/**
 * The cursors of a search or a list by its query, which has the name of the list. A cursor carries a hash of its query; with another
 * query it is refused (spec: lists.cursor.query).
 */
export const queryCursors = <A, I>(position: Schema.Schema<A, I>) => {
  const cursors = cursorsOf(Schema.Tuple(Schema.Int, position))
  return (query: unknown): Cursors<A> => {
    const hash = hashOf(query)
    return {
      encode: (found) => cursors.encode([hash, found]),
      decode: (cursor) =>
        Either.filterOrLeft(
          cursors.decode(cursor),
          (found) => found === null || found[0] === hash,
          () => ofAnotherQuery("cursor"),
        ).pipe(Either.map((found) => found && found[1])),
    }
  }
}

/** The same for a list that is sorted by creation, then by id. */
export const queryCursorsByCreation = <Id extends string>(
  id: Schema.Schema<Id, string>,
  parameter = "cursor",
) => {
  const cursors = cursorsOf(Schema.Struct({ createdAt: Schema.Int, id, query: Schema.Int }), parameter)
  return (query: unknown): Cursors<{ readonly createdAt: number; readonly id: Id }> => {
    const hash = hashOf(query)
    return {
      encode: ({ createdAt, id }) => cursors.encode({ createdAt, id, query: hash }),
      decode: (cursor) =>
        Either.filterOrLeft(
          cursors.decode(cursor),
          (position) => position === null || position.query === hash,
          () => ofAnotherQuery(parameter),
        ),
    }
  }
}
