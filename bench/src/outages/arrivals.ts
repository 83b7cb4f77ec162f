/** Where mail arrives: the event log of the account, and webhooks. */
import { createServer, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, Schema, type Scope } from "effect"
import type { Account } from "../harness/account.js"

/** Milliseconds between two looks, and for one of them. */
const LOOK_EVERY = 100
const LOOK_TIMEOUT = 2_000

const Envelope = Schema.Struct({ data: Schema.Struct({ rfc_message_id: Schema.optional(Schema.String) }) })
const Page = Schema.Struct({
  events: Schema.Array(Schema.extend(Envelope, Schema.Struct({ id: Schema.String }))),
})
const decodePage = Schema.decodeUnknownSync(Page)
const decodeEnvelope = Schema.decodeUnknownSync(Schema.parseJson(Envelope))

/** The run and the serial in a Message-ID of `mailPress`. */
const idOf = ({ data }: typeof Envelope.Type): readonly [run: string, serial: string] => {
  const [, run = "", serial = ""] = /^<?(.+)\.(\d{10})@/.exec(data.rfc_message_id ?? "") ?? []
  return [run, String(Number(serial))]
}

/** Reads the log until `isOver`, each event once; a look that fails is repeated. */
export const readLog = async (
  { baseUrl, key }: Account,
  isOver: () => boolean,
  onMail: (run: string, serial: string) => void,
): Promise<void> => {
  let after: string | undefined
  const look = async (): Promise<number> => {
    const query = new URLSearchParams({
      events: "message.received",
      limit: "100",
      ...(after !== undefined && { after }),
    })
    const response = await fetch(`${baseUrl}/v1/events/log?${query.toString()}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(LOOK_TIMEOUT),
    })
    if (!response.ok) throw new Error(`the event log: ${response.status}`)
    const { events } = decodePage(await response.json())
    for (const event of events) onMail(...idOf(event))
    after = events.at(-1)?.id ?? after
    return events.length
  }
  while (!isOver()) {
    const seen = await look().catch(() => 0)
    if (seen < 100) await sleep(LOOK_EVERY)
  }
}

/** A receiver of webhooks until the scope closes; its port. The path of a webhook is its name. */
export const hookReceiver = (
  onHook: (hook: string, run: string, serial: string) => void,
): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function* () {
    const take = async (request: IncomingMessage): Promise<void> =>
      onHook(request.url ?? "", ...idOf(decodeEnvelope(await text(request))))
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        createServer((request, response) => {
          void take(request).finally(() => response.end())
        }),
      ),
      (made) =>
        Effect.sync(() => {
          made.close()
          made.closeAllConnections()
        }),
    )
    yield* Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  })
