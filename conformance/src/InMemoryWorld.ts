/** The whole application in memory, in the runtime of the test and under its `TestClock`. */
import * as Contract from "@mailroom/api"
import {
  dayOf,
  DraftId,
  MailboxId,
  MessageId,
  monthOf,
  serviceActor,
  type SmtpAnswer,
} from "@mailroom/domain"
import {
  AccountStore,
  DraftStore,
  Engine,
  type EngineSettings,
  MailboxStore,
  MessageStore,
  PlanChanges,
  MailSpool,
  MailSubmission,
  Settings,
  StorageFailure,
  Transactions,
} from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { parseMail } from "@mailroom/mail/parsing/parseMail"
import { MemoryReceivers, MemoryZones } from "@mailroom/network"
import * as PostgresStore from "@mailroom/store-sql/postgres"
import { eventLoopTurns, freshDatabase } from "@mailroom/test-services"
import { InMemoryHttp, inMemoryPorts } from "@mailroom/testing"
import { Clock, Context, Effect, Either, Layer, Option, Redacted, Ref, TestClock } from "effect"
import { randomUUID } from "node:crypto"
import { makeWorld } from "./makeWorld.js"
import { type OpenApiDocument, openApiDocument } from "./OpenApiDocument.js"
import type { HttpOptions } from "./Row.js"
import { Virtual, World } from "./World.js"

/** Start time of every service in memory: a Tuesday, far from the ends of its day and its month. */
const BEGIN = Date.UTC(2026, 2, 10, 9, 30)

/** Repetitions of `eventually`; due work is done between them, which costs as much as several requests. */
const REPETITIONS = 5

type Failing = "storage" | "code" | null

/** The failure of all transactions; null for none. */
class Fault extends Context.Tag("@mailroom/conformance/Fault")<Fault, Ref.Ref<Failing>>() {}

const failures = {
  storage: new StorageFailure({ reason: "unavailable", cause: new Error("database is locked") }),
  code: new Error("a fault in the code"),
}

/** With `CONFORMANCE_DATABASE=postgres`, each service uses a Postgres database. */
const stores =
  process.env["CONFORMANCE_DATABASE"] === "postgres"
    ? Layer.unwrapScoped(
        Effect.map(freshDatabase(), (url) =>
          PostgresStore.layer({ url: Redacted.make(url), maxConnections: 5 }),
        ),
      )
    : undefined

/** The ports, with transactions that fail on demand. */
const ports = (settings: Partial<EngineSettings>) =>
  Layer.unwrapEffect(
    Effect.map(Fault, (fault) =>
      Layer.map(inMemoryPorts(settings, undefined, stores), (context) => {
        const { run } = Context.get(context, Transactions)
        return Context.add(context, Transactions, {
          run: (effect) =>
            Effect.flatMap(Ref.get(fault), (failing) =>
              failing === null ? run(effect) : Effect.die(failures[failing]),
            ),
        })
      }),
    ),
  )

/** Runs all work that is due, and the work that it starts. */
const settling = Effect.map(Effect.context<Effect.Effect.Context<typeof Engine.settle>>(), (context) =>
  Effect.zipRight(Effect.provide(Engine.settle, context), eventLoopTurns()),
)

const documents = new Map<string, OpenApiDocument>()

/** Cached, because compiling its schemas takes longer than most tests. `/openapi.json` serves the same document. */
const documentOf = (service: Pick<EngineSettings, "baseUrl" | "headerPrefix">): OpenApiDocument => {
  const key = `${service.headerPrefix} ${service.baseUrl}`
  const known = documents.get(key)
  if (known !== undefined) return known
  const made = openApiDocument(JSON.parse(JSON.stringify(Contract.openApiDocument(service))))
  documents.set(key, made)
  return made
}

const replyOf = ({ code, enhanced, text }: SmtpAnswer): string => `${code} ${enhanced} ${text}`

