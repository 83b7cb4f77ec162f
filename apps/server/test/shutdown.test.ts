/** SIGTERM ends the process in order, and the next start continues with everything stored. */
import { describe, expect, it } from "@effect/vitest"
import {
  CLOSED,
  deliver,
  dial,
  eventually,
  plainMail,
  smtpSession,
  temporaryFolder,
  upToData,
} from "@mailroom/test-services"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { request } from "node:http"
import { at, PASSWORD, signUp, verifiedAccount } from "./support/account.js"
import { endLeases } from "./support/database.js"
import { openStream } from "./support/eventStream.js"
import { call, read } from "./support/http.js"
import { arrived } from "./support/messages.js"
import { freshServer, type Server, startServer } from "./support/server.js"
import { receiverAnswering } from "./support/webhookReceiver.js"

const WithId = Schema.Struct({ webhook: Schema.Struct({ id: Schema.String }) })

/** Milliseconds: open requests have 10 s, the end of the process 1 s. */
const stopsInTime = (server: Server) =>
  Effect.timeoutOption(server.stop("SIGTERM"), "11 seconds").pipe(
    Effect.map((ended) => (ended._tag === "Some" ? ended.value : null)),
  )

/** Returns once the server has begun to stop. */
const newConnectionsRefused = (server: Server) =>
  eventually(
    "new connections are refused",
    Effect.exit(call(server, "GET /healthz")),
    (exit) => exit._tag === "Failure",
  )

const account = (slug: string) => ({ email: `owner@${slug}.dev`, password: PASSWORD, slug })

describe("SIGTERM", () => {
  it.scopedLive("an idle server ends with code 0 and says nothing on stderr", () =>
    Effect.gen(function* () {
      const server = yield* freshServer()
      const ended = yield* stopsInTime(server)
      expect(ended).toMatchObject({ code: 0, signal: null, stderr: "" })
    }),
  )

  it.scopedLive(
    "an open event stream and idle connections do not keep the server from ending with code 0",
    () =>
      Effect.gen(function* () {
        const server = yield* freshServer()
        const { key } = yield* signUp(server, "streaming")
        const stream = yield* openStream(server, key)
        yield* smtpSession(server.smtpPort)
        const ended = yield* stopsInTime(server)
        expect(ended).toMatchObject({ code: 0, stderr: "" })
        yield* eventually("the stream is over", Effect.sync(stream.isOver), (over) => over)
        expect(stream.lastWords()).toBe("event: reconnect\ndata: {}")
      }),
  )

  it.scopedLive("a request that is running is answered before the server ends with code 0", () =>
    Effect.gen(function* () {
      const server = yield* freshServer()
      const body = JSON.stringify(account("running"))
      const { answer, finish } = yield* Effect.promise(
        () =>
          new Promise<{ answer: Promise<number | undefined>; finish: () => void }>((resolve, reject) => {
            const running = request({
              port: server.httpPort,
              host: "127.0.0.1",
              path: "/v1/signup",
              method: "POST",
              headers: {
                "content-type": "application/json",
                "content-length": body.length,
                expect: "100-continue",
              },
            })
            const answered = new Promise<number | undefined>((answerWith, failWith) => {
              running.on("response", (response) => {
                response.resume()
                response.on("end", () => answerWith(response.statusCode))
              })
              running.on("error", failWith)
            })
            // The server has begun with the request once it asks for the body.
            running.on("continue", () =>
              resolve({ answer: answered, finish: () => running.end(body.slice(10)) }),
            )
            running.on("error", reject)
            running.flushHeaders()
            running.write(body.slice(0, 10))
          }),
      )
      const stopping = yield* Effect.fork(stopsInTime(server))
      yield* newConnectionsRefused(server)
      finish()
      expect(yield* Effect.promise(() => answer)).toBe(201)
      expect(yield* Fiber.join(stopping)).toMatchObject({ code: 0, stderr: "" })
    }),
  )

  it.scopedLive("a request to a webhook that is running is answered and recorded, and not posted again", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const settings = { WEBHOOK_ALLOW_PRIVATE: "true" }
      const server = yield* startServer(folder, settings)
      const owner = yield* verifiedAccount(server, "posting")
      const answer = yield* Deferred.make<number>()
      const receiver = yield* receiverAnswering(() => Effect.runPromise(Deferred.await(answer)))
      const created = yield* owner.call("POST /v1/webhooks", {
        body: { url: receiver.url, events: ["message.received"] },
      })
      const { webhook } = read(WithId, created)
      yield* deliver(server.smtpPort, owner.address, plainMail("posted"))
      yield* receiver.received(1)
      const stopping = yield* Effect.fork(stopsInTime(server))
      yield* newConnectionsRefused(server)
      yield* Deferred.succeed(answer, 204)
      expect(yield* Fiber.join(stopping)).toMatchObject({ code: 0, stderr: "" })

      const next = yield* startServer(folder, settings)
      const list = yield* at(next, owner).call(`GET /v1/webhooks/${webhook.id}/deliveries`)
      expect(list.json).toMatchObject({ deliveries: [{ status: "DELIVERED", attempts: 1 }] })
      expect(yield* receiver.received(1)).toHaveLength(1)
    }),
  )

  it.scopedLive("a mail whose DATA is running is taken or refused for now, never lost", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* startServer(folder)
      const owner = yield* signUp(server, "in-data")
      const client = yield* smtpSession(server.smtpPort)
      expect(yield* upToData(client, owner.address)).toMatch(/^354/)
      yield* client.write("Subject: in flight\r\n")
      const stopping = yield* Effect.fork(stopsInTime(server))
      yield* eventually(
        "new sessions are refused",
        Effect.scoped(Effect.flatMap(dial(server.smtpPort), (late) => late.reply)),
        (greeting) => greeting === CLOSED || greeting.startsWith("421"),
      )
      const reply = yield* client.say("\r\nbody\r\n.")
      expect(yield* Fiber.join(stopping)).toMatchObject({ code: 0 })
      yield* endLeases(folder)
      const next = yield* startServer(folder)
      yield* deliver(next.smtpPort, owner.address, plainMail("after"))
      const stored = reply.startsWith("250") ? 2 : 1
      expect(yield* arrived(at(next, owner), stored)).toHaveLength(stored)
    }),
  )
})

