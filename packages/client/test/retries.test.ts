/** When requests are repeated, and when not. */
import { ConnectionError, type Mailroom, TimeoutError } from "@mailroom/client"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { type Asked, failure, scriptedClient, silence } from "./support/script.js"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const mailbox = () => Response.json({ mailbox: { id: "1" } })
const broken = () => new TypeError("fetch failed")

/** Lets the timers run while the call does, and returns how it ended. */
const settled = async <T>(call: Promise<T>): Promise<T | Error> => {
  const ended = call.catch((error: Error) => error)
  await vi.runAllTimersAsync()
  return ended
}

it.each([
  ["408", failure(408, "REQUEST_TIMEOUT")],
  ["429", failure(429, "RATE_LIMITED", { "retry-after": "1" })],
  ["503", failure(503, "OVERLOADED")],
  ["a proxy's 502", new Response("<html>", { status: 502 })],
  ["a broken connection", broken()],
])("a read is repeated after %s", async (_, first) => {
  const { mailroom, asked } = scriptedClient([first, mailbox()])
  expect(await settled(mailroom.mailboxes.get("1"))).toEqual({ id: "1" })
  expect(asked).toHaveLength(2)
})

it("a read is repeated after a timeout, and after a connection that breaks within the body", async () => {
  const cut = new ReadableStream({ start: (controller) => controller.error(new TypeError("terminated")) })
  const { mailroom, asked } = scriptedClient([silence, new Response(cut), mailbox()], { timeout: 100 })
  expect(await settled(mailroom.mailboxes.get("1"))).toEqual({ id: "1" })
  expect(asked).toHaveLength(3)
})

it("a request is repeated as often as the client or the call says", async () => {
  const { mailroom, asked } = scriptedClient([broken(), broken(), broken(), broken(), broken()], {
    maxRetries: 3,
  })
  expect(await settled(mailroom.mailboxes.get("1"))).toBeInstanceOf(ConnectionError)
  expect(asked).toHaveLength(4)
  await settled(mailroom.mailboxes.get("1", { maxRetries: 0 }))
  expect(asked).toHaveLength(5)
})

it("delays double, and never fall below Retry-After", async () => {
  const { mailroom } = scriptedClient([
    broken(),
    failure(503, "OVERLOADED", { "retry-after": "7" }),
    mailbox(),
  ])
  const started = Date.now()
  await settled(mailroom.mailboxes.get("1"))
  expect(Date.now() - started).toBeGreaterThanOrEqual(250 + 7000)
  expect(Date.now() - started).toBeLessThanOrEqual(500 + 7700)
})

it("a Retry-After of more than a minute fails at once", async () => {
  const { mailroom, asked } = scriptedClient([
    failure(429, "DAILY_SEND_LIMIT_REACHED", { "retry-after": "61" }),
  ])
  expect(await settled(mailroom.messages.send("1", { to: ["a@b.c"], subject: "s" }))).toMatchObject({
    code: "DAILY_SEND_LIMIT_REACHED",
    retryAfter: 61,
  })
  expect(asked).toHaveLength(1)
})

it("a POST is repeated with the idempotency key that the call made", async () => {
  const inUse = failure(409, "IDEMPOTENCY_KEY_IN_USE", { "retry-after": "1" })
  const { mailroom, asked } = scriptedClient([broken(), inUse, mailbox(), mailbox()])
  await settled(mailroom.mailboxes.create({ address: "sales" }))
  await settled(mailroom.mailboxes.create({ address: "sales" }))
  const keys = asked.map(({ headers }) => headers.get("idempotency-key"))
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
  expect(keys.slice(0, 3)).toEqual([keys[0], keys[0], keys[0]])
  expect(keys[3]).not.toBe(keys[0])
})

it("a call takes a key of its caller", async () => {
  const { mailroom, asked } = scriptedClient([mailbox()])
  await settled(mailroom.mailboxes.create({ address: "sales" }, { idempotencyKey: "order-7" }))
  expect(asked[0]?.headers.get("idempotency-key")).toBe("order-7")
})

it("a repeated form has the same bytes", async () => {
  const { mailroom, asked } = scriptedClient([broken(), Response.json({ id: "1" })])
  await settled(mailroom.attachments.upload(new File(["1200 €"], "figures.csv")))
  expect(asked.map(({ headers }) => headers.get("content-type"))).toEqual([
    asked[0]?.headers.get("content-type"),
    asked[0]?.headers.get("content-type"),
  ])
  expect(asked[1]?.body).toBe(asked[0]?.body)
})

it("a send whose outcome is unknown is not repeated", async () => {
  const { mailroom, asked } = scriptedClient([failure(503, "SEND_UNCERTAIN")])
  expect(await settled(mailroom.messages.send("1", { to: ["a@b.c"], subject: "s" }))).toMatchObject({
    code: "SEND_UNCERTAIN",
  })
  expect(asked).toHaveLength(1)
})

it("PATCH, DELETE, and a POST without keys are not repeated", async () => {
  const { mailroom, asked } = scriptedClient([broken(), broken(), broken(), broken()])
  await settled(mailroom.mailboxes.update("1", {}))
  await settled(mailroom.mailboxes.remove("1"))
  await settled(mailroom.session.signOut())
  await settled(mailroom.admin.unsuspendAccount("1"))
  expect(asked.map(({ headers }) => headers.get("idempotency-key"))).toEqual([null, null, null, null])
})

