/** Submitted mails that a policy holds: they keep their bytes until they are sent, or until somebody changes them. */
import { describe, expect } from "@effect/vitest"
import { BLOB_DRAFT_KEPT_FOR, defaultPolicies, DraftId, HOUR } from "@mailroom/domain"
import { Engine, MailboxStore, MimeComposer } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Effect, Layer, Option, TestClock } from "effect"
import { proveSender, received } from "./support/arrivals.js"
import { blobKeys, watchedBlobs } from "./support/blobs.js"
import { approve, changeDraft, draftOf, draftsOf, reject, sendDraft, setPolicies } from "./support/drafts.js"
import { correctedCounts } from "./support/integrity.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { lastMailTo, mailsTo } from "./support/outbox.js"
import { type Owner, paying } from "./support/owners.js"
import { accountOf, newest } from "./support/reading.js"
import { RECIPIENT } from "./support/sends.js"
import { aMail, idIn, submit } from "./support/submissions.js"

const reviewing = Effect.tap(paying(), (owner) => setPolicies(owner, { outboundPolicy: "review" }))

const BODY = [
  "--b",
  "Content-Type: text/plain",
  "",
  "Trailing spaces   ",
  "--b",
  'Content-Type: application/octet-stream; name="a.bin"',
  "Content-Transfer-Encoding: base64",
  "",
  "AAEC",
  "--b--",
  "",
].join("\r\n")

const mixed = (owner: Owner): string =>
  aMail(owner, [
    "Message-ID: <held@client.example>",
    "Bcc: blind@elsewhere.org",
    "MIME-Version: 1.0",
    "Content-Type: multipart/mixed; boundary=b",
  ]).replace(/\r\n\r\n[^]*$/, `\r\n\r\n${BODY}`)

/** Submits a mail that is held, and returns its draft. */
const held = (owner: Owner, mail = mixed(owner), to = [RECIPIENT, "blind@elsewhere.org"]) =>
  Effect.gen(function* () {
    const reply = yield* submit(owner, mail, to)
    expect(reply).toMatch(/^250 2\.0\.0 queued for review as [0-9a-f-]{36}$/)
    return yield* Effect.flatMap(draftOf(owner, DraftId.make(idIn(reply))), Effect.orDie)
  })

/** The body of the mail that the relay took. */
const sentBody = Effect.map(lastMailTo(RECIPIENT), ({ raw }) => raw.slice(raw.indexOf("\r\n\r\n") + 4))

/** A composer that lets a policy begin to review every send while it composes the first mail to `RECIPIENT`. */
const policyChanging = Layer.effect(
  MimeComposer,
  Effect.gen(function* () {
    const { compose } = yield* MimeComposer
    const mailboxes = yield* MailboxStore
    let isChanged = false
    return {
      compose: (draft) =>
        Effect.gen(function* () {
          if (!isChanged && draft.to.some((to) => to.includes(RECIPIENT))) {
            isChanged = true
            for (const mailbox of yield* mailboxes.byAddresses([draft.from.address]))
              yield* mailboxes.save({
                ...mailbox,
                policies: { ...defaultPolicies, outboundPolicy: "review" },
              })
          }
          return yield* compose(draft)
        }),
    }
  }),
)

