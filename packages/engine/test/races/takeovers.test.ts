/** A takeover and a send at once have one winner: no send of a key is recorded after the takeover (spec: threads.takeover.409). */
import { describe, expect, it } from "@effect/vitest"
import { Messages } from "@mailroom/engine"
import { clockAt } from "@mailroom/testing"
import { Effect } from "effect"
import { NOON } from "../support/mailroom.js"
import { as } from "../support/owners.js"
import { course } from "../support/race.js"
import { reply } from "../support/sends.js"
import { release, takeOver } from "../support/threads.js"
import { makeScene } from "./scene.js"

describe("a reply that is held before each of its statements while a person takes its thread over", () => {
  it.scoped("is recorded before the takeover, or refused", () =>
    Effect.gen(function* () {
      const { alone, look, race } = yield* course
      const { owner, messageId } = yield* alone(makeScene("takeover"))
      const threadId = yield* alone(
        Effect.gen(function* () {
          const messages = yield* Messages
          return (yield* messages.get(yield* as(owner), owner.mailboxId, messageId)).threadId
        }),
      )
      const replies = Effect.map(
        look("SELECT id FROM messages WHERE thread_id = $1 AND direction = 'OUTBOUND'", [threadId]),
        (rows) => rows.length,
      )
      let refused = 0
      // From the statement on before which the reply holds the lock, the takeover waits for it.
      for (let at = 0, isRecorded = false; !isRecorded; at++) {
        const before = yield* replies
        let atTakeover = -1
        const raced = yield* race(
          reply(owner, messageId),
          Effect.gen(function* () {
            yield* takeOver(owner, threadId)
            atTakeover = yield* replies
          }),
          at,
        )
        expect(raced.failures).toEqual([])
        expect(yield* replies, `held at statement ${at}`).toBe(atTakeover)
        isRecorded = atTakeover > before
        if (!isRecorded) refused++
        yield* alone(release(owner, threadId))
      }
      expect(refused).toBeGreaterThan(0)
    }).pipe(Effect.provide(clockAt(NOON))),
  )
})
