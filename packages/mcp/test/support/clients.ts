/** The official clients of the protocol, of the current line and of the one before. */
import { type Fetch } from "@mailroom/client"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { afterAll } from "vitest"

interface Target {
  readonly url: string
  readonly key: string
  /** by default the global `fetch` */
  readonly fetch?: Fetch
}

const connection = ({ url, key, fetch: send = (target, init) => fetch(target, init) }: Target) =>
  [
    new URL("/mcp", url),
    {
      fetch: (target: string | URL, init?: RequestInit) => send(String(target), init ?? {}),
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    },
  ] as const

const info = { name: "test", version: "1" }
const open: Array<() => Promise<void>> = []
const closeAll = () => Promise.all(open.splice(0).map((close) => close()))
afterAll(closeAll)

/** A client of the protocol of 2026-07-28. */
export const connect = async (target: Target): Promise<Client> => {
  const client = new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } })
  await client.connect(new StreamableHTTPClientTransport(...connection(target)))
  open.push(() => client.close())
  return client
}

/** A client of the protocols of 2025, by the library of that time. */
export const connectOld = async (target: Target): Promise<OldClient> => {
  const client = new OldClient(info)
  const transport = new OldTransport(...connection(target))
  // Its own types disagree under exactOptionalPropertyTypes, so it is given by a method.
  await OldClient.prototype.connect.call(client, transport)
  open.push(() => client.close())
  return client
}
