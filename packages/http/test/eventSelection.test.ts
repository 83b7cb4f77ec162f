/** Which events a stream carries: replay and filters (spec, Event stream 5, 6; decisions §7). */
import { describe } from "@effect/vitest"
import { EventEnvelope, HOUR } from "@mailroom/domain"
import { Effect, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { owner, type Owner, scopedKey, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { mails, receive } from "./support/mail.js"
import { rule } from "./support/service.js"
import { type Frame, framesIn, listen } from "./support/stream.js"

const subjectsOf = (frames: ReadonlyArray<Frame>) =>
  frames.map(({ data }) => {
    const envelope = Schema.decodeUnknownSync(EventEnvelope)(data)
    return "subject" in envelope.data ? envelope.data.subject : envelope.event
  })

const secondMailbox = Effect.fn(function* ({ key }: Owner) {
  const One = Schema.Struct({ mailbox: Schema.Struct({ id: Schema.String, fullAddress: Schema.String }) })
  return read(One)(yield* ask("POST /v1/mailboxes", { key, body: { address: "second" } })).mailbox
})

describe("Last-Event-ID", () => {
  rule("replays what was missed, and goes on with what is new", () =>
    Effect.gen(function* () {
      const { key, address } = yield* signUp()
      const first = yield* listen({ key })
      yield* receive(address, mails(3))
      const seen = framesIn(yield* first.take)
      yield* first.close
      const again = yield* listen({ key, headers: { "last-event-id": seen[0]?.id ?? "" } })
      expect(framesIn(yield* again.take)).toEqual(seen.slice(1))
      yield* receive(address, [{ subject: "new" }])
      expect(subjectsOf(framesIn(yield* again.take))).toEqual(["new"])
    }),
  )

  rule("that is unknown replays the last 100", () =>
    Effect.gen(function* () {
      const { key, address } = yield* owner("active")
      yield* receive(address, mails(101))
      for (const id of ["0-1-0000", "nonsense"]) {
        const { take, close } = yield* listen({ key, headers: { "last-event-id": id } })
        const subjects = subjectsOf(framesIn(yield* take))
        expect([subjects.length, subjects[0], subjects.at(-1)]).toEqual([100, "Mail 2", "Mail 101"])
        yield* close
      }
    }),
  )

  rule("replays nothing that is older than an hour", () =>
    Effect.gen(function* () {
      const { key, address } = yield* signUp()
      yield* receive(address, [{ subject: "old" }])
      yield* TestClock.adjust(HOUR + 1)
      yield* receive(address, [{ subject: "young" }])
      const { take } = yield* listen({ key, headers: { "last-event-id": "0-0-0000" } })
      expect(subjectsOf(framesIn(yield* take))).toEqual(["young"])
    }),
  )

  rule("left out begins with what is new", () =>
    Effect.gen(function* () {
      const { key, address } = yield* signUp()
      yield* receive(address, [{ subject: "before" }])
      const { take } = yield* listen({ key })
      yield* receive(address, [{ subject: "after" }])
      expect(subjectsOf(framesIn(yield* take))).toEqual(["after"])
    }),
  )
})

describe("filters", () => {
  rule("mailboxId keeps one mailbox, events keeps the kinds that it lists", () =>
    Effect.gen(function* () {
      const account = yield* owner("trial")
      const second = yield* secondMailbox(account)
      const one = yield* listen({ key: account.key }, `?mailboxId=${second.id}`)
      const sent = yield* listen({ key: account.key }, "?events=message.sent,%20message.bounced")
      yield* receive(account.address, [{ subject: "to the first" }])
      yield* receive(second.fullAddress, [{ subject: "to the second" }])
      const body = { to: [account.email], subject: "Out", bodyText: "Text" }
      yield* ask(`POST /v1/mailboxes/${account.mailboxId}/messages`, { key: account.key, body })
      expect(subjectsOf(framesIn(yield* one.take))).toEqual(["to the second"])
      expect(subjectsOf(framesIn(yield* sent.take))).toEqual(["Out"])
    }),
  )

  for (const [query, path] of [
    ["events=message.read", "events"],
    ["events=", "events"],
    ["mailboxId=inbox", "mailboxId"],
  ])
    rule(`answer 400 to ?${query}`, () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const answer = yield* ask(`GET /v1/events?${query}`, { key })
        expect(answer.status).toBe(400)
        expect(answer.text).toContain(`"path":"${path}`)
        expect(answer.headers.get("x-service-inbound-quota")).toBe("0/100")
      }),
    )

  rule("of a scoped key: its own mailboxes, whatever is asked", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const second = yield* secondMailbox(account)
      const { key } = yield* scopedKey(account)
      const { take } = yield* listen({ key })
      yield* receive(second.fullAddress, [{ subject: "out of scope" }])
      yield* receive(account.address, [{ subject: "in scope" }])
      expect(subjectsOf(framesIn(yield* take))).toEqual(["in scope"])
      expect((yield* ask(`GET /v1/events?mailboxId=${second.id}`, { key })).status).toBe(404)
    }),
  )

  rule("never let another account's events in", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const other = yield* signUp("other")
      const { take } = yield* listen({ key, headers: { "last-event-id": "0-0-0000" } })
      yield* receive(other.address)
      expect(framesIn(yield* take)).toEqual([])
    }),
  )
})
