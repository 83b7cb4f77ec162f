/** Mailroom with promises, in this process and with a real SMTP client (docs/embedding.md). */
import { plainMail, deliver } from "@mailroom/test-services"
import Database from "better-sqlite3"
import { Effect } from "effect"
import {
  createMailroom,
  type IncomingMail,
  MailroomClosed,
  OptionsInvalid,
  Refused,
  type RunningMailroom,
} from "mailroom"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"

const ADDRESS = "agent@mailroom.localhost"

/** A promise, and what settles it. */
const deferred = <A>() => {
  let resolve: (value: A) => void = () => undefined
  const promise = new Promise<A>((settle) => (resolve = settle))
  return { promise, resolve }
}

const delivered = (mailroom: RunningMailroom, name: string) =>
  Effect.runPromise(deliver(mailroom.port ?? 0, ADDRESS, plainMail(name)))

describe("createMailroom", () => {
  let mailroom: RunningMailroom
  beforeAll(async () => {
    mailroom = await createMailroom({ receive: { port: 0 } })
    await mailroom.mailboxes.adopt("agent")
  })
  afterAll(() => mailroom.close())

  it("hands mail to a function, which answers it", async () => {
    const answered = deferred<unknown>()
    const handling = mailroom.onMessage(async (mail) => {
      expect(mail.message.bodyText?.trim()).toBe("This is hello.")
      answered.resolve(await mail.reply("Hello!"))
    })
    expect(await delivered(mailroom, "hello")).toMatch(/^250/)
    expect(await answered.promise).toMatchObject({ kind: "sent" })
    await handling.stop()
    const mailbox = await mailroom.mailboxes.adopt("agent")
    const { messages } = await mailroom.messages.list(mailbox)
    expect(messages.map(({ subject }) => subject)).toEqual(["Re: hello", "hello"])
  })

  it("calls a function that throws again", async () => {
    const done = deferred<number>()
    let calls = 0
    const handling = mailroom.onMessage(
      () => {
        calls += 1
        if (calls === 1) throw new Error("not yet")
        done.resolve(calls)
      },
      { name: "throws" },
    )
    await delivered(mailroom, "again")
    expect(await done.promise).toBe(2)
    await handling.stop()
  })

  it("aborts the signal of a function that runs when the handling stops, and calls the next one with the same mail", async () => {
    const begun = deferred<AbortSignal>()
    const slow = mailroom.onMessage(
      (_, { signal }) => {
        begun.resolve(signal)
        return new Promise((resolve) => signal.addEventListener("abort", resolve))
      },
      { name: "slow" },
    )
    await delivered(mailroom, "slow")
    const signal = await begun.promise
    expect(signal.aborted).toBe(false)
    await slow.stop()
    expect(signal.aborted).toBe(true)
    await slow.stopped
    const got = deferred<IncomingMail>()
    const next = mailroom.onMessage((mail) => got.resolve(mail), { name: "slow" })
    expect((await got.promise).message.subject).toBe("slow")
    await next.stop()
  })

  it("waits ten seconds at most for a function that ignores its signal", async () => {
    const begun = deferred<undefined>()
    const deaf = mailroom.onMessage(
      () => {
        begun.resolve(undefined)
        return new Promise(() => undefined)
      },
      { name: "deaf" },
    )
    await delivered(mailroom, "deaf")
    await begun.promise
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      let hasStopped = false
      const stopping = deaf.stop().then(() => (hasStopped = true))
      await vi.advanceTimersByTimeAsync(9_999)
      expect(hasStopped).toBe(false)
      await vi.advanceTimersByTimeAsync(1)
      await stopping
    } finally {
      vi.useRealTimers()
    }
  })

  it("rejects with the code and the text of a refusal", async () => {
    const refused = await mailroom.mailboxes.adopt("two words").catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Refused)
    expect(refused).toBeInstanceOf(Error)
    expect(refused).toMatchObject({
      code: "VALIDATION_FAILED",
      message: expect.stringContaining("before the @"),
    })
  })

  it("refuses a second function under the name of one that runs, because they would share its events", async () => {
    const handler = () => undefined
    const first = mailroom.onMessage(handler)
    expect(() => mailroom.onEvent(handler)).toThrow(/A handler with the name default runs/)
    await first.stop()
    await mailroom.onEvent(handler).stop()
  })

  it("refuses at once a handler that would handle nothing, and says what is wrong", () => {
    const handler = () => undefined
    // As JavaScript may call it, without types.
    const call = (...given: ReadonlyArray<unknown>) => Reflect.apply(mailroom.onMessage, mailroom, given)
    expect(() => mailroom.onMessage(handler, { name: "support agent" })).toThrow(
      new OptionsInvalid({ message: "`name` must be 1 to 64 of A-Z a-z 0-9 . _ -" }),
    )
    expect(() => call(handler, { nmae: "agent" })).toThrow(/`nmae`/)
    expect(() => call(handler, { kinds: ["message.sent"] })).toThrow(/`kinds`/)
    expect(() => call(handler, null)).toThrow(OptionsInvalid)
    expect(() => call({ handler })).toThrow("The handler is not a function")
    expect(() => mailroom.onEvent(handler, { concurrency: 0 })).toThrow(/`concurrency`/)
    expect(() => Reflect.apply(mailroom.onEvent, mailroom, [handler, { kinds: ["mail"] }])).toThrow(/`kinds/)
  })

  it("logs an error when a handler cannot run any more", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mailroom-handler-"))
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined)
    try {
      await using broken = await createMailroom({ folder, receive: false })
      const database = new Database(join(folder, "mailroom.db"))
      database.exec("DROP TABLE consumers")
      database.close()
      await expect(broken.onMessage(() => undefined, { name: "agent" }).stopped).rejects.toThrow()
      expect(log.mock.calls.flat().join(" ")).toContain("The handler agent has stopped")
    } finally {
      log.mockRestore()
      await rm(folder, { recursive: true })
    }
  })

  it("says what to do when its port is taken", async () => {
    const taken = createMailroom({ receive: { port: mailroom.port ?? 0 } })
    await expect(taken).rejects.toMatchObject({
      _tag: "PortUnusable",
      message: expect.stringMatching(
        /^Mail cannot be received on 127\.0\.0\.1:\d+ \(EADDRINUSE\)\. Another program/,
      ),
    })
  })

  it("starts in a folder in which a start failed because of its port", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mailroom-start-"))
    try {
      const taken = createMailroom({ folder, receive: { port: mailroom.port ?? 0 } })
      await expect(taken).rejects.toMatchObject({ _tag: "PortUnusable" })
      await using again = await createMailroom({ folder, receive: { port: 0 } })
      expect((await again.mailboxes.adopt("agent")).fullAddress).toBe(ADDRESS)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it("closes with `await using`, and refuses calls from then on", async () => {
    let kept: RunningMailroom | undefined
    {
      await using inner = await createMailroom({ receive: false })
      kept = inner
      expect(inner.port).toBeNull()
      expect((await inner.mailboxes.adopt("agent")).fullAddress).toBe(ADDRESS)
    }
    await expect(kept.mailboxes.list()).rejects.toThrow(MailroomClosed)
  })

  it("closes once, and then says that it is closed", async () => {
    const closed = await createMailroom({ receive: false })
    const handling = closed.onMessage(() => undefined)
    await Promise.all([closed.close(), closed.close()])
    await closed.close()
    await handling.stop()
    await handling.stopped
    const error: unknown = await closed.mailboxes.adopt("agent").catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(MailroomClosed)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ message: expect.stringMatching(/^This Mailroom is closed/) })
    const late = closed.onMessage(() => undefined)
    await expect(late.stopped).rejects.toThrow(MailroomClosed)
    await late.stop()
  })

  it("sends the answer of a handler that ends while it closes", async () => {
    const inner = await createMailroom({ receive: { port: 0 } })
    await inner.mailboxes.adopt("agent")
    const begun = deferred<undefined>()
    const answered = deferred<unknown>()
    inner.onMessage(async (mail, { signal }) => {
      begun.resolve(undefined)
      await new Promise((resolve) => signal.addEventListener("abort", resolve))
      answered.resolve(await mail.reply("I close now."))
    })
    await delivered(inner, "last")
    await begun.promise
    await inner.close()
    expect(await answered.promise).toMatchObject({ kind: "sent" })
  })
})
