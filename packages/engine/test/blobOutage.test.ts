/** An outage of the blob store delays mail and loses none. */
import { expect } from "@effect/vitest"
import { DeliveryWorker } from "@mailroom/engine"
import { Effect, Exit, TestClock } from "effect"
import { accepted, aMail } from "./support/arrivals.js"
import { BlobShelf, watchedBlobs } from "./support/blobs.js"
import { ruleWith } from "./support/mailroom.js"
import { unverified } from "./support/owners.js"
import { listed } from "./support/reading.js"

const drain = Effect.flatMap(DeliveryWorker, (worker) => worker.drain)

ruleWith(watchedBlobs)(
  "mail is delivered complete after an outage of the blob store of any length",
  Effect.gen(function* () {
    const owner = yield* unverified()
    const shelf = yield* BlobShelf
    yield* shelf.full(true)
    yield* accepted(owner.address, aMail({ subject: "No file" }))
    yield* accepted(
      owner.address,
      aMail({ subject: "Kept", files: [{ name: "a.bin", bytes: Buffer.alloc(10) }] }),
    )
    for (const _ of [1, 2, 3, 4]) {
      yield* Effect.exit(drain)
      yield* TestClock.adjust("2 minutes")
    }
    yield* shelf.full(false)
    const exit = yield* Effect.exit(drain)
    expect(Exit.isSuccess(exit)).toBe(true)
    expect(yield* listed(owner)).toMatchObject([
      { subject: "Kept", attachments: [{ sizeBytes: 10 }] },
      { subject: "No file" },
    ])
  }),
)
