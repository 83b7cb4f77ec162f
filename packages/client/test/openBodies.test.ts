/** Responses whose body is read after the call: what their signal does, and for how long. */
import { ConnectionError } from "@mailroom/client"
import { getEventListeners } from "node:events"
import { describe, expect, it } from "vitest"
import { failure, scriptedClient } from "./support/script.js"

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, "abort").length

/** A body of one chunk that goes on. */
const endless = () =>
  new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Buffer.from("Subject: ")) })

describe("the signal of a call whose body is open", () => {
  const { signal } = new AbortController()
  const download = (answer: Response) =>
    scriptedClient([answer]).mailroom.messages.raw("box", "mail", {}, { signal, maxRetries: 0 })

  it("has no listener once the body was read", async () => {
    const response = await download(new Response("Subject: Hello"))
    expect(listenersOf(signal)).toBe(1)
    expect(await response.text()).toBe("Subject: Hello")
    expect(listenersOf(signal)).toBe(0)
  })

  it("has none once the body was cancelled, which reaches the network", async () => {
    let reason: unknown
    const body = new ReadableStream({ cancel: (why) => void (reason = why) })
    const response = await download(new Response(body))
    await response.body?.cancel("enough")
    expect([reason, listenersOf(signal)]).toEqual(["enough", 0])
  })

  it("has none once the body broke", async () => {
    const broken = new TypeError("terminated")
    const body = new ReadableStream({ pull: (controller) => controller.error(broken) })
    const response = await download(new Response(body))
    await expect(response.text()).rejects.toMatchObject({ cause: broken })
    expect(listenersOf(signal)).toBe(0)
  })

  it("has none without a body, and after a refusal", async () => {
    await download(new Response(null, { status: 204 }))
    await expect(download(failure(404, "MESSAGE_NOT_FOUND"))).rejects.toMatchObject({ status: 404 })
    expect(listenersOf(signal)).toBe(0)
  })

  it("ends the request until then", async () => {
    const caller = new AbortController()
    let request: AbortSignal | undefined
    const { mailroom } = scriptedClient([
      (_, itsSignal) => {
        request = itsSignal
        return new Response(endless())
      },
    ])
    const response = await mailroom.messages.raw("box", "mail", {}, { signal: caller.signal })
    const { value } = (await response.body?.getReader().read()) ?? {}
    expect(Buffer.from(value ?? []).toString()).toBe("Subject: ")
    caller.abort("enough")
    expect([request?.aborted, request?.reason, listenersOf(caller.signal)]).toEqual([true, "enough", 0])
  })
})

it("a response with an open body has status, header fields and URL of the answer", async () => {
  const answer = new Response("x", { status: 206, headers: { "content-type": "message/rfc822" } })
  Object.defineProperty(answer, "url", { value: "https://files.test/1" })
  const call = scriptedClient([answer]).mailroom.messages.raw("box", "mail")
  const { data, response } = await call.withResponse()
  expect(response).toBe(data)
  const { status, url, headers } = response
  expect([status, url, headers.get("content-type")]).toEqual([206, "https://files.test/1", "message/rfc822"])
})

it("a body that breaks fails with a ConnectionError, and one that its caller ends with the reason", async () => {
  const broken = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.error(new TypeError("terminated", { cause: new Error("closed") })),
      }),
    )
  const { mailroom } = scriptedClient([broken(), broken()])
  const response = await mailroom.messages.raw("box", "mail")
  const error = await response.arrayBuffer().catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ message: "The service at https://mail.test cannot be reached (closed)." })
  const caller = new AbortController()
  const ended = await mailroom.messages.raw("box", "mail", {}, { signal: caller.signal })
  const reason = new Error("enough")
  caller.abort(reason)
  await expect(ended.arrayBuffer()).rejects.toBe(reason)
})
