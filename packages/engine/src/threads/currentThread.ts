/** Filters that name a thread which may have been merged into another. */
import type { ThreadId } from "@mailroom/domain"
import { Effect } from "effect"
import type { ThreadStore } from "../ports/stores/ThreadStore.js"

/** The filter with the id of the thread that its thread was merged into; unchanged when it names none. */
export const withCurrentThread = <F extends { readonly threadId: ThreadId | null }>(
  threads: Pick<typeof ThreadStore.Service, "currentIds">,
  filter: F,
): Effect.Effect<F> => {
  const { threadId } = filter
  return threadId === null
    ? Effect.succeed(filter)
    : Effect.map(threads.currentIds([threadId]), (ids) => ({
        ...filter,
        threadId: ids.get(threadId) ?? threadId,
      }))
}
