/** What an event says of the inbound quota: as of its own message, whatever was delivered with it (spec, Events, rules 2 and 3). */
import { EventEnvelope } from "@mailroom/domain"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import { setFacts, signUp } from "./support/accounts.js"
import { mails, receive } from "./support/mail.js"
import { rule } from "./support/service.js"
import { framesIn, listen } from "./support/stream.js"

rule("each event carries the usage as of its own message", () =>
  Effect.gen(function* () {
    const account = yield* signUp()
    yield* setFacts(account, { receivedMonth: { window: "1970-01", count: 98 } })
    const { take } = yield* listen({ key: account.key })
    yield* receive(account.address, mails(3))
    const usages = framesIn(yield* take).map(({ data }) => {
      const envelope = Schema.decodeUnknownSync(EventEnvelope)(data)
      return "account" in envelope.data ? envelope.data.account?.inbound_usage.current : undefined
    })
    expect(usages).toEqual([99, 100, 101])
  }),
)
