/** The server of `apps/server` in one or more processes, over real HTTP, SMTP and webhook connections on loopback. */
import { freshDatabase, S3_CREDENTIALS, s3Server, smtpSession } from "@mailroom/test-services"
import { ADMIN_TOKEN } from "@mailroom/testing"
import { Array, type Cause, Effect, Layer, Ref, Schema } from "effect"
import { createServer, type IncomingMessage, request } from "node:http"
import { createTransport } from "nodemailer"
import { makeWorld } from "./makeWorld.js"
import { openApiDocument } from "./OpenApiDocument.js"
import { poll, startServer, type Variables } from "./ServerProcess.js"
import { type Call, type Posted, Wire, World } from "./World.js"

/** The base of links; requests go to the port of the server. */
const BASE_URL = "http://mailroom.test"

const Outbox = Schema.Struct({
  messages: Schema.Array(
    Schema.Struct({
      from: Schema.String,
      to: Schema.Array(Schema.String),
      subject: Schema.String,
      text: Schema.NullOr(Schema.String),
      html: Schema.NullOr(Schema.String),
      headers: Schema.Record({
        key: Schema.String,
        value: Schema.Union(Schema.String, Schema.Array(Schema.String)),
      }),
      attachments: Schema.Array(
        Schema.Struct({ filename: Schema.String, contentType: Schema.String, sizeBytes: Schema.Int }),
      ),
    }),
  ),
})

const open =
  (nextPort: () => number) =>
  (target: string, { key, cookie, body, headers }: Call) =>
    Effect.promise(() => {
      const port = nextPort()
      const [method = "GET", path = "/"] = target.split(" ")
      const form = body instanceof FormData
      return fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        redirect: "manual",
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(cookie !== undefined && { cookie }),
          ...(body !== undefined && !form && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: form || typeof body === "string" ? body : JSON.stringify(body) }),
      })
    })

/** `fetch` sets the Host header by itself. */
const requestAs =
  (port: number): Wire["Type"]["requestAs"] =>
  (host, target, key) =>
    Effect.async((resume) => {
      const [method, path] = target.split(" ")
      const headers = { host, authorization: `Bearer ${key}` }
      request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (part: string) => (text += part))
        response.on("end", () =>
          resume(Effect.succeed({ status: response.statusCode ?? 0, json: JSON.parse(text) })),
        )
      }).end()
    })

const headersOf = ({ headers }: IncomingMessage): Posted["headers"] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

type Answering = "never" | { readonly status: number; readonly headers: Readonly<Record<string, string>> }

/** One HTTP server for all receivers: each has a path. */
const receivers = Effect.gen(function* () {
  const posted = new Map<string, ReadonlyArray<Posted>>()
  const answers = new Map<string, Answering>()
  const server = createServer((request, response) => {
    const path = request.url ?? ""
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString()
      posted.set(path, [...(posted.get(path) ?? []), { headers: headersOf(request), body }])
      const answer = answers.get(path) ?? { status: 200, headers: {} }
      if (answer !== "never") response.writeHead(answer.status, answer.headers).end()
    })
  })
  const port = yield* Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      }),
  )
  const numbers = yield* Ref.make(0)
  const make = Effect.map(
    Ref.updateAndGet(numbers, (number) => number + 1),
    (number) => {
      const path = `/${number}`
      const requests = Effect.sync(() => posted.get(path) ?? [])
      return {
        url: `http://127.0.0.1:${port}${path}`,
        received: (count: number) => poll(`${count} requests`, requests, ({ length }) => length >= count),
        set: (answer: Answering) => Effect.sync(() => void answers.set(path, answer)),
      }
    },
  )
  const receiver: World["Type"]["receiver"] = Effect.map(make, ({ set, ...rest }) => ({
    ...rest,
    answer: (status, headers = {}) => set({ status, headers }),
  }))
  const silentReceiver: Wire["Type"]["silentReceiver"] = Effect.tap(make, ({ set }) => set("never"))
  return { receiver, silentReceiver }
})

/** Returns the items in turn, endlessly. */
const inTurn = <A>(values: Array.NonEmptyReadonlyArray<A>): (() => A) => {
  let turn = 0
  return () => values[turn++ % values.length] ?? values[0]
}

/** How often a mail is sent again after a temporary failure, which a busy machine may be the reason of. */
const RESENDS = 3

/** Whether the reply of the server has a code of 400 to 499. */
const isTemporary = ({ error }: Cause.UnknownException): boolean =>
  error instanceof Error &&
  "responseCode" in error &&
  typeof error.responseCode === "number" &&
  error.responseCode >= 400 &&
  error.responseCode < 500

