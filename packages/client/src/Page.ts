/** Lists: `await` gives the first page, `for await` every item of every page. */
import { type Call, callOf, type WithResponse } from "./Call.js"

/** A page of a list. `Body` is the JSON of the response, with metadata of the page. */
export interface Page<Item, Body = unknown> {
  /** the items of the page; can be few or none while `hasMore` is true */
  readonly items: ReadonlyArray<Item>
  /** whether there is another page */
  readonly hasMore: boolean
  readonly body: Body
  /** The next page. Throws a RangeError when `hasMore` is false. */
  nextPage(): List<Item, Body>
}

export interface List<Item, Body = unknown> extends Call<Page<Item, Body>>, AsyncIterable<Item> {}

export const pageOf = <Item, Body>(
  items: ReadonlyArray<Item>,
  body: Body,
  next: (() => List<Item, Body>) | undefined,
): Page<Item, Body> => ({
  items,
  body,
  hasMore: next !== undefined,
  nextPage: () => {
    if (next === undefined) throw new RangeError("This is the last page: `hasMore` is false.")
    return next()
  },
})

export const listOf = <Item, Body>(answer: Promise<WithResponse<Page<Item, Body>>>): List<Item, Body> => {
  const first = callOf(answer)
  return Object.assign(first, {
    async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
      let page = await first
      yield* page.items
      while (page.hasMore) {
        page = await page.nextPage()
        yield* page.items
      }
    },
  })
}
