/** Bounds a page by bytes, before its rows are read whole. */

/** The first rows: at most `limit`, and at most `maxBytes` of them unless the first alone is larger. */
export const firstThatFit = <A extends { readonly bytes: number }>(
  rows: ReadonlyArray<A>,
  limit: number,
  maxBytes: number,
): ReadonlyArray<A> => {
  let bytes = 0
  return rows.slice(0, limit).filter((row, index) => (bytes += row.bytes) <= maxBytes || index === 0)
}
