/** Presigned download links (`spec: limits.size.download`, `decisions.attachment.download`). */
import { describe, expect } from "@effect/vitest"
import { type AttachmentId, DAY, EventEnvelope } from "@mailroom/domain"
import { Attachments, DownloadLinks, Mailboxes, presentEvent } from "@mailroom/engine"
import { Effect, Schema, TestClock } from "effect"
import { received } from "./support/arrivals.js"
import { attachment, download } from "./support/downloads.js"
import { NOON, rule } from "./support/mailroom.js"
import { as, type Owner, unverified } from "./support/owners.js"
import { logOf, newest } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { upload } from "./support/sends.js"

const remove = (owner: Pick<Owner, "key">, id: AttachmentId) =>
  Effect.gen(function* () {
    const attachments = yield* Attachments
    yield* attachments.remove(yield* as(owner), id)
  })

describe("a download link", () => {
  const linked = Effect.gen(function* () {
    const owner = yield* unverified()
    const id = yield* upload(owner, "a.bin", Buffer.from("0123456789"))
    return { id, url: (yield* attachment(owner, id)).url }
  })

  rule(
    "returns the bytes without an API key",
    Effect.gen(function* () {
      const { url, id } = yield* linked
      expect(url).toContain(`http://mailroom.test/v1/attachments/${id}/content?`)
      expect(yield* download(url)).toEqual({ filename: "a.bin", sizeBytes: 10, text: "0123456789" })
    }),
  )

  rule(
    "returns a range of the bytes",
    Effect.gen(function* () {
      const { url } = yield* linked
      expect(yield* download(url, { start: 2, end: 4 })).toMatchObject({ sizeBytes: 10, text: "234" })
    }),
  )

  rule(
    "works for 24 hours",
    Effect.gen(function* () {
      const { url } = yield* linked
      yield* TestClock.setTime(NOON + DAY - 1)
      expect(yield* download(url)).toMatchObject({ sizeBytes: 10 })
      yield* TestClock.setTime(NOON + DAY)
      expect(yield* refused(download(url))).toMatchObject({ _tag: "NotFound", resource: "attachment" })
    }),
  )

  rule(
    "is not found when any part of it was changed",
    Effect.gen(function* () {
      const { url, id } = yield* linked
      const other = yield* upload(yield* unverified("other"), "b.bin", Buffer.from("secret"))
      const expires = String(NOON + DAY)
      for (const wrong of [
        url.replace(id, other),
        url.replace(expires, String(NOON + DAY + 1)),
        url.slice(0, -1),
        url.replace(/signature=.*/, "signature="),
      ])
        expect(yield* refused(download(wrong))).toMatchObject({ _tag: "NotFound" })
    }),
  )

  rule(
    "is not found after its mailbox was removed, before its messages are; nor is the attachment",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* received(owner.address, { files: [{ name: "a.bin", bytes: Buffer.from("12345") }] })
      const [file] = (yield* newest(owner)).attachments
      if (file === undefined) return yield* Effect.dieMessage("no file")
      const { url } = yield* attachment(owner, file.id)
      expect(yield* download(url)).toMatchObject({ text: "12345" })
      const mailboxes = yield* Mailboxes
      yield* mailboxes.remove(yield* as(owner), owner.mailboxId)
      expect(yield* refused(download(url))).toMatchObject({ _tag: "NotFound" })
      expect(yield* refused(attachment(owner, file.id))).toMatchObject({ _tag: "NotFound" })
    }),
  )

  rule(
    "is not found after its attachment was removed",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const id = yield* upload(owner, "a.bin", Buffer.from("12345"))
      const { url } = yield* attachment(owner, id)
      yield* remove(owner, id)
      expect(yield* refused(download(url))).toMatchObject({ _tag: "NotFound" })
    }),
  )

  rule(
    "in an event is valid for 24 hours from the reading of the event",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* received(owner.address, { files: [{ name: "a.bin", bytes: Buffer.from("12345") }] })
      const [file] = (yield* newest(owner)).attachments
      yield* TestClock.adjust("20 hours")
      const { account } = yield* as(owner)
      const links = yield* DownloadLinks
      const [event] = yield* logOf(account.id)
      if (event === undefined) return yield* Effect.dieMessage("no event")
      expect(event.envelope).not.toContain("download_url")
      const told = yield* Schema.decode(Schema.parseJson(EventEnvelope))(yield* presentEvent(links, event))
      const urls =
        told.event === "message.received" && "attachments" in told.data
          ? told.data.attachments.flatMap(({ id, download_url }) =>
              id === file?.id ? [download_url ?? ""] : [],
            )
          : []
      expect(urls).toHaveLength(1)
      yield* TestClock.adjust("23 hours")
      for (const url of urls) expect(yield* download(url)).toMatchObject({ text: "12345" })
    }),
  )
})
