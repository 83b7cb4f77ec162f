/** Waiting for a message. */
import { ConnectionError, MailroomError } from "@mailroom/client"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type Asked, failure, scriptedClient } from "./support/script.js"
import { startService } from "./support/service.js"

const service = startService()

const none = (after: string) => Response.json({ message: null, timedOut: true, after })
const found = Response.json({ message: { id: "1" }, timedOut: false, after: "c" })

it("a wait is one chain of requests: each goes on where the one before ended, and a broken one is repeated", async () => {
  const broken = new TypeError("terminated")
  const { mailroom, asked } = scriptedClient([none("a"), none("b"), broken, found.clone()])
  const { message } = await mailroom.messages.wait("box", { from: "bob@x.dev", timeout: 600 })
  expect(message).toEqual({ id: "1" })
  expect(asked.map(({ path }) => path)).toEqual([
    "/v1/mailboxes/box/messages/wait?from=bob%40x.dev&timeout=0",
    "/v1/mailboxes/box/messages/wait?from=bob%40x.dev&timeout=55&after=a",
    "/v1/mailboxes/box/messages/wait?from=bob%40x.dev&timeout=55&after=b",
    "/v1/mailboxes/box/messages/wait?from=bob%40x.dev&timeout=55&after=b",
  ])
})

it.each([Infinity, 2 ** 31 - 1])("a wait whose requests may take %d ms is not cut short", async (timeout) => {
  vi.useFakeTimers()
  try {
    const late = (_: Asked, signal: AbortSignal) =>
      new Promise<Response>((resolve, reject) => {
        setTimeout(() => resolve(found.clone()), 50_000)
        signal.addEventListener("abort", () => reject(signal.reason))
      })
    const { mailroom, asked } = scriptedClient([none("a"), late], { maxRetries: 0 })
    const call = mailroom.messages.wait("box", { timeout: 60 }, { timeout }).catch((error: Error) => error)
    await vi.runAllTimersAsync()
    expect(await call).toMatchObject({ message: { id: "1" } })
    expect(asked).toHaveLength(2)
  } finally {
    vi.useRealTimers()
  }
})

describe("an outage during a wait", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const outage = (requests: number) => Array.from({ length: requests }, () => new TypeError("fetch failed"))
  const ended = async (call: Promise<unknown>) => {
    const end = call.catch((error: Error) => error)
    await vi.runAllTimersAsync()
    return end
  }

  it("does not end it: the wait goes on from its position", async () => {
    const { mailroom, asked } = scriptedClient([none("a"), none("b"), ...outage(20), found.clone()])
    expect(await ended(mailroom.messages.wait("box", { timeout: 3600 }))).toMatchObject({ after: "c" })
    expect(new Set(asked.slice(2).map(({ path }) => path))).toEqual(
      new Set(["/v1/mailboxes/box/messages/wait?timeout=55&after=b"]),
    )
  })

  it("that lasts until the time is over is the error of the wait", async () => {
    const { mailroom } = scriptedClient([none("a"), ...outage(100)])
    const start = Date.now()
    expect(await ended(mailroom.messages.waitAny({ timeout: 60 }))).toBeInstanceOf(ConnectionError)
    expect(Date.now() - start).toBeGreaterThan(40_000)
    expect(Date.now() - start).toBeLessThan(70_000)
  })

  it("is waited for with growing delays, whatever Retry-After says", async () => {
    const busy = Array.from({ length: 200 }, () => failure(503, "OVERLOADED", { "retry-after": "0" }))
    const { mailroom, asked } = scriptedClient([none("a"), ...busy])
    expect(await ended(mailroom.messages.wait("box", { timeout: 60 }))).toMatchObject({ status: 503 })
    expect(asked.length).toBeLessThan(70)
  })

  it.each([
    ["before it has begun", outage(3), {}],
    ["with maxRetries 0", [none("a"), ...outage(1)], { maxRetries: 0 }],
    ["that time does not heal", [none("a"), failure(401, "UNAUTHORIZED")], {}],
  ])("ends it %s", async (_, answers, options) => {
    const { mailroom, asked } = scriptedClient(answers)
    expect(await ended(mailroom.messages.wait("box", { timeout: 600 }, options))).toBeInstanceOf(
      MailroomError,
    )
    expect(asked).toHaveLength(answers.length)
  })
})

it("a message that is there since a time is found at once", async () => {
  const { mailroom, mailboxId, address } = await service.agent()
  await service.receive(address, { subject: "early" })
  const { message } = await mailroom.messages.wait(mailboxId, { since: new Date(0), timeout: 0 })
  expect(message?.subject).toBe("early")
})

it("a wait in any mailbox goes on after the message that it found", async () => {
  const { mailroom, address } = await service.agent()
  const first = await mailroom.messages.waitAny({ timeout: 0 })
  expect(first).toMatchObject({ message: null, timedOut: true })
  await service.receive(address, { subject: "one" }, { subject: "two" })
  const one = await mailroom.messages.waitAny({ after: first.after })
  const two = await mailroom.messages.waitAny({ after: one.after })
  expect([one.message?.subject, two.message?.subject]).toEqual(["one", "two"])
})

it("a signal ends a wait", async () => {
  const { mailroom, mailboxId } = await service.agent()
  const controller = new AbortController()
  const wait = mailroom.messages.wait(mailboxId, { timeout: 600 }, { signal: controller.signal })
  controller.abort(new Error("enough"))
  await expect(wait).rejects.toThrow("enough")
})
