/** The official clients of the protocol, of the current line and of the one before. */
import type { Fetch } from "@mailroom/client"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { afterAll } from "vitest"
import * as z from "zod"

interface Target {
  readonly url: string
  readonly key: string
  /** by default the global `fetch` */
  readonly fetch?: Fetch
}

const Result = z.looseObject({
  isError: z.boolean().default(false),
  structuredContent: z.looseObject({ content: z.string().default("") }).optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().default("") })),
})

const ErrorText = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  retryAfter: z.number().nullable(),
  hint: z.string().min(1),
})

/** Either client, by what the tests use. */
export interface AnyClient {
  readonly callTool: (call: { name: string; arguments: Record<string, unknown> }) => Promise<unknown>
}

/** The structured content of a result, and the result. */
interface Fields {
  readonly content: string
  readonly result: z.infer<typeof Result>
  readonly [field: string]: unknown
}

/** The fields of a result, which is not an error. */
export const call = async (
  client: AnyClient,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Fields> => {
  const result = Result.parse(await client.callTool({ name, arguments: args }))
  if (result.isError || result.structuredContent === undefined) throw new Error(result.content[0]?.text)
  return { ...result.structuredContent, result }
}

/** The error of a call. */
export const refusal = async (client: AnyClient, name: string, args: Record<string, unknown> = {}) => {
  const { isError, structuredContent, content } = Result.parse(
    await client.callTool({ name, arguments: args }),
  )
  if (!isError || structuredContent !== undefined) throw new Error(`${name} was not refused`)
  return ErrorText.parse(JSON.parse(content[0]?.text ?? ""))
}

const Ids = z.looseObject({ id: z.string(), threadId: z.string() })

/** The ids of the messages in a result, in its order. */
export const idsIn = (fields: unknown) => z.looseObject({ messages: z.array(Ids) }).parse(fields).messages

/** The ids of the message in a result. */
export const idIn = (fields: unknown) => z.looseObject({ message: Ids }).parse(fields).message

const connection = ({ url, key, fetch: send = (target, init) => fetch(target, init) }: Target) =>
  [
    new URL("/mcp", url),
    {
      fetch: (target: string | URL, init?: RequestInit) => send(String(target), init ?? {}),
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    },
  ] as const

const info = { name: "test", version: "1" }
const opened: Array<{ readonly close: () => Promise<void> }> = []

/** Has a client closed when the tests of the file are over. */
export const closing = <C extends { readonly close: () => Promise<void> }>(client: C): C => {
  opened.push(client)
  return client
}
afterAll(() => Promise.all(opened.map((client) => client.close())))

/** A client of the protocol of 2026-07-28. */
export const newClient = () =>
  closing(new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } }))

export const connect = async (target: Target): Promise<Client> => {
  const client = newClient()
  await client.connect(new StreamableHTTPClientTransport(...connection(target)))
  return client
}

/** A client of the protocols of 2025, by the library of that time. */
export const connectOld = async (target: Target): Promise<OldClient> => {
  const client = closing(new OldClient(info))
  const transport = new OldTransport(...connection(target))
  await client.connect({
    start: () => transport.start(),
    send: (message) => transport.send(message),
    close: () => transport.close(),
    setProtocolVersion: (version) => transport.setProtocolVersion(version),
    set onmessage(receive: NonNullable<OldTransport["onmessage"]>) {
      Object.assign(transport, { onmessage: receive })
    },
    set onclose(close: NonNullable<OldTransport["onclose"]>) {
      Object.assign(transport, { onclose: close })
    },
  })
  return client
}