it("a timeout is an error of its own, by client and by call", async () => {
  const { mailroom } = scriptedClient([silence, silence], { maxRetries: 0, timeout: 100 })
  const error = await settled(mailroom.mailboxes.get("1"))
  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toMatchObject({ code: "TIMEOUT", message: "The service did not answer within 100 ms." })
  expect(await settled(mailroom.mailboxes.get("1", { timeout: 5 }))).toMatchObject({
    message: "The service did not answer within 5 ms.",
  })
})

const file = { filename: "a.bin", contentType: "application/octet-stream", content: new Uint8Array(25 << 20) }
const send = { to: ["a@b.c"], subject: "s" }

it.each<[string, number, (mailroom: Mailroom) => Promise<unknown>]>([
  ["an upload of 25 MB", 360_000, ({ attachments }) => attachments.upload(file)],
  ["a send with 25 MB", 360_000, ({ messages }) => messages.send("1", { ...send, attachments: [file] })],
  ["an import of 25 MB", 360_000, ({ messages }) => messages.import("1", file.content)],
  ["an import of 6.4 MB", 160_000, ({ messages }) => messages.import("1", "x".repeat(6_553_600))],
  ["a send without a file", 60_000, ({ messages }) => messages.send("1", send)],
  ["an upload with a timeout", 100, ({ attachments }) => attachments.upload(file, { timeout: 100 })],
])("%s has %d ms: the timeout, and the time that the service gives its body", async (_, timeout, call) => {
  let begin = () => {}
  const begun = new Promise<void>((resolve) => (begin = resolve))
  const silent = (asked: Asked, signal: AbortSignal) => {
    begin()
    return silence(asked, signal)
  }
  const { mailroom } = scriptedClient([silent], { maxRetries: 0 })
  const ended = call(mailroom).catch((error: Error) => error)
  // The body of a form is read without timers.
  await begun
  await vi.runAllTimersAsync()
  expect(await ended).toMatchObject({ message: `The service did not answer within ${timeout} ms.` })
})

/** An answer that takes five seconds, unless the request is aborted before. */
const late = (_: Asked, signal: AbortSignal) =>
  new Promise<Response>((resolve, reject) => {
    setTimeout(() => resolve(mailbox()), 5_000)
    signal.addEventListener("abort", () => reject(signal.reason))
  })

it.each([Infinity, 1e300, 2 ** 31])("a timeout of %d ms does not end a call early", async (timeout) => {
  const { mailroom, asked } = scriptedClient([late, late], { maxRetries: 0, timeout })
  expect(await settled(mailroom.mailboxes.get("1"))).toEqual({ id: "1" })
  expect(await settled(mailroom.mailboxes.get("1", { timeout }))).toEqual({ id: "1" })
  expect(asked).toHaveLength(2)
})

it.each([Number.NaN, 0, -1, -Infinity])("a timeout of %d ms is a TypeError", async (timeout) => {
  expect(() => scriptedClient([], { timeout })).toThrow(TypeError)
  const { mailroom, asked } = scriptedClient([])
  expect(await settled(mailroom.mailboxes.get("1", { timeout }))).toBeInstanceOf(TypeError)
  expect(await settled(mailroom.messages.wait("1", {}, { timeout }))).toBeInstanceOf(TypeError)
  expect(asked).toHaveLength(0)
})

it("events that are told to come back after more than 25 days do not come back at once", async () => {
  const busy = () => failure(503, "OVERLOADED", { "retry-after": "9999999" })
  const { mailroom, asked } = scriptedClient([busy(), busy(), busy(), busy()])
  const leaving = new AbortController()
  const next = mailroom.events({ signal: leaving.signal }).next()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toHaveLength(1)
  leaving.abort()
  expect(await next).toMatchObject({ done: true })
})

it.each(["0", "Thu, 01 Jan 1970 00:00:00 GMT"])(
  "events are not asked for without a pause after a Retry-After of %s",
  async (retryAfter) => {
    const busy = Array.from({ length: 100 }, () => failure(503, "OVERLOADED", { "retry-after": retryAfter }))
    const { mailroom, asked } = scriptedClient(busy)
    const leaving = new AbortController()
    const next = mailroom.events({ after: "", signal: leaving.signal }).next()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked.length).toBeLessThan(8)
    leaving.abort()
    expect(await next).toMatchObject({ done: true })
  },
)

it("a success that is not JSON is not repeated, and ends the iteration of events", async () => {
  const { mailroom, asked } = scriptedClient([new Response("<h1>Welcome</h1>"), mailbox()])
  expect(await settled(mailroom.mailboxes.get("1"))).toMatchObject({ code: "NOT_JSON" })
  expect(asked).toHaveLength(1)
  const page = () => new Response("<h1>Welcome</h1>")
  const other = scriptedClient([page(), page()])
  expect(await settled(other.mailroom.events({ after: "" }).next())).toMatchObject({ code: "NOT_JSON" })
})

it("an aborted call fails with the reason of its signal: before, while it runs, and between repetitions", async () => {
  const { mailroom, asked } = scriptedClient([silence, broken(), mailbox()])
  const reason = new Error("enough")
  expect(await settled(mailroom.mailboxes.get("1", { signal: AbortSignal.abort(reason) }))).toBe(reason)
  expect(asked).toHaveLength(0)

  const running = new AbortController()
  const call = mailroom.mailboxes.get("1", { signal: running.signal })
  setTimeout(() => running.abort(reason), 10)
  expect(await settled(call)).toBe(reason)

  const waiting = new AbortController()
  const repeated = mailroom.mailboxes.get("1", { signal: waiting.signal })
  setTimeout(() => waiting.abort(reason), 10)
  expect(await settled(repeated)).toBe(reason)
  expect(asked).toHaveLength(2)
})
