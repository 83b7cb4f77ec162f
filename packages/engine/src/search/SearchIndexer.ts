/**
 * Adds messages to the search index, in the background (docs/decisions/0061). The database queues each message in the
 * transaction that stores it or keeps a text of its files, so no message is forgotten, and one process at a time works the
 * queue off, newest first. Messages stored before the index existed come after those that arrive meanwhile.
 *
 * A message that cannot be indexed is logged and counted once, and leaves the queue: the others do not wait for it.
 */
import { SECOND, searchedFactsOf, searchedTokens } from "@mailroom/domain"
import { Array as Arr, Cause, Clock, Context, Effect, Exit, Layer } from "effect"
import { MailLoad } from "../inbound/MailLoad.js"
import { Metrics } from "../metrics.js"
import { isTemporary } from "../ports/StorageFailure.js"
import {
  type QueuedText,
  type SearchQueueEntry,
  type SearchDocument,
  SearchStore,
} from "../ports/stores/SearchStore.js"
import { drainRounds, makeSupervisor, restingRound } from "../workers/supervisor.js"

/** Messages of one transaction. */
const BATCH = 64
/** Milliseconds for which a process may write the index. Another takes over when it is dead. */
const LEASE = 30 * SECOND
/** Milliseconds between two looks into an empty queue. A search reads the queue too, so a message is found before. */
const POLL = 5 * SECOND

const documentOf = (text: QueuedText): SearchDocument => ({
  id: text.id,
  revision: text.revision,
  accountId: text.accountId,
  mailboxId: text.mailboxId,
  createdAt: text.createdAt,
  sizeBytes: text.sizeBytes,
  facts: searchedFactsOf(text.content),
  tokens: searchedTokens(text.content, text.headers, text.fileTexts),
})

export class SearchIndexer extends Context.Tag("@mailroom/SearchIndexer")<
  SearchIndexer,
  {
    /** Indexes everything that is queued, unless another process does, and merges the index. */
    readonly drain: Effect.Effect<void>
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.effect(
    SearchIndexer,
    Effect.gen(function* () {
      const store = yield* SearchStore
      const { isBusy } = yield* MailLoad
      const supervisor = makeSupervisor("search")

      const skip = (entry: SearchQueueEntry, cause: Cause.Cause<unknown>) =>
        Effect.all(
          [
            store.skip(entry),
            Metrics.searchSkipped,
            Effect.logError("a message cannot be indexed for search", { messageId: entry.id }, cause),
          ],
          { discard: true },
        )

      /** The documents of the messages that have one; skips the others. */
      const documentsOf = (texts: ReadonlyArray<QueuedText>) =>
        Effect.map(
          Effect.forEach(texts, (text) =>
            Effect.zipLeft(
              Effect.catchAllDefect(
                Effect.sync(() => [documentOf(text)]),
                (defect) => Effect.as(skip(text, Cause.die(defect)), []),
              ),
              // A text of 256 kB takes some 20 ms: let others go between two.
              Effect.yieldNow(),
            ),
          ),
          (documents) => documents.flat(),
        )

      /**
       * Adds documents. When the database refuses them together, adds each by itself, and skips those that it refuses. When
       * it refuses all of them the fault is not theirs, and none is skipped.
       */
      const add = (documents: ReadonlyArray<SearchDocument>) =>
        Effect.catchAllCause(store.add(documents), (cause) =>
          Effect.gen(function* () {
            if (isTemporary(cause) || Cause.isInterrupted(cause)) return yield* Effect.failCause(cause)
            const exits = yield* Effect.forEach(documents, (one) => Effect.exit(store.add([one])))
            const refused = Arr.zip(documents, exits).flatMap(([document, exit]) =>
              Exit.isFailure(exit) ? [{ document, cause: exit.cause }] : [],
            )
            const away = refused.find((one) => isTemporary(one.cause) || Cause.isInterrupted(one.cause))
            if (away !== undefined) return yield* Effect.failCause(away.cause)
            if (refused.length === documents.length) return yield* Effect.failCause(cause)
            for (const one of refused) yield* skip(one.document, one.cause)
          }),
        )

      /** Indexes one batch, and returns how many messages it had. */
      const indexSome = Effect.gen(function* () {
        if (!(yield* store.isBehind)) return 0
        const now = yield* Clock.currentTimeMillis
        if (!(yield* store.takeWriter(now, now + LEASE))) return 0
        const { texts, unreadable } = yield* store.pending(BATCH)
        for (const entry of unreadable) yield* skip(entry, Cause.fail(entry.error))
        const documents = yield* documentsOf(texts)
        if (documents.length > 0) yield* supervisor.task(add(documents), { messages: documents.length })
        return texts.length + unreadable.length
      })

      let mayMerge = true

      /** Merges a part of the index while the queue is empty. Returns whether there was something to merge. */
      const mergeSome = Effect.gen(function* () {
        if (!mayMerge) return false
        const now = yield* Clock.currentTimeMillis
        mayMerge = (yield* store.takeWriter(now, now + LEASE)) && (yield* store.merge)
        return mayMerge
      })

      const work = Effect.gen(function* () {
        const indexed = yield* indexSome
        if (indexed > 0) mayMerge = true
        return indexed > 0 || (yield* mergeSome)
      })

      return {
        drain: Effect.flatMap(drainRounds(indexSome), (indexed) =>
          Effect.when(Effect.repeat(store.merge, { while: (more) => more }), () => indexed > 0),
        ),
        run: supervisor.loop(restingRound(work, POLL, isBusy)),
      }
    }),
  )
}
