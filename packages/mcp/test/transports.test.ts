/** The main job of an agent by each transport and each line of clients, against a running server. */
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { ManagedRuntime } from "effect"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Mailroom } from "@mailroom/client"
import { STREAMS_MAX_PER_ACCOUNT } from "@mailroom/domain"
import { owner } from "../../http/test/support/accounts.js"
import { receive } from "../../http/test/support/mail.js"
import { serverUrl, world } from "../../http/test/support/sockets.js"
import { type AnyClient, call, connect, connectOld, idIn, newClient, refusal } from "./support/clients.js"

const runtime = ManagedRuntime.make(world)
let url = ""
beforeAll(async () => {
  url = await runtime.runPromise(serverUrl)
})
afterAll(() => runtime.dispose())

let accounts = 0
const newAgent = async () => {
  const made = await runtime.runPromise(owner("active", `agent${++accounts}`))
  return { ...made, mailroom: new Mailroom({ apiKey: made.key, baseUrl: url }) }
}

const arrive = (address: string, subject: string) =>
  runtime.runPromise(receive(address, [{ subject, text: "Ten pencils, please." }]))

const overStdio = async ({ key }: { readonly key: string }) => {
  const client = newClient()
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [fileURLToPath(new URL("../dist/src/bin.js", import.meta.url))],
      env: { MAILROOM_API_KEY: key, MAILROOM_URL: url },
    }),
  )
  return client
}

const overHttp = ({ key }: { readonly key: string }) => connect({ url, key })
const byOldClient = ({ key }: { readonly key: string }) => connectOld({ url, key })

const clients: ReadonlyArray<readonly [string, (agent: { readonly key: string }) => Promise<AnyClient>]> = [
  ["the client of 2026-07-28 over HTTP", overHttp],
  ["a client of the 2025 protocols over HTTP", byOldClient],
  ["the client of 2026-07-28 over stdio", overStdio],
]

describe.each(clients)("%s", (_, open) => {
  it("waits for a mail, reads it, answers and completes it", async () => {
    const agent = await newAgent()
    const client = await open(agent)
    const { after } = await call(client, "wait_for_message", { timeoutSeconds: 0 })
    const waiting = call(client, "wait_for_message", { after, subject: "order", timeoutSeconds: 30 })
    await arrive(agent.address, "My order")
    const arrived = await waiting
    expect(arrived.content).toContain("Ten pencils, please.")
    const { id: messageId } = idIn(arrived)
    const { token } = await call(client, "claim_message", { messageId })
    const reply = { messageId, text: "They are on their way." }
    expect(await call(client, "reply_to_message", reply)).toMatchObject({ status: "sent", replayed: false })
    expect(await call(client, "complete_message", { messageId, token })).toMatchObject({ completed: true })
    expect(await refusal(client, "claim_message", { messageId })).toMatchObject({ code: "CLAIMED" })
  })
})

it("a service that is away is an error of the call over stdio", async () => {
  const client = newClient()
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [fileURLToPath(new URL("../dist/src/bin.js", import.meta.url))],
      env: { MAILROOM_API_KEY: "mr_none", MAILROOM_URL: "http://127.0.0.1:9" },
    }),
  )
  expect(await refusal(client, "whoami")).toMatchObject({ code: "CONNECTION", retryable: true })
})

it("settings with which no call can succeed: one line on stderr that names the variable, and code 2", () => {
  const wrong = [
    [{ MAILROOM_API_KEY: "mr_…", MAILROOM_URL: url }, "MAILROOM_API_KEY"],
    [{ MAILROOM_API_KEY: "mr_none", MAILROOM_URL: "mail.example.com" }, "MAILROOM_URL"],
    [{ MAILROOM_API_KEY: "mr_none", MAILROOM_URL: "localhost:3000" }, "MAILROOM_URL"],
    [{ MAILROOM_API_KEY: "mr_none", MAILROOM_URL: "https://" }, "MAILROOM_URL"],
    [{ MAILROOM_URL: url }, "MAILROOM_API_KEY"],
  ] as const
  for (const [env, variable] of wrong) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [fileURLToPath(new URL("../dist/src/bin.js", import.meta.url))],
      { encoding: "utf8", env, input: "" },
    )
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
    expect(stderr).toMatch(/^[^\n]+\n$/)
    expect(stderr).toContain(variable)
  }
})

