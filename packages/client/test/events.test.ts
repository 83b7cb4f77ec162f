/** Following events: reconnects, what came in between, cursors. */
import {
  type Fetch,
  Mailroom,
  type MailroomEvent,
  type MailroomError,
  UnauthorizedError,
} from "@mailroom/client"
import { getEventListeners } from "node:events"
import { expect, it } from "vitest"
import { failure, scriptedClient } from "./support/script.js"
import { BASE_URL, startService } from "./support/service.js"

const service = startService()

const subjectOf = ({ data }: MailroomEvent): string => ("subject" in data ? (data.subject ?? "") : "")

/** The next events of an iteration. */
const take = async (
  events: AsyncIterator<MailroomEvent>,
  count: number,
): Promise<ReadonlyArray<MailroomEvent>> => {
  const taken: Array<MailroomEvent> = []
  while (taken.length < count) {
    const next = await events.next()
    if (next.done === true) break
    taken.push(next.value)
  }
  return taken
}

/** A body that breaks when the signal is aborted. */
const breakable = (body: ReadableStream<Uint8Array> | null, signal: AbortSignal) => {
  const reader = body?.getReader()
  return new ReadableStream<Uint8Array>({
    start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)),
    pull: async (controller) => {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (signal.aborted) return
      if (value !== undefined) controller.enqueue(value)
      if (done) controller.close()
    },
    cancel: () => reader?.cancel(),
  })
}

/** The network to the service, which can be cut: open streams break, and requests fail. */
const network = () => {
  let cut = new AbortController()
  let isUp = true
  let streams = 0
  const fetch: Fetch = async (url, init) => {
    if (!isUp) throw new TypeError("fetch failed")
    const { signal } = cut
    const response = await service.fetch(url, init)
    if (url.includes("/v1/events?") || url.endsWith("/v1/events")) streams++
    return new Response(breakable(response.body, signal), response)
  }
  return {
    fetch,
    /** Waits until so many streams were opened. */
    streamsOpened: (count: number) => expect.poll(() => streams).toBe(count),
    down: () => {
      isUp = false
      cut.abort(new TypeError("terminated"))
      cut = new AbortController()
    },
    up: () => {
      isUp = true
    },
  }
}

it("events come as they happen, from now on, and of the wanted kinds", async () => {
  const { fetch, streamsOpened } = network()
  const { mailroom, address } = await service.agent({ fetch })
  await service.receive(address, { subject: "before" })
  const events = mailroom.events({ types: ["message.received"] })
  const first = events.next()
  await streamsOpened(1)
  await service.receive(address, { subject: "after" })
  expect(await first).toMatchObject({ value: { event: "message.received", data: { subject: "after" } } })
  await events.return()
})

it("what came while the connection was lost comes afterwards, once and in order, beyond the replay of the stream", async () => {
  const { fetch, down, up, streamsOpened } = network()
  const { mailroom, address } = await service.agent({ fetch })
  const lost: Array<MailroomError> = []
  const restored = new AbortController()
  const events = mailroom.events({
    signal: restored.signal,
    onDisconnect: (reason) => {
      lost.push(reason)
      up()
    },
  })
  const first = take(events, 1)
  await streamsOpened(1)
  await service.receive(address, { subject: "0" })
  expect((await first).map(subjectOf)).toEqual(["0"])
  down()
  const numbers = Array.from({ length: 120 }, (_, index) => String(index + 1))
  await service.receive(address, ...numbers.map((subject) => ({ subject })))
  expect((await take(events, 120)).map(subjectOf)).toEqual(numbers)
  expect(lost[0]).toMatchObject({ code: "CONNECTION" })
  const next = take(events, 1)
  await service.receive(address, { subject: "live" })
  expect((await next).map(subjectOf)).toEqual(["live"])
  restored.abort()
  expect(await events.next()).toMatchObject({ done: true })
})

it("onConnect tells that the connection is back before an event comes", async () => {
  const { fetch, down, up } = network()
  const { mailroom } = await service.agent({ fetch })
  const told: Array<string> = []
  const leaving = new AbortController()
  const events = mailroom.events({
    signal: leaving.signal,
    onConnect: () => void told.push("connected"),
    onDisconnect: () => {
      told.push("lost")
      up()
    },
  })
  const next = events.next()
  await expect.poll(() => told).toEqual(["connected"])
  down()
  await expect.poll(() => told).toEqual(["connected", "lost", "connected"])
  leaving.abort()
  expect(await next).toMatchObject({ done: true })
})

it("a cursor is saved at the start, and then when the next event is asked for: a consumer that stops gets its last event again", async () => {
  const { mailroom, address } = await service.agent()
  let position: string | undefined
  const cursor = {
    load: () => position,
    save: (id: string) => {
      position = id
    },
  }
  const first = mailroom.events({ cursor })
  const one = take(first, 1)
  await expect.poll(() => position).toBe("")
  await service.receive(address, { subject: "one" }, { subject: "two" })
  expect((await one).map(subjectOf)).toEqual(["one"])
  await first.return()
  const second = mailroom.events({ cursor })
  const [again, two] = await take(second, 2)
  expect([again, two].map((event) => event && subjectOf(event))).toEqual(["one", "two"])
  expect(position).toBe(again?.id)
  await second.return()
})