/** Submits a mail over a session of its own. */
const submitTo =
  (port: number): World["Type"]["submit"] =>
  ({ user, key, from = user, to, raw }) =>
    Effect.scoped(
      Effect.gen(function* () {
        const client = yield* smtpSession(port)
        const credentials = Buffer.from(`\0${user}\0${key}`).toString("base64")
        for (const line of [`AUTH PLAIN ${credentials}`, `MAIL FROM:<${from}>`]) {
          const reply = yield* client.say(line)
          if (!reply.startsWith("2")) return reply
        }
        const replies = yield* Effect.forEach(to, (address) => client.say(`RCPT TO:<${address}>`))
        if (!replies.some((reply) => reply.startsWith("2"))) return replies.at(-1) ?? ""
        yield* client.say("DATA")
        yield* client.write(raw.replace(/^\./gm, ".."))
        return yield* client.say(raw.endsWith("\r\n") ? "." : "\r\n.")
      }),
    )

/** `processes`: the variables of each process in addition to the shared ones; the last process accepts mail. */
const services = Effect.fnUntraced(function* (
  variables: Variables,
  processes: Array.NonEmptyReadonlyArray<Variables>,
) {
  const servers = yield* Effect.forEach(
    processes,
    (own) =>
      startServer({
        BASE_URL,
        TRUST_PROXY: "true",
        ADMIN_TOKEN,
        WEBHOOK_ALLOW_PRIVATE: "true",
        ...variables,
        ...own,
      }),
    { concurrency: "unbounded" },
  )
  const { httpPort, smtpPort, submissionPort } = Array.lastNonEmpty(servers)
  const transport = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createTransport({
        host: "127.0.0.1",
        port: smtpPort,
        ignoreTLS: true,
        pool: true,
        maxConnections: 8,
        maxMessages: Number.POSITIVE_INFINITY,
      }),
    ),
    (pool) => Effect.sync(() => pool.close()),
  )
  const { receiver, silentReceiver } = yield* receivers
  const ask = open(inTurn(Array.map(servers, (server) => server.httpPort)))
  const described = yield* ask("GET /openapi.json", {})
  const world = yield* makeWorld({
    document: openApiDocument(yield* Effect.promise(() => described.json())),
    open: ask,
    eventually: poll,
    now: Effect.sync(() => Date.now()),
    deliver: (mails) =>
      // One after the other: rows expect mail in the order in which they send it.
      Effect.forEach(
        mails,
        ({ from, to, raw }) =>
          Effect.tryPromise(() =>
            transport.sendMail({ envelope: { from, to: [...to] }, raw: Buffer.from(raw) }),
          ).pipe(Effect.retry({ times: RESENDS, while: isTemporary }), Effect.orDie),
        { discard: true },
      ),
    submit: submitTo(submissionPort),
    outbox: (...to) =>
      Effect.forEach(to, (recipient) =>
        ask(`GET /dev/outbox?to=${encodeURIComponent(recipient)}`, {}).pipe(
          Effect.flatMap((response) => Effect.promise(() => response.json())),
          Effect.flatMap(Schema.decodeUnknown(Outbox)),
          Effect.map(({ messages }) => Array.reverse(messages)),
          Effect.orDie,
        ),
      ).pipe(Effect.map(Array.flatten)),
    receiver,
  })
  return Layer.merge(
    Layer.succeed(World, world),
    Layer.succeed(Wire, {
      smtp: smtpSession(smtpPort),
      submission: smtpSession(submissionPort),
      silentReceiver,
      requestAs: requestAs(httpPort),
    }),
  )
})

/** A server in one process. */
const layer = (variables: Variables = {}): Layer.Layer<World | Wire> =>
  Layer.unwrapScoped(services(variables, [{}]))

/** One service in two processes, which get requests in turn, on Postgres and an S3 store. */
const manyProcesses: Layer.Layer<World | Wire> = Layer.unwrapScoped(
  Effect.gen(function* () {
    const database = yield* freshDatabase()
    const s3 = yield* s3Server("mail")
    const shared = {
      DATABASE_URL: database,
      BLOB_URL: `s3://mail/blobs?endpoint=${s3}`,
      SECRET_KEY: "a secret key for tests, and tests alone",
      ...S3_CREDENTIALS,
    }
    return yield* services(shared, [{ ROLES: "http,worker" }, { ROLES: "http,smtp,worker" }])
  }),
)

export const SocketWorld = { layer, manyProcesses }
