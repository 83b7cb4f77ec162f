/** Lists and events as streams. */
import { Chunk, Data, Effect, Option, Runtime, Stream } from "effect"
import { follow, type EventsOptions, type MailroomEvent } from "../follow.js"
import { MailroomError } from "../MailroomError.js"
import type { Transport } from "../Transport.js"

/** What every page has. */
interface Page {
  readonly metadata: { readonly hasMore: boolean; readonly nextCursor?: string | undefined }
}

/** The items of a page: the elements of its only array. */
export type ItemOf<P> = { [K in keyof P]: P[K] extends ReadonlyArray<infer Item> ? Item : never }[keyof P]

const itemsOf = <P extends Page>(page: P): ReadonlyArray<ItemOf<P>> =>
  Object.values(page).find((field) => Array.isArray(field)) ?? []

/**
 * Every item of a list, page by page. `list` is a method of the client whose query has a `cursor`:
 * `itemsOfList((cursor) => client.audit.list({ urlParams: { limit: 100, cursor } }))`.
 */
export const items = <P extends Page, E, R>(
  list: (cursor: string | undefined) => Effect.Effect<P, E, R>,
): Stream.Stream<ItemOf<P>, E, R> =>
  Stream.paginateChunkEffect(undefined, (cursor: string | undefined) =>
    Effect.map(list(cursor), (page) => [
      Chunk.fromIterable(itemsOf(page)),
      Option.map(Option.fromNullable(page.metadata.nextCursor), (next): string | undefined => next),
    ]),
  )

/** The stream of events failed with an error that time does not heal. */
export class EventsFailed extends Data.TaggedError("EventsFailed")<{
  /** code of the service, such as UNAUTHORIZED */
  readonly code: string
  readonly message: string
  readonly cause: unknown
}> {}

const failed = (cause: unknown): EventsFailed =>
  cause instanceof MailroomError
    ? new EventsFailed({ code: cause.code, message: cause.message, cause })
    : new EventsFailed({ code: "UNKNOWN", message: String(cause), cause })

/** Where a consumer keeps its position. */
export interface EventCursor<R = never> {
  /** the position that was saved last; none at the first start */
  readonly load: Effect.Effect<Option.Option<string>, never, R>
  /** stores a position: the id of an event, or an empty text before the first event of the account */
  readonly save: (position: string) => Effect.Effect<void, never, R>
}

export interface EventStreamOptions<R = never> extends Pick<EventsOptions, "after" | "types" | "mailboxIds"> {
  /** keeps the position over restarts. An event is saved when the consumer asks for the one after it */
  readonly cursor?: EventCursor<R> | undefined
}

export const events =
  (transport: Transport) =>
  <R = never>({ cursor, ...options }: EventStreamOptions<R> = {}): Stream.Stream<
    MailroomEvent,
    EventsFailed,
    R
  > =>
    Stream.unwrapScoped(
      Effect.gen(function* () {
        const run = Runtime.runPromise(yield* Effect.runtime<R>())
        const controller = yield* Effect.acquireRelease(
          Effect.sync(() => new AbortController()),
          (controller) => Effect.sync(() => controller.abort()),
        )
        const iterator = follow(transport, {
          ...options,
          signal: controller.signal,
          cursor: cursor && {
            load: () => run(Effect.map(cursor.load, Option.getOrNull)),
            save: (position) => run(cursor.save(position)),
          },
        })
        const next = Effect.tryPromise({
          try: () => iterator.next(),
          catch: (error) => Option.some(failed(error)),
        })
        return Stream.repeatEffectOption(
          Effect.flatMap(next, ({ done, value }) =>
            done === true ? Effect.fail(Option.none()) : Effect.succeed(value),
          ),
        )
      }),
    )
