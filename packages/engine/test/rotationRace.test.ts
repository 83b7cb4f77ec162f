/** Two processes that rotate the platform's DKIM key at once (spec: keys.audit.entry). */
import { expect } from "@effect/vitest"
import { AuditLog, DkimKeys, SigningKeys } from "@mailroom/engine"
import { Context, Effect, Layer, Ref } from "effect"
import { meetingOf } from "./support/concurrency.js"
import { ruleWith } from "./support/mailroom.js"
import { unverified } from "./support/owners.js"

/** What the generation of a key waits for. */
class BeforeKeys extends Context.Tag("test/BeforeKeys")<BeforeKeys, Ref.Ref<Effect.Effect<void>>>() {}

const waitingKeys = Layer.effectContext(
  Effect.gen(function* () {
    const keys = yield* DkimKeys
    const before = yield* Ref.make<Effect.Effect<void>>(Effect.void)
    const generate = Effect.zipRight(Effect.flatten(Ref.get(before)), keys.generate)
    return Context.make(DkimKeys, { ...keys, generate }).pipe(Context.add(BeforeKeys, before))
  }),
)

ruleWith(waitingKeys)(
  "of two rotations that both find no next key, one stores its key, and the audit trail has that key alone",
  Effect.gen(function* () {
    yield* unverified()
    const keys = yield* SigningKeys
    expect(yield* keys.platformRecords).toHaveLength(1)
    yield* Ref.set(yield* BeforeKeys, yield* meetingOf(2))
    yield* Effect.replicateEffect(keys.rotatePlatform, 2, { concurrency: 2 })
    const [, next, ...others] = yield* keys.platformRecords
    expect(others).toEqual([])
    const { entries } = yield* (yield* AuditLog).listOf(null, { before: null, limit: 100 })
    expect(entries.map(({ action, target }) => [action, `${target}._domainkey.mailroom.localhost`])).toEqual([
      ["platform.key_rotated", next?.host],
    ])
  }),
)
