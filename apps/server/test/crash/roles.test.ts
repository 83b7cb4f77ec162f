/** After kill -9 of a process in any role, under load, the other processes finish its work. */
import { describe, expect, it } from "@effect/vitest"
import { eventually } from "@mailroom/test-services"
import { Array, Effect, Schema } from "effect"
import { type Account, at, verifiedAccount } from "../support/account.js"
import { call, read } from "../support/http.js"
import { manyProcesses } from "../support/manyProcesses.js"
import { messages } from "../support/messages.js"
import { names, offer } from "../support/offer.js"
import type { Server } from "../support/server.js"
import { webhookReceiver } from "../support/webhookReceiver.js"

const LINES = 4
const PER_LINE = 100
/** mails acknowledged, or sends answered, before the process is killed */
const ENOUGH = 60

/** How long to wait for a condition: a machine that runs other things beside five servers takes long. */
const GENEROUS = "60 seconds"

const Outbox = Schema.Struct({ messages: Schema.Array(Schema.Struct({ subject: Schema.String })) })

const Log = Schema.Struct({
  events: Schema.Array(Schema.Struct({ id: Schema.String, data: Schema.Struct({ subject: Schema.String }) })),
  metadata: Schema.Struct({ hasMore: Schema.Boolean }),
})

/** The subjects of all received mails in the event log. */
const logged = (account: Account): Effect.Effect<ReadonlyArray<string>> => {
  const from = (after: string): Effect.Effect<ReadonlyArray<string>> =>
    Effect.gen(function* () {
      const answer = yield* account.call(`GET /v1/events/log?limit=100&events=message.received${after}`)
      const { events, metadata } = read(Log, answer)
      const subjects = events.map(({ data }) => data.subject)
      const last = events.at(-1)
      return metadata.hasMore && last !== undefined
        ? [...subjects, ...(yield* from(`&after=${last.id}`))]
        : subjects
    })
  return from("")
}

/** A service that has a process more than it needs in the role that is to lose one, and an account with a webhook. */
const service = Effect.fn(function* (slug: string, roles: ReadonlyArray<string>) {
  const receiver = yield* webhookReceiver
  const { start } = yield* manyProcesses()
  const servers = yield* Effect.forEach(roles, (ROLES) => start({ ROLES }), { concurrency: "unbounded" })
  const withRole = (role: string): ReadonlyArray<Server> => servers.filter((_, n) => roles[n]?.includes(role))
  const http = yield* Array.head(withRole("http"))
  const account = yield* verifiedAccount(http, slug)
  yield* account.call("POST /v1/webhooks", { body: { url: receiver.url, events: ["message.received"] } })
  return { account, receiver, withRole }
})

/** Offers mail over several lines at once, and has `crash` happen in the middle. */
const underLoad = (
  servers: ReadonlyArray<Server>,
  account: Account,
  acknowledged: Set<string>,
  crash: Effect.Effect<unknown>,
) =>
  Effect.all(
    [
      Effect.zipRight(
        eventually(
          "mails are acknowledged",
          Effect.sync(() => acknowledged.size),
          (size) => size >= ENOUGH,
          GENEROUS,
        ),
        crash,
      ),
      ...Array.makeBy(LINES, (line) =>
        offer(
          { smtpPort: servers[line % servers.length]?.smtpPort ?? 0 },
          account.address,
          names(PER_LINE, `mail-${line}`),
          (name) => acknowledged.add(name),
        ),
      ),
    ],
    { concurrency: "unbounded" },
  )

/** Every acknowledged mail is one message, one event, and was posted. */
const expectAll = Effect.fn(function* (
  account: Account,
  receiver: Effect.Effect.Success<typeof webhookReceiver>,
  acknowledged: ReadonlySet<string>,
) {
  const wanted = [...acknowledged].sort()
  yield* eventually(
    "every mail is stored",
    Effect.map(messages(account), (found) => new Set(found.map(({ subject }) => subject))),
    (stored) => wanted.every((name) => stored.has(name)),
    GENEROUS,
  )
  const stored = (yield* messages(account)).map(({ subject }) => subject).sort()
  expect(new Set(stored).size).toBe(stored.length)
  expect([...(yield* logged(account))].sort()).toEqual(stored)
  const posted = yield* eventually(
    "every mail was posted",
    Effect.map(
      receiver.received(0),
      (all) => new Set(all.map(({ body }) => /"subject":"([^"]*)"/.exec(body)?.[1])),
    ),
    (subjects) => stored.every((name) => subjects.has(name)),
    GENEROUS,
  )
  expect(posted.size).toBe(stored.length)
})

describe.concurrent("after kill -9 of a process", () => {
  it.scopedLive(
    "that accepts mail, and of one that delivers it, every acknowledged mail is delivered, and posted",
    () =>
      Effect.gen(function* () {
        const roles = ["http", "smtp", "smtp", "worker", "worker"]
        const { account, receiver, withRole } = yield* service("mail-dies", roles)
        const acknowledged = new Set<string>()
        const victims = [...withRole("smtp").slice(0, 1), ...withRole("worker").slice(0, 1)]
        const crash = Effect.forEach(victims, (victim) => victim.stop("SIGKILL"))
        yield* underLoad(withRole("smtp"), account, acknowledged, crash)
        expect(acknowledged.size).toBeGreaterThanOrEqual(ENOUGH)
        yield* expectAll(account, receiver, acknowledged)
      }),
  )

  it.scopedLive("that serves HTTP, what is asked again of another under the same key is done once", () =>
    Effect.gen(function* () {
      const { account, withRole } = yield* service("http-dies", ["http,worker", "http"])
      const [other, victim] = withRole("http")
      if (other === undefined || victim === undefined) return yield* Effect.dieMessage("two were started")
      const send = (server: Server, key: string) =>
        at(server, account).call(`POST /v1/mailboxes/${account.mailboxId}/messages`, {
          body: { to: ["bob@partner.dev"], subject: key, bodyText: "Once." },
          headers: { "idempotency-key": key },
        })
      const asked: Array<string> = []
      let answered = 0
      const line = (name: number) =>
        Effect.gen(function* () {
          for (let n = 0; ; n++) {
            const key = `key-${name}-${n}`
            asked.push(key)
            yield* send(victim, key)
            answered++
          }
        }).pipe(Effect.exit)
      const crash = eventually(
        "sends are answered",
        Effect.sync(() => answered),
        (count) => count >= ENOUGH,
        GENEROUS,
      ).pipe(Effect.zipRight(victim.stop("SIGKILL")))
      yield* Effect.all([crash, ...Array.makeBy(LINES, line)], { concurrency: "unbounded" })
      // Until its death is noticed, the keys that it was busy with are.
      const finished = yield* Effect.forEach(asked, (key) =>
        eventually(
          `${key} is free`,
          send(other, key),
          ({ json, status }) =>
            status === 201 || (status === 409 && JSON.stringify(json).includes("SEND_OUTCOME_UNKNOWN")),
          GENEROUS,
        ),
      )
      const sent = (yield* messages(at(other, account))).map(({ subject }) => subject)
      expect(new Set(sent).size).toBe(sent.length)
      // Nobody knows whether the relay had these; they are shown as such later, and not sent again.
      const unknown = finished.filter(({ status }) => status === 409).length
      expect(unknown).toBeLessThanOrEqual(LINES)
      expect(sent.length).toBeGreaterThanOrEqual(asked.length - unknown)
      const mails = read(Outbox, yield* call(other, "GET /dev/outbox?to=bob@partner.dev&limit=1000")).messages
      expect(new Set(mails.map(({ subject }) => subject)).size).toBe(mails.length)
    }),
  )
})