describe("a submitted mail that is held", () => {
  ruleWith(policyChanging)(
    "by a policy that began while it was composed, is held with its bytes",
    Effect.gen(function* () {
      const owner = yield* paying()
      const draft = yield* held(owner)
      expect(draft.content.submitted?.sizeBytes).toBe(mixed(owner).length)
      expect(draft.content.attachments).toHaveLength(1)
      expect(yield* draftsOf(owner)).toHaveLength(1)
      yield* approve(owner, draft)
      expect(yield* sentBody).toBe(BODY)
      expect(yield* correctedCounts).toEqual([])
    }),
  )

  ruleWith(watchedBlobs)(
    "is shown as a draft, is sent with its own bytes after the approval, and leaves nothing else behind",
    Effect.gen(function* () {
      const owner = yield* reviewing
      const draft = yield* held(owner)
      expect(draft.content).toMatchObject({
        to: [RECIPIENT],
        bcc: ["blind@elsewhere.org"],
        subject: "Hello",
        attachments: [{ filename: "a.bin", sizeBytes: 3 }],
        submitted: { contentType: "message/rfc822", sizeBytes: mixed(owner).length },
      })
      expect(yield* submit(owner, mixed(owner), [RECIPIENT, "blind@elsewhere.org"])).toContain(draft.id)
      expect(yield* draftsOf(owner)).toHaveLength(1)
      const { storageUsedBytes } = yield* accountOf(owner)
      expect(storageUsedBytes).toBe(draft.sizeBytes + 3 + mixed(owner).length)

      yield* approve(owner, draft)
      expect(yield* newest(owner)).toMatchObject({ id: draft.id, messageId: "<held@client.example>" })
      expect(yield* sentBody).toBe(BODY)
      expect((yield* lastMailTo(RECIPIENT)).raw).not.toMatch(/^bcc/im)
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(3)
      expect(yield* submit(owner, mixed(owner), [RECIPIENT, "blind@elsewhere.org"])).toContain(draft.id)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)

      yield* TestClock.adjust(BLOB_DRAFT_KEPT_FOR + HOUR)
      yield* Engine.settle
      expect(yield* blobKeys).toHaveLength(1)
      expect(yield* correctedCounts).toEqual([])
    }),
  )

  ruleWith(watchedBlobs)(
    "is back with its bytes when the relay refused it, and gone with them when it is rejected and its time is over",
    Effect.gen(function* () {
      const owner = yield* reviewing
      const draft = yield* held(owner)
      const relay = yield* MemoryRelay
      yield* relay.answer("blind@elsewhere.org", "550 5.1.1 no such user")
      yield* relay.answer(RECIPIENT, "550 5.1.1 no such user")
      yield* approve(owner, draft)
      const failed = yield* Effect.flatMap(draftOf(owner, draft.id), Effect.orDie)
      expect([failed.status, failed.content]).toEqual(["FAILED", draft.content])
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(failed.sizeBytes + 3 + mixed(owner).length)
      yield* relay.answer("blind@elsewhere.org", null)
      yield* relay.answer(RECIPIENT, null)
      yield* setPolicies(owner, { outboundPolicy: "open" })
      yield* sendDraft(owner, draft.id)
      expect(yield* sentBody).toBe(BODY)

      yield* setPolicies(owner, { outboundPolicy: "review" })
      const other = yield* held(owner, aMail(owner), [RECIPIENT])
      yield* reject(owner, other.id)
      yield* TestClock.adjust(31 * 24 * HOUR)
      yield* Engine.settle
      expect(Option.isNone(yield* draftOf(owner, other.id))).toBe(true)
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(3)
      yield* TestClock.adjust(BLOB_DRAFT_KEPT_FOR + HOUR)
      yield* Engine.settle
      expect(yield* blobKeys).toHaveLength(1)
      expect(yield* correctedCounts).toEqual([])
    }),
  )

  rule(
    "is composed of its fields once somebody has changed it",
    Effect.gen(function* () {
      const owner = yield* reviewing
      const draft = yield* held(owner)
      yield* changeDraft(owner, draft.id, { labels: ["seen"] })
      const labelled = yield* Effect.flatMap(draftOf(owner, draft.id), Effect.orDie)
      expect(labelled.content.submitted).toEqual(draft.content.submitted)
      yield* approve(owner, labelled, { edits: { subject: "Edited" } })
      const { mail } = yield* lastMailTo(RECIPIENT)
      expect(mail).toMatchObject({ subject: "Edited", attachments: [{ filename: "a.bin" }] })
      expect(yield* sentBody).not.toBe(BODY)
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(3)
    }),
  )

  ruleWith(watchedBlobs)(
    "of a mailbox that holds nothing is never written as a file, and of one that holds others is removed with the send",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* submit(owner)
      yield* proveSender
      yield* received(owner.address, { id: "<1@elsewhere.org>", from: RECIPIENT })
      yield* setPolicies(owner, { outboundPolicy: "review_new" })
      expect(yield* submit(owner)).toMatch(/^250 2\.0\.0 sent as /)
      yield* TestClock.adjust(BLOB_DRAFT_KEPT_FOR + HOUR)
      yield* Engine.settle
      expect(yield* blobKeys).toEqual([])
    }),
  )
})
