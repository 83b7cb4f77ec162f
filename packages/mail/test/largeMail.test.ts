/** Sending large mail blocks the event loop for a few milliseconds at a time (docs/decisions/0054). */
import { MailSigner } from "@mailroom/engine"
import { MailSignerInline, NodemailerComposer } from "@mailroom/mail"
import { messageStream } from "../src/relay/transaction.js"
import { joinInSteps } from "../src/steps.js"
import { eachTurn, turnsDuring } from "@mailroom/test-services"
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import { signingKey } from "./mailSigner.contract.js"
import { aFile, compose, roundTrip, textOf } from "./support/drafts.js"
import { mailFrom } from "./support/senders.js"

const MB = 1024 * 1024
/** Minimum turns of the event loop per MB. */
const TURNS_PER_MB = 4

layer(NodemailerComposer.layer)("composing a large mail", (it) => {
  for (const [what, draft] of [
    ["a file", { attachments: [aFile({ bytes: Buffer.alloc(4 * MB, "file") })] }],
    ["a text", { text: "words and\n".repeat((4 * MB) / 10) }],
    ["HTML", { text: "x", html: "<p>words</p>".repeat((4 * MB) / 12) }],
    ["nothing but line ends", { text: "\n".repeat(4 * MB) }],
  ] as const)
    it.effect(`lets the event loop turn between steps of ${what}`, () =>
      Effect.map(turnsDuring(compose(draft)), (turns) =>
        expect(turns).toBeGreaterThanOrEqual(4 * TURNS_PER_MB),
      ),
    )

  it.effect("does not change a text, wherever its steps end", () =>
    Effect.gen(function* () {
      for (const unit of ["\r\n", "\n", "\r\r", "\r\n\n", "😀", "é", "\0a", "= \n"])
        for (const before of [64 * 1024 - 2, 64 * 1024 - 1, 64 * 1024]) {
          const text = `${"x".repeat(before)}${unit}${"y".repeat(70 * 1024)}${unit}z`
          const mail = yield* roundTrip({ text, html: text })
          const sent = text.replace(/\r\n?/g, "\n").replaceAll("\0", "")
          expect(mail.text?.replaceAll("\r\n", "\n").trimEnd()).toBe(sent)
          expect(mail.html?.replaceAll("\r\n", "\n").trimEnd()).toBe(sent)
        }
    }),
  )

  it.effect("encodes a large text in the shorter encoding", () =>
    Effect.gen(function* () {
      for (const [unit, encoding] of [
        ["words and ", "quoted-printable"],
        ["Grüße an alle, die dies hier lesen. ", "quoted-printable"],
        ["漢字かな", "base64"],
        ["Привет ", "base64"],
      ] as const) {
        const text = unit.repeat(100_000)
        const raw = textOf(yield* compose({ text }))
        expect(raw).toContain(`Content-Transfer-Encoding: ${encoding}`)
        expect(raw.length).toBeLessThan(1.45 * Buffer.byteLength(text))
      }
    }),
  )

  it.effect("keeps the bytes of large files", () =>
    Effect.gen(function* () {
      const files = [3 * MB, 57 * 4096, 57 * 4096 + 1, 1].map((bytes, index) =>
        aFile({ filename: `${index}.bin`, bytes: Buffer.alloc(bytes, `${index} of the files`) }),
      )
      const mail = yield* roundTrip({ attachments: files })
      expect(mail.files.map(({ bytes }) => Buffer.compare(bytes, files.shift()?.bytes ?? bytes))).toEqual([
        0, 0, 0, 0,
      ])
    }),
  )
})

describe("a composed mail in shared memory", () => {
  it.effect("is signed as any other", () =>
    Effect.gen(function* () {
      const { sign } = yield* MailSigner
      const mail = mailFrom("ada@acme.dev", "Subject: shared")
      const shared = new Uint8Array(new SharedArrayBuffer(mail.length))
      shared.set(mail)
      expect(Buffer.from(yield* sign(shared, signingKey))).toEqual(Buffer.from(yield* sign(mail, signingKey)))
    }).pipe(Effect.provide(MailSignerInline.layer)),
  )
})

describe("copying in steps", () => {
  it("joins the parts, whatever their sizes", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.array(FastCheck.integer({ min: 0, max: 3 * MB }), { maxLength: 4 }),
        async (sizes) => {
          const parts = sizes.map((size, index) => Buffer.alloc(size, index + 1))
          expect(Buffer.compare(await joinInSteps(parts), Buffer.concat(parts))).toBe(0)
        },
      ),
      { numRuns: 20 },
    ))

  it.effect("lets the event loop turn", () =>
    Effect.gen(function* () {
      const turns = yield* turnsDuring(Effect.promise(() => joinInSteps([Buffer.alloc(20 * MB)])))
      expect(turns).toBeGreaterThanOrEqual(8)
    }),
  )
})

describe("a mail for the relay", () => {
  it.scoped("is sent in small steps, however fast the relay is", () =>
    Effect.gen(function* () {
      let inThisTurn = 0
      let most = 0
      yield* eachTurn(() => (inThisTurn = 0))
      const mail = messageStream(
        Buffer.alloc(8 * MB),
        () => true,
        () => true,
      )
      yield* Effect.promise(async () => {
        for await (const chunk of mail) {
          inThisTurn += Buffer.from(chunk).length
          most = Math.max(most, inThisTurn)
        }
      })
      expect(most).toBeLessThanOrEqual(MB / TURNS_PER_MB)
    }),
  )
})