const world = Effect.gen(function* () {
  const { open } = yield* InMemoryHttp
  const spool = yield* MailSpool
  const submission = yield* MailSubmission
  const relay = yield* MemoryRelay
  const receivers = yield* MemoryReceivers
  const numbers = yield* Ref.make(0)
  const settle = yield* settling
  const eventually: World["Type"]["eventually"] = (what, look, fits) => {
    const again = (left: number): typeof look =>
      Effect.flatMap(look, (seen) => {
        if (fits(seen)) return Effect.succeed(seen)
        return left > 0
          ? Effect.zipRight(settle, again(left - 1))
          : Effect.dieMessage(`${what}: no; seen: ${JSON.stringify(seen)?.slice(0, 500)}`)
      })
    return again(REPETITIONS)
  }

  return yield* makeWorld({
    document: documentOf(yield* Settings),
    open,
    eventually,
    now: Clock.currentTimeMillis,
    deliver: (mails) =>
      Effect.gen(function* () {
        // A later mail gets a later time.
        yield* TestClock.adjust("1 millis")
        const receivedAt = yield* Clock.currentTimeMillis
        yield* spool.accept(
          mails.map(({ from, to, raw }) => ({
            envelope: { from, to, remoteAddress: "192.0.2.1", helo: "mx.sender.dev", tls: true, receivedAt },
            content: { kind: "inline", bytes: raw },
          })),
        )
        yield* settle
      }),
    submit: ({ user, key, from = user, to, raw }) =>
      Effect.gen(function* () {
        const submitter = yield* submission.signIn(user, Redacted.make(key))
        if (Either.isLeft(submitter)) return replyOf(submitter.left)
        const transaction = yield* submission.begin(submitter.right, from)
        if (Either.isLeft(transaction)) return replyOf(transaction.left)
        const refusals = yield* Effect.forEach(to, (address) =>
          submission.refusal(transaction.right, address),
        )
        const accepted = to.filter((_, index) => refusals[index] === null)
        const refusal = refusals.at(-1) ?? null
        if (accepted.length === 0 && refusal !== null) return replyOf(refusal)
        const content = { kind: "inline" as const, bytes: Buffer.from(raw, "latin1") }
        return replyOf(yield* submission.submit(transaction.right, { to: accepted, content }))
      }),
    outbox: (...to) =>
      Effect.gen(function* () {
        yield* settle
        const sent = (yield* relay.sent).filter(({ envelope }) =>
          to.some((recipient) => envelope.to.includes(recipient)),
        )
        return yield* Effect.forEach(sent, ({ envelope, raw }) =>
          Effect.map(
            Effect.promise(() => parseMail(raw)),
            ({ subject, text, html, headers, attachments }) => ({
              from: envelope.from,
              to: envelope.to,
              subject,
              text,
              html,
              headers,
              attachments: attachments.map(({ filename, contentType, sizeBytes }) => ({
                filename,
                contentType,
                sizeBytes,
              })),
            }),
          ),
        )
      }),
    receiver: Effect.gen(function* () {
      const url = `https://receiver.mailroom.dev/${yield* Ref.updateAndGet(numbers, (number) => number + 1)}`
      const posted = Effect.map(receivers.requests, (requests) =>
        requests
          .filter((request) => request.url === url)
          .map(({ headers, body }) => ({
            headers: Object.fromEntries(
              Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
            ),
            body,
          })),
      )
      return {
        url,
        received: (count) =>
          Effect.zipRight(
            settle,
            eventually(`${count} requests`, posted, ({ length }) => length >= count),
          ),
        answer: (status, headers = {}) => {
          const retryAfter = headers["retry-after"] === undefined ? null : Number(headers["retry-after"])
          return receivers.answer(url, { kind: "answered", status, retryAfter })
        },
      }
    }),
  })
})

const virtual = Effect.gen(function* () {
  const relay = yield* MemoryRelay
  const accounts = yield* AccountStore
  const mailboxes = yield* MailboxStore
  const drafts = yield* DraftStore
  const messages = yield* MessageStore
  const plans = yield* PlanChanges
  const { run } = yield* Transactions
  const fault = yield* Fault
  return Virtual.of({
    advance: (duration) => TestClock.adjust(duration),
    settle: yield* settling,
    relay,
    zones: yield* MemoryZones,
    fail: (how) => Ref.set(fault, how),
    intent: (email) =>
      Effect.map(accounts.byEmail(email), (account) => {
        const { intentPlan, intentPeriod } = Option.getOrThrow(account)
        return { plan: intentPlan, period: intentPeriod }
      }),
    hiddenAttachments: (mailboxId, messageId) =>
      Effect.map(
        messages.byId(MailboxId.make(mailboxId), MessageId.make(messageId)),
        Option.match({
          onNone: () => [],
          onSome: ({ content }) => content.attachments.map(({ id }) => id),
        }),
      ),
    pretend: (
      email,
      { sendsToday, sendsThisMonth, receivedThisMonth, storageUsedBytes, listEntryCount, copiedDrafts = 0 },
    ) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const [day, month] = [dayOf(now), monthOf(now)]
        const account = Option.getOrThrow(yield* accounts.byEmail(email))
        yield* accounts.save({
          ...account,
          ...(receivedThisMonth !== undefined && {
            receivedMonth: { window: month, count: receivedThisMonth },
          }),
          ...(storageUsedBytes !== undefined && { storageUsedBytes }),
          ...(listEntryCount !== undefined && { listEntryCount }),
        })
        const wanted = { accountId: account.id, mailboxId: null, scope: null, status: null }
        for (const { draft } of (yield* drafts.list(wanted, null, 1)).drafts)
          for (let made = 0; made < copiedDrafts; made++)
            yield* drafts.insert({ ...draft, id: DraftId.make(randomUUID()), clientId: null })
        const [first] = yield* mailboxes.list(account.id, null)
        if (first !== undefined)
          yield* mailboxes.save({
            ...first,
            ...(sendsToday !== undefined && { sentDay: { window: day, count: sendsToday } }),
            ...(sendsThisMonth !== undefined && { sentMonth: { window: month, count: sendsThisMonth } }),
          })
      }),
    lapse: (email) =>
      Effect.gen(function* () {
        const account = Option.getOrThrow(yield* accounts.byEmail(email))
        yield* run(plans.apply(account, { kind: "lapsed" }, yield* Clock.currentTimeMillis, serviceActor))
      }),
  })
})

/** A new service. */
const layer = (
  settings: Partial<EngineSettings> = {},
  http: HttpOptions = {},
): Layer.Layer<World | Virtual> =>
  Layer.mergeAll(Layer.effect(World, world), Layer.effect(Virtual, virtual)).pipe(
    Layer.provide(InMemoryHttp.layerWith(http)),
    Layer.provide(Engine.layer),
    Layer.provide(ports(settings)),
    Layer.provide(Layer.effect(Fault, Ref.make<Failing>(null))),
    (service) => Layer.unwrapEffect(Effect.as(TestClock.setTime(BEGIN), service)),
  )

export const InMemoryWorld = { layer }
