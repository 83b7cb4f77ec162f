/** `GET /v1/events/log`: what happened in the last 30 days (decisions §4, §7). */
import { describe } from "@effect/vitest"
import { LogPage } from "@mailroom/api"
import { EventEnvelope, HOUR } from "@mailroom/domain"
import { Engine } from "@mailroom/engine"
import { Effect, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { owner, type Owner, scopedKey, setFacts, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { mails, receive } from "./support/mail.js"
import { rule } from "./support/service.js"
import { framesIn, listen } from "./support/stream.js"

type Caller = Pick<Owner, "key">

const log = ({ key }: Caller, query = "") => ask(`GET /v1/events/log${query}`, { key })
const page = (caller: Caller, query = "") => Effect.map(log(caller, query), read(LogPage))

const secondMailbox = Effect.fn(function* ({ key }: Owner) {
  const One = Schema.Struct({ mailbox: Schema.Struct({ id: Schema.String, fullAddress: Schema.String }) })
  const { mailbox } = read(One)(yield* ask("POST /v1/mailboxes", { key, body: { address: "second" } }))
  yield* Engine.settle
  return mailbox
})

const subjectsOf = ({ events }: typeof LogPage.Type) =>
  events.map((event) => ("subject" in event.data ? event.data.subject : event.event))

describe("the event log", () => {
  rule("is empty at first", () =>
    Effect.gen(function* () {
      const answer = yield* log(yield* signUp())
      expect([answer.status, answer.json]).toEqual([200, { events: [], metadata: { hasMore: false } }])
      expect(answer.headers.get("x-service-inbound-quota")).toBe("0/100")
    }),
  )

  rule("has the events of the stream under the ids of the stream, oldest first", () =>
    Effect.gen(function* () {
      const account = yield* owner("trial")
      const { take } = yield* listen({ key: account.key })
      yield* receive(account.address, mails(2))
      const body = { to: [account.email], subject: "Out", bodyText: "Text" }
      yield* ask(`POST /v1/mailboxes/${account.mailboxId}/messages`, { key: account.key, body })
      const frames = framesIn(yield* take)
      expect(frames).toHaveLength(3)
      const answer = yield* log(account)
      expect(answer.json).toEqual({
        events: frames.map(({ id, data }) => ({ id, ...Schema.decodeUnknownSync(EventEnvelope)(data) })),
        metadata: { hasMore: false, nextAfter: frames[2]?.id },
      })
    }),
  )

  rule("goes on after an event, page by page", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      yield* receive(account.address, mails(5))
      const seen: Array<string> = []
      let after = ""
      for (let turn = 0; turn < 3; turn++) {
        const found = yield* page(account, `?limit=2${after}`)
        seen.push(...subjectsOf(found))
        expect(found.metadata).toEqual({ hasMore: turn < 2, nextAfter: found.events.at(-1)?.id })
        after = `&after=${found.events.at(-1)?.id}`
      }
      expect(seen).toEqual(mails(5).map(({ subject }) => subject))
      expect(yield* page(account, `?${after.slice(1)}`)).toMatchObject({
        events: [],
        metadata: { hasMore: false },
      })
    }),
  )

  rule("has 50 events a page, if nothing else is asked for", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      yield* receive(account.address, mails(51))
      expect((yield* page(account)).events).toHaveLength(50)
      expect((yield* page(account, "?limit=100")).events).toHaveLength(51)
    }),
  )

  rule("gives download links that are fresh", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const attachment = { filename: "a.txt", type: "text/plain", content: "A" }
      yield* receive(account.address, [{ attachment }])
      yield* TestClock.adjust(HOUR)
      expect((yield* log(account)).text).toContain(`expires=${25 * HOUR}`)
    }),
  )

  rule("shows a message above the limit as the stub it was announced with", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      yield* setFacts(account, { receivedMonth: { window: "1970-01", count: 100 } })
      yield* receive(account.address, [{ subject: "secret subject" }])
      const answer = yield* log(account)
      expect(answer.json).toMatchObject({ events: [{ data: { over_limit: true } }] })
      expect(answer.text).not.toContain("secret subject")
    }),
  )

  rule("begins with what is left after an event that is older than 30 days", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      yield* receive(account.address, [{ subject: "old" }])
      const [old] = (yield* page(account)).events
      yield* TestClock.adjust("31 days")
      yield* receive(account.address, [{ subject: "young" }])
      expect(subjectsOf(yield* page(account))).toEqual(["young"])
      expect(subjectsOf(yield* page(account, `?after=${old?.id}`))).toEqual(["young"])
    }),
  )
})

describe("its filters", () => {
  rule("keep one mailbox, kinds, or both", () =>
    Effect.gen(function* () {
      const account = yield* owner("trial")
      const second = yield* secondMailbox(account)
      yield* receive(account.address, [{ subject: "to the first" }])
      yield* receive(second.fullAddress, [{ subject: "to the second" }])
      const body = { to: [account.email], subject: "Out", bodyText: "Text" }
      yield* ask(`POST /v1/mailboxes/${second.id}/messages`, { key: account.key, body })
      expect(subjectsOf(yield* page(account, `?mailboxId=${second.id}`))).toEqual(["to the second", "Out"])
      expect(subjectsOf(yield* page(account, "?events=message.sent,message.bounced"))).toEqual(["Out"])
      const both = `?events=message.received&mailboxId=${account.mailboxId}`
      const found = yield* page(account, both)
      expect(subjectsOf(found)).toEqual(["to the first"])
      // A client that goes on from there does not look at the others again.
      expect(found.metadata.nextAfter).toBe((yield* page(account)).events.at(-1)?.id)
    }),
  )

  rule("are, for a scoped key, within its mailboxes", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const second = yield* secondMailbox(account)
      const key = yield* scopedKey(account)
      yield* receive(second.fullAddress, [{ subject: "out of scope" }])
      yield* receive(account.address, [{ subject: "in scope" }])
      expect(subjectsOf(yield* page(key))).toEqual(["in scope"])
      const outside = yield* log(key, `?mailboxId=${second.id}`)
      expect([outside.status, outside.json]).toMatchObject([404, { code: "MAILBOX_NOT_FOUND" }])
    }),
  )

  rule("never let another account's events in", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const other = yield* signUp("other")
      yield* receive(other.address)
      expect((yield* page(account)).events).toEqual([])
      const theirs = yield* log(account, `?mailboxId=${other.mailboxId}`)
      expect(theirs.status).toBe(404)
    }),
  )

  rule("name the kinds there are, in one issue for each that is none", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      for (const path of ["/v1/events/log", "/v1/events"]) {
        const answer = yield* ask(`GET ${path}?events=message.read,message.sent`, { key })
        expect(answer.json).toEqual({
          error: expect.any(String),
          code: "VALIDATION_FAILED",
          issues: [
            { path: "events.0", message: expect.stringMatching(/message\.received.*message\.complaint/) },
          ],
        })
      }
    }),
  )

  for (const [query, path] of [
    ["after=nonsense", "after"],
    ["after=", "after"],
    ["after=0-1-0000", "after"],
    ["after=0-0-0000", "after"],
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=x", "limit"],
    ["mailboxId=inbox", "mailboxId"],
  ] as const)
    rule(`answer 400 to ?${query}`, () =>
      Effect.gen(function* () {
        const answer = yield* log(yield* signUp(), `?${query}`)
        expect(answer.status).toBe(400)
        expect(answer.json).toMatchObject({
          code: "VALIDATION_FAILED",
          issues: expect.arrayContaining([expect.objectContaining({ path })]),
        })
      }),
    )
})
