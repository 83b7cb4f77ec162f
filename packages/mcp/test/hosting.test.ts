/** `/mcp` as a stranger finds it: credentials, origins, methods, headers, bodies, connections. */
import { Draining } from "@mailroom/http"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as z from "zod"
import { BASE_URL, startService } from "../../client/test/support/service.js"
import { owner, signIn } from "../../http/test/support/accounts.js"
import manifest from "../package.json" with { type: "json" }
import { call, connect, connectOld } from "./support/clients.js"

const service = startService()

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" }

const rpc = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params })
const whoami = rpc("tools/call", { name: "whoami", arguments: {} })

const post = (body: unknown, headers: Readonly<Record<string, string>>) =>
  service.fetch(`${BASE_URL}/mcp`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { ...HEADERS, ...headers },
  })

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const codeOf = async (response: Response) => z.object({ code: z.string() }).parse(await response.json()).code

const METADATA = "/.well-known/oauth-protected-resource"

describe("credentials", () => {
  it("are an API key in the header Authorization, and nothing else", async () => {
    const [{ key }, cookie] = await service.run(
      Effect.gen(function* () {
        const account = yield* owner("active", "cookie")
        return [account, yield* signIn(account)] as const
      }),
    )
    const [, token = ""] = cookie.split("=")
    expect(token).not.toBe("")
    expect((await post(whoami, bearer(key))).status).toBe(200)
    for (const headers of [
      {},
      { cookie },
      { authorization: key },
      { authorization: `Basic ${btoa(`${key}:`)}` },
      { "x-api-key": key },
      bearer(token),
      bearer("mr_unknown"),
      { ...bearer("mr_unknown"), cookie },
    ]) {
      const response = await post(whoami, headers)
      expect([headers, response.status, await codeOf(response)]).toEqual([headers, 401, "UNAUTHORIZED"])
    }
  })

  it("that are missing or wrong are answered with the place of the metadata (RFC 9728, RFC 6750)", async () => {
    const challenge = `Bearer resource_metadata="${BASE_URL}${METADATA}/mcp"`
    expect((await post(whoami, {})).headers.get("www-authenticate")).toBe(challenge)
    expect((await post(whoami, bearer("mr_unknown"))).headers.get("www-authenticate")).toBe(
      `${challenge}, error="invalid_token"`,
    )
    for (const path of [METADATA, `${METADATA}/mcp`]) {
      const response = await service.fetch(`${BASE_URL}${path}`, {})
      expect(await response.json()).toEqual({
        resource: `${BASE_URL}/mcp`,
        resource_name: "Mailroom",
        resource_documentation: `${BASE_URL}/llms.txt`,
        bearer_methods_supported: ["header"],
      })
    }
  })
})

describe("a request", () => {
  it("of a page of another origin is refused, also when it forges Host", async () => {
    const { key } = await service.agent()
    for (const origin of ["https://evil.dev", "null", `${BASE_URL}.evil.dev`, `${BASE_URL}:8080`])
      for (const host of ["mailroom.test", "evil.dev"]) {
        const response = await post(whoami, { ...bearer(key), origin, host })
        expect([origin, response.status, await codeOf(response)]).toEqual([origin, 403, "FOREIGN_ORIGIN"])
      }
    expect((await post(whoami, { ...bearer(key), origin: BASE_URL })).status).toBe(200)
  })

  it("by another method is refused with Allow", async () => {
    const { key } = await service.agent()
    for (const method of ["GET", "DELETE", "PUT", "OPTIONS"]) {
      const response = await service.fetch(`${BASE_URL}/mcp`, { method, headers: bearer(key) })
      expect([method, response.status, response.headers.get("allow")]).toEqual([method, 405, "POST"])
      expect(response.headers.get("access-control-allow-origin")).toBeNull()
    }
  })

  it("needs JSON, and Accept with JSON and event streams", async () => {
    const { key } = await service.agent()
    expect((await post(whoami, { ...bearer(key), "content-type": "text/plain" })).status).toBe(415)
    for (const accept of ["text/html", "application/json", "text/event-stream"])
      expect((await post(whoami, { ...bearer(key), accept })).status).toBe(406)
    const { status, headers } = await post(whoami, bearer(key))
    expect([status, headers.get("mcp-session-id")]).toEqual([200, null])
  })

  it("may be a batch of 2025, and a large, an empty or a wrong one is refused", async () => {
    const { key } = await service.agent()
    const batch = [whoami, { ...whoami, id: 2 }]
    const text = await (await post(batch, bearer(key))).text()
    expect(text.match(/"structuredContent"/g)).toHaveLength(2)
    const many = Array.from({ length: 200 }, (_, id) => ({ ...whoami, id }))
    for (const body of [many, [], [1], 1, null, {}, { jsonrpc: "2.0" }, [[whoami]]])
      expect((await post(body, bearer(key))).status).toBe(400)
  })

  it("with deep or many values is refused, and takes no time", async () => {
    const { key } = await service.agent()
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${"[".repeat(1e5)}${"]".repeat(1e5)}}`
    const wide = JSON.stringify({ ...whoami, params: Array.from({ length: 1e5 }, () => []) })
    for (const body of [deep, wide, "[".repeat(4e6)]) {
      const response = await post(body, bearer(key))
      expect([response.status, await codeOf(response)]).toEqual([400, "VALIDATION_FAILED"])
    }
    expect((await post("a".repeat(5e6), bearer(key))).status).toBe(413)
  })
})

it("the server names the version of the package, and clients of 2025 cannot subscribe", async () => {
  const { key } = await service.agent()
  const target = { url: BASE_URL, key, fetch: service.fetch }
  const [client, old] = [await connect(target), await connectOld(target)]
  for (const version of [client.getServerVersion(), old.getServerVersion()])
    expect(version).toMatchObject({ name: "mailroom", version: manifest.version })
  expect(client.getServerCapabilities()).toMatchObject({ resources: { subscribe: true } })
  expect(old.getServerCapabilities()?.resources?.subscribe).toBeUndefined()
})

it("calls of several keys at the same time, by both lines of clients, see the mail of their own account", async () => {
  const agents = await Promise.all(Array.from({ length: 5 }, () => service.agent()))
  const clients = await Promise.all(
    agents.map(async ({ key, address }, index) => {
      await service.receive(address, { subject: `For ${address}`, text: "Hello" })
      const open = index % 2 === 0 ? connect : connectOld
      return { address, client: await open({ url: BASE_URL, key, fetch: service.fetch }) }
    }),
  )
  const results = await Promise.all(
    clients.flatMap(({ address, client }) =>
      Array.from({ length: 10 }, async (_, index) => {
        const tool = index % 2 === 0 ? "whoami" : "list_messages"
        return { address, text: JSON.stringify(await call(client, tool)) }
      }),
    ),
  )
  for (const { address, text } of results) {
    expect(text).toContain(address)
    for (const other of agents) if (other.address !== address) expect(text).not.toContain(other.address)
  }
})

describe("a subscription", () => {
  it("ends when the server stops", async () => {
    const { key } = await service.agent()
    const client = await connect({ url: BASE_URL, key, fetch: service.fetch })
    const { closed } = await client.listen({ resourceSubscriptions: ["mailroom://mailboxes/a/messages"] })
    await service.run(Effect.flatMap(Draining, ({ begin }) => begin))
    expect(await closed).toBe("graceful")
  })
})
