/** A signing key that cannot be read fails only the sends of that moment. */
import { expect } from "@effect/vitest"
import { MINUTE } from "@mailroom/domain"
import { PlatformKeyStore, StorageFailure } from "@mailroom/engine"
import { Context, Effect, Exit, Layer, Ref, TestClock } from "effect"
import { blobKeys, watchedBlobs } from "./support/blobs.js"
import { ruleWith } from "./support/mailroom.js"
import { paying } from "./support/owners.js"
import { inline, send } from "./support/sends.js"

class KeysAway extends Context.Tag("test/KeysAway")<KeysAway, Ref.Ref<boolean>>() {}

/** Wraps the key store. */
const keysAtTimes = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* PlatformKeyStore
    const away = yield* Ref.make(false)
    const all = Effect.if(Ref.get(away), {
      onTrue: () => Effect.die(new StorageFailure({ reason: "unavailable", cause: "no connection" })),
      onFalse: () => store.all,
    })
    return Context.make(PlatformKeyStore, { ...store, all }).pipe(Context.add(KeysAway, away))
  }),
)

ruleWith(Layer.merge(watchedBlobs, keysAtTimes))(
  "a send that cannot be signed leaves no file behind, and the next one is signed as soon as the key can be read",
  Effect.gen(function* () {
    const owner = yield* paying()
    const attachments = [inline("a.bin", Buffer.from("12345"))]
    yield* TestClock.adjust(6 * MINUTE)
    yield* Ref.set(yield* KeysAway, true)
    expect(Exit.isFailure(yield* Effect.exit(send(owner, { attachments })))).toBe(true)
    expect(yield* blobKeys).toEqual([])
    yield* Ref.set(yield* KeysAway, false)
    expect((yield* send(owner, { attachments })).status).toBe("SENT")
    expect(yield* blobKeys).toHaveLength(1)
  }),
)
