/** New items of a list while the reader is further down than its first page. */
import { type Draft, Mailroom } from "@mailroom/client"
import { addNewest } from "@mailroom/dashboard/pages/mail/addNewest"
import { withFresh } from "@mailroom/dashboard/rules/newest"
import { describe, expect, it } from "vitest"
import { draft } from "./support/mails.js"

const LIMIT = 20

/** Drafts `newest` to `1`, newest first. Their ids are in their order. */
const drafts = (newest: number): ReadonlyArray<Draft> =>
  Array.from({ length: newest }, (_, at) => draft({ id: String(newest - at).padStart(5, "0") }))

/** Shows drafts, and adds those of a service that has more. `asked`: the offsets of the pages that were loaded. */
const added = async (shown: ReadonlyArray<Draft> | undefined, newest: number) => {
  const asked: Array<number> = []
  const { drafts: served } = new Mailroom({
    baseUrl: "https://mail.acme.dev",
    fetch: (url) => {
      const first = Number(new URL(url).searchParams.get("cursor") ?? 0)
      const hasMore = first + LIMIT < newest
      asked.push(first)
      return Promise.resolve(
        Response.json({
          drafts: drafts(newest).slice(first, first + LIMIT),
          metadata: { hasMore, ...(hasMore && { nextCursor: String(first + LIMIT) }) },
        }),
      )
    },
  })
  let items = shown
  let reloads = 0
  const pages = {
    items: shown,
    hasMore: true,
    isLoading: false,
    error: undefined,
    loadMore: () => undefined,
    reload: () => void reloads++,
    change: (by: (before: ReadonlyArray<Draft>) => ReadonlyArray<Draft>) => {
      items = by(items ?? [])
    },
  }
  await addNewest(pages, {
    list: served.listAll({ limit: LIMIT }),
    placeOf: ({ id }) => id,
    joined: withFresh,
  })
  return { ids: items?.map(({ id }) => Number(id)), asked, reloads }
}

describe("new items", () => {
  it("are put above all that the reader has loaded, and none is missing between", async () => {
    const { ids, asked, reloads } = await added(drafts(150), 200)
    expect(asked).toEqual([0, 20, 40])
    expect(ids).toEqual(Array.from({ length: 200 }, (_, at) => 200 - at))
    expect(reloads).toBe(0)
  })

  it("cost one request when few came", async () => {
    expect((await added(drafts(150), 155)).asked).toEqual([0])
  })

  it("begin the list again when more than 1,000 came, and at once when nothing was shown", async () => {
    const many = await added(drafts(10), 3_000)
    expect([many.asked.length, many.reloads]).toEqual([50, 1])
    const first = await added([], 100)
    expect([first.asked.length, first.reloads]).toEqual([1, 1])
  })
})