it("only events of the wanted mailboxes come", async () => {
  const { mailroom, mailboxId, address } = await service.agent()
  const [second, third] = [
    await mailroom.mailboxes.create({ address: "second" }),
    await mailroom.mailboxes.create({ address: "third" }),
  ]
  await service.settle()
  await service.receive(second.fullAddress, { subject: "second" })
  await service.receive(third.fullAddress, { subject: "third" })
  await service.receive(address, { subject: "first" })
  const one = mailroom.events({ after: "", mailboxIds: [mailboxId] })
  expect((await take(one, 1)).map(subjectOf)).toEqual(["first"])
  await one.return()
  const two = mailroom.events({ after: "", mailboxIds: [mailboxId, third.id] })
  expect((await take(two, 2)).map(subjectOf)).toEqual(["third", "first"])
  await two.return()
})

const frame = (counter: number) =>
  `id: 1700000000000-${counter}-abcd\nevent: message.sent\ndata: ${JSON.stringify({
    event: "message.sent",
    timestamp: "2026-01-01T00:00:00.000Z",
    data: { mailbox_id: "box", subject: String(counter) },
  })}\n\n`

const stream = (...chunks: ReadonlyArray<string>) =>
  new Response(new Blob([chunks.join("")]).stream(), { headers: { "content-type": "text/event-stream" } })

const log = (...counters: ReadonlyArray<number>) =>
  Response.json({
    events: counters.map((counter) => ({
      id: `1700000000000-${counter}-abcd`,
      event: "message.sent",
      data: { mailbox_id: "box", subject: String(counter) },
    })),
    metadata: { hasMore: false, nextAfter: `1700000000000-${counters.at(-1) ?? 0}-abcd` },
  })

it("an event of 4 MB that comes in 32,000 chunks is read in linear time, wherever they are cut", async () => {
  const subject = "s".repeat(4_000_000)
  const long = frame(1).replace('"subject":"1"', `"subject":"${subject}"`)
  const bytes = new TextEncoder().encode(`${long}${frame(2).replaceAll("\n", "\r\n")}`)
  let at = 0
  const chunks = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(bytes.subarray(at, (at += at < bytes.length - 400 ? 125 : 1))),
  })
  const { mailroom } = scriptedClient([new Response(chunks), log(0)])
  const events = mailroom.events({ after: "1700000000000-0-abcd" })
  expect((await take(events, 3)).map((event) => subjectOf(event).length)).toEqual([1, 4_000_000, 1])
  await events.return()
})

it("a reconnect frame ends the connection, the next one continues, and what comes twice is left out", async () => {
  const { mailroom, asked } = scriptedClient([
    stream(":ok\n\n", frame(1), frame(2), "event: reconnect\ndata: {}\n\n", frame(9)),
    log(1),
    stream(":ok\n\n", frame(2), ":heartbeat\r\n\r\n", frame(4).replaceAll("\n", "\r\n")),
    log(3),
  ])
  const events = mailroom.events({ after: "1700000000000-0-abcd" })
  expect((await take(events, 4)).map(subjectOf)).toEqual(["1", "2", "3", "4"])
  expect(asked.map(({ path, headers }) => [path, headers.get("last-event-id")])).toEqual([
    ["/v1/events", "1700000000000-0-abcd"],
    ["/v1/events/log?after=1700000000000-0-abcd&limit=100", null],
    ["/v1/events", "1700000000000-2-abcd"],
    ["/v1/events/log?after=1700000000000-2-abcd&limit=100", null],
  ])
})

it("a connection that has ended leaves no listener on the signal", async () => {
  const again = "event: reconnect\ndata: {}\n\n"
  const { mailroom } = scriptedClient([stream(again), log(1), stream(again), log(2), stream(again), log(3)])
  const { signal } = new AbortController()
  const events = mailroom.events({ after: "1700000000000-0-abcd", signal })
  expect((await take(events, 3)).map(subjectOf)).toEqual(["1", "2", "3"])
  await events.return()
  expect(getEventListeners(signal, "abort")).toHaveLength(0)
})

it.each([
  ["the loop is left", log(1)],
  ["the log cannot be read", failure(403, "PERMISSION_DENIED")],
])("the stream is closed when %s before the stream was read", async (_, answer) => {
  const streams: Array<AbortSignal> = []
  const { mailroom } = scriptedClient([
    (_asked, signal) => {
      streams.push(signal)
      return new Response(new ReadableStream())
    },
    answer,
  ])
  const first = async () => {
    for await (const event of mailroom.events({ after: "1700000000000-0-abcd" })) return subjectOf(event)
    return ""
  }
  await first().catch(() => undefined)
  expect(streams.map(({ aborted }) => aborted)).toEqual([true])
})

it("while payment is required, only the stream can be read", async () => {
  const unpaid = () => failure(402, "PAYMENT_REQUIRED")
  const { mailroom } = scriptedClient([unpaid(), stream(frame(7)), unpaid()])
  expect((await take(mailroom.events(), 1)).map(subjectOf)).toEqual(["7"])
})

it("an error that time does not heal ends the iteration", async () => {
  const anonymous = new Mailroom({ baseUrl: BASE_URL, fetch: service.fetch })
  await expect(anonymous.events().next()).rejects.toBeInstanceOf(UnauthorizedError)
})
