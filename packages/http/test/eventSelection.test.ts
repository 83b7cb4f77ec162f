/** Filters of an event stream beyond `events.stream.rule-6-*`: lists with spaces, wrong queries, other accounts. */
import { describe } from "@effect/vitest"
import { EventEnvelope } from "@mailroom/domain"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import { owner, type Owner, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { receive } from "./support/mail.js"
import { inOneService } from "./support/service.js"
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

inOneService((shared) => {
  describe("filters", () => {
    shared("mailboxId keeps one mailbox, events keeps the kinds that it lists", () =>
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

    for (const [query, path] of [["mailboxId=inbox", "mailboxId"]])
      shared(`answer 400 to ?${query}`, () =>
        Effect.gen(function* () {
          const { key } = yield* signUp()
          const answer = yield* ask(`GET /v1/events?${query}`, { key })
          expect(answer.status).toBe(400)
          expect(answer.text).toContain(`"path":"${path}`)
          expect(answer.headers.get("x-service-inbound-quota")).toBe("0/100")
        }),
      )

    shared("never let another account's events in", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const other = yield* signUp("other")
        const { take } = yield* listen({ key, headers: { "last-event-id": "0-0-0000" } })
        yield* receive(other.address)
        expect(framesIn(yield* take)).toEqual([])
      }),
    )
  })
})
