/**
 * Adds new messages to the search index, in the background (docs/decisions/0061). The database queues each message in the
 * transaction that stores it, so no message is forgotten, and one process at a time works the queue off, newest first. The
 * messages of before the index come after those that arrive meanwhile.
 */
import { SECOND, searchedFactsOf, searchedTokens } from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { type SearchDocument, SearchStore, type StoredText } from "../ports/stores/SearchStore.js"
import { drainRounds, makeSupervisor } from "../workers/supervisor.js"

/** Messages of one transaction. */
const BATCH = 64
/** Milliseconds for which a process may write the index. Another takes over when it is dead. */
const LEASE = 30 * SECOND
/** Milliseconds between two looks into an empty queue. A search reads the queue too, so a message is found before. */
const POLL = SECOND

const documentOf = (text: StoredText): SearchDocument => ({
  id: text.id,
  accountId: text.accountId,
  mailboxId: text.mailboxId,
  createdAt: text.createdAt,
  sizeBytes: text.sizeBytes,
  facts: searchedFactsOf(text.content),
  tokens: searchedTokens(text.content, text.headers),
})

export class SearchIndexer extends Context.Tag("@mailroom/SearchIndexer")<
  SearchIndexer,
  {
    /** Indexes everything that is queued, unless another process does. */
    readonly drain: Effect.Effect<void>
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.effect(
    SearchIndexer,
    Effect.gen(function* () {
      const store = yield* SearchStore
      const supervisor = makeSupervisor("search")

      /** Indexes one batch, and returns how many messages it had. */
      const indexSome = Effect.gen(function* () {
        if (!(yield* store.isBehind)) return 0
        const now = yield* Clock.currentTimeMillis
        if (!(yield* store.takeWriter(now, now + LEASE))) return 0
        const texts = yield* store.pending(BATCH)
        if (texts.length === 0) return 0
        // A text of 256 kB takes some 20 ms: let others go between two.
        const documents = yield* Effect.forEach(texts, (text) =>
          Effect.zipLeft(
            Effect.sync(() => documentOf(text)),
            Effect.yieldNow(),
          ),
        )
        yield* supervisor.task(store.add(documents), { messages: documents.length })
        return documents.length
      })

      /** Rests as long as it worked, so that delivery has the larger share of the processor. */
      const round = Effect.gen(function* () {
        const began = yield* Clock.currentTimeMillis
        const indexed = yield* indexSome
        const took = (yield* Clock.currentTimeMillis) - began
        yield* Effect.sleep(indexed === 0 ? POLL : took)
      })

      return { drain: Effect.asVoid(drainRounds(indexSome)), run: supervisor.loop(round) }
    }),
  )
}
