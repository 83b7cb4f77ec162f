/** How much large answers may hold until they are read (docs/decisions/0045). */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { describe, expect, it } from "@effect/vitest"
import { AccountId } from "@mailroom/domain"
import { Effect, Either, Exit, Scope } from "effect"
import { UnreadAnswers } from "../src/UnreadAnswers.js"

const MB = 1024 * 1024
const accountOf = (n: number) => AccountId.make(`00000000-0000-4000-8000-00000000000${n}`)
const ann = accountOf(8)
const bob = accountOf(9)

const jsonOf = (bytes: number) => HttpServerResponse.uint8Array(new Uint8Array(bytes))

/** Begins to answer: what came of it, and what ends the request. */
const begin = <E extends { readonly _tag: string }>(
  answer: Effect.Effect<unknown, E, Scope.Scope | HttpServerRequest.HttpServerRequest>,
  method: "GET" | "HEAD" = "GET",
) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const request = HttpServerRequest.fromWeb(new Request("http://mailroom.test/", { method }))
    const result = yield* Effect.either(
      answer.pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        Effect.provideService(Scope.Scope, scope),
      ),
    )
    return {
      outcome: Either.match(result, { onLeft: ({ _tag }) => _tag, onRight: () => "answered" }),
      end: Scope.close(scope, Exit.void),
    }
  })

const rule = (name: string, body: Effect.Effect<void, never, UnreadAnswers>) =>
  it.effect(name, () => Effect.provide(body, UnreadAnswers.layer))

describe("unread answers", () => {
  rule(
    "of one account hold 64 MB; what was read makes room",
    Effect.gen(function* () {
      const unreadAnswers = yield* UnreadAnswers
      const first = yield* begin(unreadAnswers.count(ann, jsonOf(40 * MB)))
      expect(first.outcome).toBe("answered")
      expect((yield* begin(unreadAnswers.count(ann, jsonOf(25 * MB)))).outcome).toBe("TooManyUnread")
      expect((yield* begin(unreadAnswers.count(bob, jsonOf(25 * MB)))).outcome).toBe("answered")
      yield* first.end
      expect((yield* begin(unreadAnswers.count(ann, jsonOf(25 * MB)))).outcome).toBe("answered")
    }),
  )

  rule(
    "are 32 downloads of one account, whatever their size",
    Effect.gen(function* () {
      const unreadAnswers = yield* UnreadAnswers
      const begun = yield* Effect.replicateEffect(begin(unreadAnswers.countDownload(ann, 25 * MB)), 40)
      expect(begun.filter(({ outcome }) => outcome === "answered")).toHaveLength(32)
    }),
  )

  rule(
    "may be one alone of any size; small ones and those to HEAD count nothing",
    Effect.gen(function* () {
      const unreadAnswers = yield* UnreadAnswers
      expect((yield* begin(unreadAnswers.count(ann, jsonOf(100 * MB)), "HEAD")).outcome).toBe("answered")
      expect((yield* begin(unreadAnswers.count(ann, jsonOf(100 * MB)))).outcome).toBe("answered")
      expect((yield* begin(unreadAnswers.count(ann, jsonOf(256 * 1024)))).outcome).toBe("answered")
      expect((yield* begin(unreadAnswers.countDownload(ann, 256 * 1024))).outcome).toBe("answered")
      expect((yield* begin(unreadAnswers.countDownload(ann, 256 * 1024 + 1))).outcome).toBe("TooManyUnread")
    }),
  )

  rule(
    "of all accounts hold 256 MB",
    Effect.gen(function* () {
      const unreadAnswers = yield* UnreadAnswers
      const outcomes = yield* Effect.forEach([1, 2, 3, 4, 5], (n) =>
        begin(unreadAnswers.count(accountOf(n), jsonOf(60 * MB))),
      )
      expect(outcomes.map(({ outcome }) => outcome)).toEqual([
        "answered",
        "answered",
        "answered",
        "answered",
        "Overloaded",
      ])
    }),
  )

  rule(
    "refuse a message before it is loaded while another one of the account is",
    Effect.gen(function* () {
      const unreadAnswers = yield* UnreadAnswers
      let loaded = 0
      const load = Effect.sync(() => {
        loaded += 1
        return jsonOf(40 * MB)
      }).pipe(Effect.tap(() => Effect.yieldNow()))
      const begun = yield* Effect.all(
        Array.from({ length: 40 }, () => begin(unreadAnswers.aroundRead(ann, Effect.succeed(40 * MB), load))),
        { concurrency: "unbounded" },
      )
      expect(loaded).toBeLessThanOrEqual(2)
      expect(begun.filter(({ outcome }) => outcome === "TooManyUnread").length).toBeGreaterThanOrEqual(38)
    }),
  )

  rule(
    "refuse a change before it is made, and never after",
    Effect.gen(function* () {
      const unreadAnswers = yield* UnreadAnswers
      let made = 0
      const make = Effect.sync(() => {
        made += 1
        return jsonOf(70 * MB)
      })
      const outcomes = yield* Effect.replicateEffect(begin(unreadAnswers.aroundChange(ann, make)), 3)
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(["answered", "TooManyUnread", "TooManyUnread"])
      expect(made).toBe(1)
    }),
  )
})
