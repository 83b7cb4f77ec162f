/** Lists of messages in a program: their filter and their pages (docs/embedding.md). */
import { describe, expect, it } from "@effect/vitest"
import { clockAt, TestMailroom } from "@mailroom/testing"
import { Effect, type Layer } from "effect"
import { Mailboxes, Messages } from "mailroom"

const world = TestMailroom.layer("agents.acme.dev")

const rule = <A, E>(name: string, body: Effect.Effect<A, E, Layer.Layer.Success<typeof world>>) =>
  it.scoped(name, () => body.pipe(Effect.provide(world), Effect.provide(clockAt(0))), { concurrent: true })

const agent = Effect.flatMap(Mailboxes, ({ adopt }) => adopt("agent"))
const send = (subject: string) =>
  Effect.gen(function* () {
    const { send: sendFrom } = yield* Messages
    yield* sendFrom(yield* agent, { to: ["bob@elsewhere.org"], subject, bodyText: "Hello" })
  })

describe("a list of messages", () => {
  for (const [kind, filter] of [
    ["by direction", { direction: "OUTBOUND" }],
    ["with another filter", { to: { kind: "domain", domain: "elsewhere.org" } }],
  ] as const)
    rule(
      `${kind} is read page by page, and has every message once, also when newer mail comes`,
      Effect.gen(function* () {
        const mailbox = yield* agent
        const { list } = yield* Messages
        const page = (after: string | null) =>
          Effect.map(list(mailbox, { ...filter, limit: 2, after }), ({ messages, ...rest }) => ({
            ...rest,
            subjects: messages.map(({ subject }) => subject),
          }))
        yield* Effect.forEach(["1", "2", "3", "4", "5"], send)
        const first = yield* page(null)
        expect(first).toMatchObject({ subjects: ["5", "4"], hasMore: true })
        yield* send("6")
        const second = yield* page(first.next)
        expect(second).toMatchObject({ subjects: ["3", "2"], hasMore: true })
        expect(yield* page(second.next)).toEqual({ subjects: ["1"], hasMore: false, next: null })
      }),
    )

  rule(
    "refuses a limit and a cursor that are not of this list",
    Effect.gen(function* () {
      const mailbox = yield* agent
      const { list } = yield* Messages
      yield* Effect.forEach(["1", "2"], send)
      const { next } = yield* list(mailbox, { limit: 1 })
      for (const [query, message] of [
        [{ after: "x" }, "after: is not a cursor of ours"],
        [{ direction: "OUTBOUND", after: next }, "after: belongs to another query"],
        [{ limit: 0 }, "limit: must be from 1 to 100"],
        [{ limit: 101 }, "limit: must be from 1 to 100"],
      ] as const)
        expect(yield* Effect.flip(list(mailbox, query))).toMatchObject({ code: "VALIDATION_FAILED", message })
    }),
  )

  rule(
    "refuses a condition that is unknown or wrong",
    Effect.gen(function* () {
      const mailbox = yield* agent
      const messages = yield* Messages
      for (const [query, message] of [
        [{ subjct: "Hello" }, "subjct: is not known here. Did you mean subject?"],
        [{ direction: "inbound" }, 'direction: must be one of "INBOUND", "OUTBOUND"'],
        [{ since: "2026-01-01" }, "since: must be a number"],
        [
          { from: "ada@elsewhere.org" },
          'from: must be { kind: "address", address } or { kind: "domain", domain }',
        ],
      ] as const) {
        const unknown: object = query
        expect(yield* Effect.flip(messages.list(mailbox, unknown))).toMatchObject({
          _tag: "Refused",
          code: "VALIDATION_FAILED",
          message,
        })
      }
    }),
  )

  rule(
    "finds the mail of an address in any case",
    Effect.gen(function* () {
      const mailbox = yield* agent
      const messages = yield* Messages
      yield* messages.send(mailbox, { to: ["bob@elsewhere.org"], subject: "Hi", bodyText: "Hello" })
      for (const to of [
        { kind: "address", address: "Bob@Elsewhere.org" },
        { kind: "domain", domain: "Elsewhere.org" },
      ] as const)
        expect((yield* messages.list(mailbox, { to })).messages).toMatchObject([{ subject: "Hi" }])
    }),
  )
})