describe("POST /mcp", () => {
  const post = (key: string | null, body: string, options: RequestInit = {}) =>
    fetch(`${url}/mcp`, {
      method: "POST",
      body,
      ...options,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(key !== null && { authorization: `Bearer ${key}` }),
      },
    })

  /** A call as a client of 2025 sends it. */
  const toolCall = (name: string, args: object) =>
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })

  it("refuses a body that is no JSON, is too large or of another type", async () => {
    const { key } = await newAgent()
    expect((await post(key, "{")).status).toBe(400)
    expect((await post(key, JSON.stringify({ text: "a".repeat(5_000_000) }))).status).toBe(413)
    expect((await post("mr_unknown", "{")).status).toBe(401)
  })

  it("serves 200 calls at the same time", async () => {
    const agent = await newAgent()
    await arrive(agent.address, "One")
    const client = await overHttp(agent)
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) => call(client, index % 2 === 0 ? "list_messages" : "whoami")),
    )
    expect(results).toHaveLength(200)
  })

  it("a client that disconnects frees its wait", async () => {
    const { key, mailroom } = await newAgent()
    const client = await overHttp({ key })
    const controller = new AbortController()
    const wait = toolCall("wait_for_message", { timeoutSeconds: 55 })
    const waits = Array.from({ length: 10 }, () => post(key, wait, { signal: controller.signal }))
    const calls = Array.from({ length: 10 }, () =>
      client.callTool(
        { name: "wait_for_message", arguments: { timeoutSeconds: 55 } },
        { signal: controller.signal },
      ),
    )
    const over = Promise.allSettled([...waits, ...calls])
    const tooMany = () => refusal(client, "wait_for_message", { timeoutSeconds: 1 }).catch(() => null)
    await expect.poll(tooMany, { timeout: 20_000 }).toMatchObject({
      code: "TOO_MANY_WAITS",
      retryable: true,
      hint: expect.stringContaining("list_messages"),
    })
    controller.abort()
    await over
    const isFree = async () => {
      const open = await Promise.allSettled(
        Array.from({ length: 20 }, () => mailroom.messages.waitAny({ timeout: 1 }, { maxRetries: 0 })),
      )
      return open.every(({ status }) => status === "fulfilled")
    }
    await expect.poll(isFree, { timeout: 20_000 }).toBe(true)
  })

  it("clients that subscribe to a mailbox hear of its new mail, and of no other account's", async () => {
    const agent = await newAgent()
    const other = await newAgent()
    const client = await overHttp(agent)
    const heard: Array<string> = []
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      heard.push(params.uri)
    })
    const uriOf = (id: string) => `mailroom://mailboxes/${id}/messages`
    const subscription = await client.listen({
      resourceSubscriptions: [uriOf(agent.mailboxId), uriOf(other.mailboxId)],
    })
    await expect
      .poll(
        async () => {
          await arrive(other.address, "Other")
          await arrive(agent.address, "Mine")
          return heard.length
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(0)
    expect(new Set(heard)).toEqual(new Set([uriOf(agent.mailboxId)]))
    const [content] = (await client.readResource({ uri: uriOf(agent.mailboxId) })).contents
    expect(content).toMatchObject({ text: expect.stringContaining("1. Bob <bob@sender.dev>: Mine") })
    await subscription.close()
  })

  it("a client that disconnects frees the stream slot of its subscription", async () => {
    const { key, mailboxId } = await newAgent()
    const client = await overHttp({ key })
    const filter = { resourceSubscriptions: [`mailroom://mailboxes/${mailboxId}/messages`] }
    const isFull = async () => {
      const controller = new AbortController()
      const { status } = await fetch(`${url}/v1/events`, {
        headers: { authorization: `Bearer ${key}` },
        signal: controller.signal,
      })
      controller.abort()
      return status === 429
    }
    for (let stream = 0; stream < STREAMS_MAX_PER_ACCOUNT; stream++) await client.listen(filter)
    await expect.poll(isFull, { timeout: 20_000 }).toBe(true)
    await client.close()
    await expect.poll(isFull, { timeout: 20_000 }).toBe(false)
  })
})
