/**
 * Every route of the OpenAPI document answers generated bodies at a cost in proportion to their bytes (docs/decisions/0036).
 * The cost is the processor time that the server reports, which is the same on a busy machine. `BODY_RUNS` makes the test
 * longer, and has it check the clock as well.
 */
import { layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as FastCheck from "effect/FastCheck"
import { Agent, request } from "node:http"
import { expect } from "vitest"
import { type Account, verifiedAccount } from "./support/account.js"
import { call, read } from "./support/http.js"
import { type Server, SharedServer } from "./support/server.js"
import { anyStrangeBody, SHAPES, type StrangeBody, strangeBody } from "./support/strangeBodies.js"

const MB = 1024 * 1024

const LONG_RUNS = process.env["BODY_RUNS"]
const RUNS = Number(LONG_RUNS ?? 150)

/** Seconds of processor time: of a body of 1 MB, and of one as large as any route takes. */
const MAX_CPU = 0.4
const MAX_CPU_LARGE = 1.5
/** Milliseconds, for a long run on an idle machine. */
const MAX_ANSWER = 1_000
const MAX_LAG = 200
/** How long a test waits for an answer. */
const HANGS_AFTER = 20_000
const MAX_MEMORY = 1024 * MB

const Document = Schema.Struct({
  paths: Schema.Record({
    key: Schema.String,
    value: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  }),
})

const METHODS = new Set(["post", "put", "patch", "delete"])

/** Every method and path that can have a body. */
const targetsOf = (server: Server, { mailboxId }: Account) =>
  Effect.map(call(server, "GET /openapi.json"), (answer) =>
    Object.entries(read(Document, answer).paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((method) => METHODS.has(method))
        .map((method) => ({
          method: method.toUpperCase(),
          path: path
            .replace("/mailboxes/{id}", `/mailboxes/${mailboxId}`)
            .replace(/\{[A-Za-z]+\}/g, "01900000-0000-7000-8000-000000000000"),
        })),
    ),
  )

interface Sent {
  readonly method: string
  readonly path: string
  readonly key: string | null
  readonly announced: boolean
  readonly body: StrangeBody
}

interface Seen {
  readonly status: number
  readonly text: string
  readonly millis: number
}

/** Fails when the connection breaks before the answer is read, or there is none. */
const send = (server: Server, agent: Agent, { method, path, key, announced, body }: Sent): Promise<Seen> =>
  new Promise((resolve, reject) => {
    const begin = performance.now()
    const sending = request({
      host: "127.0.0.1",
      port: server.httpPort,
      method,
      path,
      agent,
      timeout: HANGS_AFTER,
      headers: {
        "content-type": body.contentType,
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(announced ? { "content-length": body.bytes.length } : { "transfer-encoding": "chunked" }),
      },
    })
    sending.on("error", reject)
    sending.on("timeout", () => sending.destroy(new Error("no answer")))
    sending.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      response.on("error", reject)
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text, millis: performance.now() - begin }),
      )
    })
    sending.end(body.bytes)
  })

const metric = async (server: Server, name: string): Promise<number> => {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1])
}

/** The slowest of the requests that others send meanwhile, in milliseconds. */
const slowestMeanwhile = async (server: Server, work: Promise<unknown>): Promise<number> => {
  const state = { over: false, slowest: 0 }
  const end = () => (state.over = true)
  void work.then(end, end)
  while (!state.over) {
    const begin = performance.now()
    await (await fetch(`${server.url}/healthz`)).text()
    state.slowest = Math.max(state.slowest, performance.now() - begin)
  }
  return state.slowest
}

/** Sends one request and checks its cost. A cost that a busy machine may cause has to occur three times in a row. */
const check = async (server: Server, agent: Agent, sent: Sent, maxCpu: number): Promise<void> => {
  const where = `${sent.method} ${sent.path} ${sent.key === null ? "of nobody" : "of an account"}, ${sent.body.name}`
  let problem = ""
  for (let attempt = 1; attempt <= 3; attempt++) {
    const before = await metric(server, "process_cpu_seconds_total")
    const answering = send(server, agent, sent)
    const lag = LONG_RUNS === undefined ? 0 : await slowestMeanwhile(server, answering)
    const seen = await answering
    const cpu = (await metric(server, "process_cpu_seconds_total")) - before
    expect([where, seen.status, seen.text.slice(0, 300)]).toEqual([
      where,
      expect.toSatisfy(isRefusal),
      seen.text.slice(0, 300),
    ])
    expect([where, seen.text.length]).toEqual([
      where,
      expect.toSatisfy((length: number) => length < 64 * 1024),
    ])
    problem = ""
    if (cpu > maxCpu) problem = `${where}: ${cpu} s of processor time`
    if (LONG_RUNS !== undefined && seen.millis > MAX_ANSWER)
      problem = `${where}: answered after ${seen.millis} ms`
    if (LONG_RUNS !== undefined && lag > MAX_LAG) problem = `${where}: others waited ${lag} ms`
    if (problem === "") return
  }
  throw new Error(problem)
}

/** Any answer but a fault. */
const isRefusal = (status: number): boolean => status >= 200 && status < 500

layer(SharedServer.layer(), { excludeTestServices: true })("strange bodies", (it) => {
  it.scoped("every route answers any body up to 1 MB", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* verifiedAccount(server, "strange")
      const targets = yield* targetsOf(server, account)
      const agent = new Agent({ keepAlive: true })
      const wholeAccount = targets.filter(
        ({ method, path }) => !(method === "DELETE" && path === "/v1/account"),
      )
      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(
            FastCheck.constantFrom(...wholeAccount),
            FastCheck.constantFrom(account.key, null),
            FastCheck.boolean(),
            anyStrangeBody,
            (target, key, announced, body) =>
              check(server, agent, { ...target, key, announced, body }, MAX_CPU),
          ),
          { numRuns: RUNS, seed: 36, endOnFailure: true },
        ),
      )
      agent.destroy()
      expect(yield* Effect.promise(() => metric(server, "process_resident_memory_bytes"))).toBeLessThan(
        MAX_MEMORY,
      )
    }),
  )

  it.scoped("a send of 40 MB costs what its bytes cost, whatever they are", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* verifiedAccount(server, "large")
      const agent = new Agent({ keepAlive: true })
      const path = `/v1/mailboxes/${account.mailboxId}/messages`
      const tried =
        LONG_RUNS === undefined
          ? [0, 1, 3, 9, 11, 12, 14]
          : Array.from({ length: SHAPES }, (_, shape) => shape)
      for (const shape of tried) {
        const body = strangeBody(shape, 40 * MB)
        const sent = { method: "POST", path, key: account.key, announced: shape % 2 === 0, body }
        yield* Effect.promise(() => check(server, agent, sent, MAX_CPU_LARGE))
      }
      agent.destroy()
      expect(yield* Effect.promise(() => metric(server, "process_resident_memory_bytes"))).toBeLessThan(
        MAX_MEMORY,
      )
    }),
  )
})
