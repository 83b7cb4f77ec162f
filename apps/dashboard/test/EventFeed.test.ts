/** The events of a tab that reads the log and hears of the stream from another tab. */
import { Mailroom, type MailroomEvent } from "@mailroom/client"
import { EventFeed, type Position } from "@mailroom/dashboard/data/EventFeed"
import { describe, expect, it } from "vitest"
import { NOON } from "./support/mails.js"
import { refusal } from "./support/withoutBrowser.js"

/** The event of a counter. */
const event = (counter: number): MailroomEvent => ({
  id: `1773057600000-${counter}-abcd`,
  event: "thread.released",
  timestamp: NOON.toISOString(),
  data: {
    thread_id: "01a20916-c4fd-7190-bbb4-000000000000",
    mailbox_id: "01a20917-c360-7726-b065-042cc9b0c33a",
    mailbox_address: "agent@acme.dev",
    subject: "Plan",
    released_at: NOON.toISOString(),
  },
})

/** A tab at a position, beside a log of as many events. `whileReading` happens before the log answers. */
const tabAt = (
  position: Position,
  logged: number,
  whileReading: () => Response | undefined = () => undefined,
) => {
  const seen: Array<number> = []
  const asked: Array<string> = []
  const counterOf = (id: string | null): number => Number(id?.split("-")[1] ?? 0)
  const client = new Mailroom({
    baseUrl: "https://mail.acme.dev",
    maxRetries: 0,
    fetch: (url) => {
      const { search, searchParams } = new URL(url)
      asked.push(search)
      const failed = whileReading()
      if (failed !== undefined) return Promise.resolve(failed)
      const after = searchParams.get("after")
      const first = after === "latest" ? logged : counterOf(after)
      const events = Array.from({ length: logged - first }, (_, at) => event(first + at + 1)).slice(0, 100)
      const last = events.at(-1)?.id ?? (logged === 0 ? undefined : event(logged).id)
      const hasMore = first + events.length < logged
      return Promise.resolve(Response.json({ events, metadata: { hasMore, nextAfter: last } }))
    },
  })
  const ending = new AbortController()
  const feed = new EventFeed(client.events.log, position, ({ id }) => seen.push(counterOf(id)), ending.signal)
  return { feed, seen, asked, end: () => ending.abort() }
}

describe("a tab that begins", () => {
  it("starts at the end of the log, and sees what it hears after it", async () => {
    const position: Position = { id: undefined }
    const { feed, seen } = tabAt(position, 7)
    await feed.catchUp()
    expect(position.id).toBe(event(7).id)
    for (const counter of [7, 8]) feed.hear(event(counter))
    expect(seen).toEqual([8])
  })

  it("knows that the log is empty, and sees the first event of the account later", async () => {
    const position: Position = { id: undefined }
    await tabAt(position, 0).feed.catchUp()
    const { feed, seen } = tabAt(position, 1)
    await feed.catchUp()
    expect(seen).toEqual([1])
  })
})

describe("a tab that was away", () => {
  it("sees what the log has since, of all pages", async () => {
    const { feed, seen } = tabAt({ id: event(50).id }, 250)
    await feed.catchUp()
    expect(seen).toEqual(Array.from({ length: 200 }, (_, at) => 51 + at))
  })

  it("sees an event after those of the log that it heard of while it read them, and each once", async () => {
    const { feed, seen } = tabAt({ id: event(1).id }, 3, () => {
      for (const counter of [3, 4]) feed.hear(event(counter))
      return undefined
    })
    await feed.catchUp()
    expect(seen).toEqual([2, 3, 4])
  })

  it("reads the log again at the next event when that failed: no event moves the position past the gap", async () => {
    const answers = [refusal(503, "UNAVAILABLE")]
    const position: Position = { id: event(1).id }
    const { feed, seen, asked } = tabAt(position, 4, () => answers.pop())
    await feed.catchUp()
    expect(position.id).toBe(event(1).id)
    feed.hear(event(4))
    await expect.poll(() => seen).toEqual([2, 3, 4])
    expect(asked).toHaveLength(2)
  })

  it("sees what it hears while payment is required, when nobody may read the log", async () => {
    const { feed, seen } = tabAt({ id: event(1).id }, 4, () => refusal(402, "PAYMENT_REQUIRED"))
    await feed.catchUp()
    feed.hear(event(5))
    expect(seen).toEqual([5])
  })

  it("sees nothing once it is hidden again: the position stays where it was", async () => {
    const position: Position = { id: event(1).id }
    const { feed, seen, end } = tabAt(position, 4)
    const reading = feed.catchUp()
    end()
    await reading
    feed.take(event(2))
    expect(seen).toEqual([])
    expect(position.id).toBe(event(1).id)
  })
})
