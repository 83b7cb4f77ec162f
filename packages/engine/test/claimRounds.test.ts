/** Requests that wait to claim a message share their looks (docs/decisions/0062). */
import { expect } from "@effect/vitest"
import { AccountId, MailboxId } from "@mailroom/domain"
import { Clock, Effect, Exit, Fiber, Option, TestClock } from "effect"
import { Kind, makeClaimRounds } from "../src/claims/ClaimRounds.js"
import { NOON, rule } from "./support/mailroom.js"

const kind = new Kind(
  AccountId.make("00000000-0000-7000-8000-000000000001"),
  MailboxId.make("00000000-0000-7000-8000-000000000002"),
  null,
)

/** When the lease of the only message ends. */
const END = NOON + 300

const look = Effect.delay(
  Effect.map(Clock.currentTimeMillis, (now) => (now >= END ? Option.some("the message") : Option.none())),
  "5 millis",
)

rule(
  "a request that gives up while the end of a lease is read leaves the alarm to the others",
  Effect.gen(function* () {
    const nextEnd = Effect.delay(Effect.succeedSome(END), "20 millis")
    const rounds = yield* makeClaimRounds(() => nextEnd)
    const first = yield* Effect.fork(rounds.find(kind, look))
    const second = yield* Effect.fork(rounds.find(kind, look))
    yield* TestClock.adjust("15 millis")
    yield* Fiber.interrupt(first)
    yield* TestClock.adjust("300 millis")
    expect(yield* Fiber.poll(second)).toEqual(Option.some(Exit.succeed("the message")))
  }).pipe(Effect.scoped),
)