describe("a restart", () => {
  it.scopedLive("keeps keys, sessions, mail and events, and repeats no event id", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const first = yield* startServer(folder)
      const owner = yield* verifiedAccount(first, "staying")
      const { email, password } = owner
      const signedIn = yield* call(first, "POST /api/auth/sign-in/email", { body: { email, password } })
      const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? ""
      const stream = yield* openStream(first, owner.key)
      yield* deliver(first.smtpPort, owner.address, plainMail("one"))
      yield* deliver(first.smtpPort, owner.address, plainMail("two"))
      const [one, two] = yield* stream.received(2)
      expect((yield* stopsInTime(first))?.code).toBe(0)

      const second = yield* startServer(folder)
      const again = at(second, owner)
      expect((yield* again.call("GET /v1/account")).json).toMatchObject({ account: { emailVerified: true } })
      expect((yield* call(second, "GET /v1/account", { headers: { cookie } })).status).toBe(200)
      expect(yield* arrived(again, 2)).toHaveLength(2)
      const resumed = yield* openStream(second, owner.key, one?.id)
      const [replayed] = yield* resumed.received(1)
      expect(replayed).toEqual(two)
      yield* deliver(second.smtpPort, owner.address, plainMail("three"))
      const [, three] = yield* resumed.received(2)
      expect(new Set([one?.id, two?.id, three?.id]).size).toBe(3)
      const counter = (id: string | undefined) => Number(id?.split("-")[1])
      expect([counter(two?.id), counter(three?.id)]).toEqual([counter(one?.id) + 1, counter(one?.id) + 2])
    }),
  )
})
