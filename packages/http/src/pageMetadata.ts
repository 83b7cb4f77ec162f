/** The metadata of a page. */
import type { Cursors } from "@mailroom/domain"

/** `next` is the position of the next page, null on the last. */
export const pageMetadata = <A>(cursors: Cursors<A>, limit: number, next: A | null) => ({
  limit,
  hasMore: next !== null,
  ...(next !== null && { nextCursor: cursors.encode(next) }),
})
