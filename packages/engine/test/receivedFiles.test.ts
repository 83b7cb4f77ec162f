/** Attachments of received mail. */
import { describe, expect } from "@effect/vitest"
import { Attachments } from "@mailroom/engine"
import { Effect } from "effect"
import { received } from "./support/arrivals.js"
import { rule } from "./support/mailroom.js"
import { as, unverified } from "./support/owners.js"
import { accountOf, newest, receivedOf } from "./support/reading.js"

describe("attachments of a mail", () => {
  rule(
    "are stored and counted, and listed in the event",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* received(owner.address, { files: [{ name: "menu.bin", bytes: Buffer.from("soup") }] })
      const message = yield* newest(owner)
      expect(message).toMatchObject({
        hasAttachments: true,
        attachmentsDropped: false,
        attachmentsDroppedReason: null,
        attachments: [{ messageId: message.id, filename: "menu.bin", sizeBytes: 4, contentId: null }],
      })
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(4)
      const [event] = yield* receivedOf(owner)
      const [file] = message.attachments
      expect(event?.attachments).toEqual([
        {
          id: file?.id,
          filename: "menu.bin",
          content_type: "application/octet-stream",
          size_bytes: 4,
          content_id: null,
        },
      ])
      expect(event).not.toHaveProperty("attachments_dropped")
      const attachments = yield* Attachments
      if (file !== undefined) expect(yield* attachments.get(yield* as(owner), file.id)).toMatchObject(file)
    }),
  )

  const tiny = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `${index + 1}.bin`, bytes: Buffer.alloc(1) }))
  const tooLarge = { name: "large.bin", bytes: Buffer.alloc(25 * 1024 * 1024 + 1) }

  for (const [reason, files, kept] of [
    ["count", tiny(21), 20],
    ["size", [tooLarge, ...tiny(1)], 1],
    ["both", [...tiny(10), tooLarge, ...tiny(12)], 20],
  ] as const)
    rule(
      `above the limits are dropped, and the reason is ${reason}`,
      Effect.gen(function* () {
        const owner = yield* unverified()
        yield* received(owner.address, { files })
        const message = yield* newest(owner)
        expect(message).toMatchObject({ attachmentsDropped: true, attachmentsDroppedReason: reason })
        expect(message.attachments).toHaveLength(kept)
        const [event] = yield* receivedOf(owner)
        expect(event).toMatchObject({ attachments_dropped: true, attachments_dropped_reason: reason })
        expect(event?.attachments).toHaveLength(kept)
        expect((yield* accountOf(owner)).storageUsedBytes).toBe(kept)
      }),
    )
})
