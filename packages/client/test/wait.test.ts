/** Waiting for a message. */
import { expect, it, vi } from "vitest"
import { type Asked, scriptedClient } from "./support/script.js"
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
