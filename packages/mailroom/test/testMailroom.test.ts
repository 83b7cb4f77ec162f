/** `TestMailroom` behaves as `createMailroom` does, on the clock of a test. */
import { describe, expect, it } from "@effect/vitest"
import { AddressLists, Mailboxes as EngineMailboxes, Settings } from "@mailroom/engine"
import { clockAt, Outside, TestMailroom } from "@mailroom/testing"
import { Effect, type Layer, type Scope } from "effect"
import { EmbeddedAccount, Events, Mailboxes, Mailroom, Messages } from "mailroom"

const DOMAIN = "agents.acme.dev"
const world = TestMailroom.layer(DOMAIN)

const rule = <A, E>(
  name: string,
  body: Effect.Effect<A, E, Layer.Layer.Success<typeof world> | Scope.Scope>,
) => it.scoped(name, () => body.pipe(Effect.provide(world), Effect.provide(clockAt(0))), { concurrent: true })

describe("an embedded Mailroom in memory", () => {
  rule(
    "has the settings of a real one",
    Effect.gen(function* () {
      expect(yield* Settings).toEqual(Mailroom.settings({ domain: DOMAIN }))
    }),
  )

  rule(
    "sends a mail that has a time when that time has passed",
    Effect.gen(function* () {
      const mailbox = yield* Effect.flatMap(Mailboxes, ({ adopt }) => adopt("agent"))
      const messages = yield* Messages
      const outside = yield* Outside
      const mail = { to: ["ada@elsewhere.org"], subject: "Later", bodyText: "Now." }
      yield* messages.send(mailbox, { ...mail, sendAt: "1970-01-01T01:00:00Z" })
      yield* outside.pass("59 minutes")
      expect(yield* outside.received).toEqual([])
      yield* outside.pass("1 minute")
      expect(yield* outside.received).toMatchObject([{ mail: { subject: "Later" } }])
    }),
  )

  rule(
    "carries mail from one agent to another",
    Effect.gen(function* () {
      const mailboxes = yield* Mailboxes
      const [front, back] = [yield* mailboxes.adopt("front"), yield* mailboxes.adopt("back")]
      const messages = yield* Messages
      const events = yield* Events
      const outside = yield* Outside
      yield* Effect.forkScoped(
        events.consume("agents", (event) => {
          if (event._tag !== "message.received") return Effect.void
          if (event.mailboxId === back.id) return event.reply("Ask in May.")
          const { bodyText, fromAddress } = event.message
          const to = fromAddress === back.fullAddress ? "ada@elsewhere.org" : back.fullAddress
          return messages.send(front, { to: [to], subject: "When?", bodyText: bodyText ?? "" })
        }),
      )
      yield* outside.pass("1 second")
      yield* outside.deliver({ to: front.fullAddress, text: "When?" })
      const [answer] = yield* outside.waitForMail()
      expect(answer).toMatchObject({ to: ["ada@elsewhere.org"] })
      expect(answer?.mail.text).toContain("Ask in May.")
    }),
  )

  rule(
    "refuses mail to a mailbox that is unknown, and from a sender that is blocked, with the reply of a mail server",
    Effect.gen(function* () {
      const { fullAddress: to, id } = yield* Effect.flatMap(Mailboxes, ({ adopt }) => adopt("agent"))
      const { principal } = yield* EmbeddedAccount
      const lists = yield* AddressLists
      const mailboxes = yield* EngineMailboxes
      const outside = yield* Outside
      const policies = { onBlocked: "refuse" } as const
      yield* mailboxes.update(principal, id, { displayName: undefined, status: undefined, policies })
      const list = { mailboxId: null, direction: "receive", kind: "block" } as const
      yield* lists.add(principal, list, { entry: "ada@elsewhere.org", reason: null })
      const refusals = [{ to: `nobody@${DOMAIN}` }, { to }].map((mail) => Effect.flip(outside.deliver(mail)))
      expect(yield* Effect.all(refusals)).toMatchObject([
        { _tag: "MailRefused", reply: "550 5.1.1 No such mailbox here" },
        { _tag: "MailRefused", reply: "550 5.7.1 This mailbox does not accept mail from this sender" },
      ])
      yield* outside.deliver({ to, from: "bob@elsewhere.org" })
    }),
  )
})
