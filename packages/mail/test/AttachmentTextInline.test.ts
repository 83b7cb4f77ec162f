import { AttachmentTextInline } from "@mailroom/mail"
import { AttachmentText } from "@mailroom/engine"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { attachmentTextContract } from "./attachmentText.contract.js"
import { pdf } from "./support/documents.js"

// Before the contract, which reads PDF files too.
it.effect("AttachmentTextInline leaves the built-ins of the process as they are", () =>
  Effect.gen(function* () {
    const before = [JSON.parse, JSON.stringify, Array.prototype.push]
    const reader = yield* AttachmentText
    const read = () =>
      Effect.flatMap(
        Effect.promise(() => pdf(["A page"])),
        (bytes) => reader.read({ filename: "a.pdf", contentType: "application/pdf", bytes }),
      )
    yield* Effect.all([read(), read()], { concurrency: "unbounded" })
    expect([JSON.parse, JSON.stringify, Array.prototype.push]).toEqual(before)
  }).pipe(Effect.provide(AttachmentTextInline.layer)),
)

attachmentTextContract("AttachmentTextInline", AttachmentTextInline.layer)
