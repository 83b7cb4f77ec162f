/** The contract of each `MimeParser`. */
import { multipart, parsed, raw } from "./support/mails.js"
import { bombs } from "./support/bombs.js"
import { bytesOf } from "@mailroom/domain"
import type { MimeParser } from "@mailroom/engine"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"

export const mimeParserContract = (name: string, parser: Layer.Layer<MimeParser>): void => {
  describe(name, () => {
    layer(parser)("as a MimeParser", (it) => {
      it.effect("reads a mail", () =>
        Effect.gen(function* () {
          const bytes = Buffer.from([0, 1, 2, 255])
          const mail = yield* parsed(
            multipart(
              "mixed",
              ["Content-Type: text/plain", "", "hello"],
              [
                "Content-Type: application/pdf; name=a.pdf",
                "Content-Transfer-Encoding: base64",
                "",
                bytes.toString("base64"),
              ],
            ),
          )
          expect(mail).toMatchObject({
            from: { address: "ada@example.org", name: null },
            text: "hello",
            html: null,
            defect: null,
          })
          expect(mail.attachments.map((file) => [...bytesOf(file)])).toEqual([[0, 1, 2, 255]])
        }),
      )

      it.effect("does not detach or change the raw bytes, also when they are part of a larger buffer", () =>
        Effect.gen(function* () {
          const pool = Buffer.from("xxxSubject: inside\r\n\r\nbodyyyy")
          const mail = yield* parsed(pool.subarray(3, -3))
          expect(mail).toMatchObject({ subject: "inside", text: "body" })
          expect(pool.toString()).toBe("xxxSubject: inside\r\n\r\nbodyyyy")
        }),
      )

      it.effect("gives every caller the answer to its own mail", () =>
        Effect.gen(function* () {
          const subjects = Array.from({ length: 500 }, (_, n) => `mail ${n}`)
          const mails = yield* Effect.forEach(
            subjects,
            (subject) =>
              parsed(raw(`Subject: ${subject}`, "", "x".repeat(subject.endsWith("7") ? 100_000 : 10))),
            { concurrency: "unbounded" },
          )
          expect(mails.map(({ subject }) => subject)).toEqual(subjects)
        }),
      )

      for (const [what, bomb] of Object.entries(bombs))
        it.effect(
          `survives ${what}`,
          () =>
            Effect.gen(function* () {
              const mail = yield* parsed(bomb())
              expect(JSON.stringify(mail.headers).length).toBeLessThan(2_000_000)
              expect(mail.attachments.length).toBeLessThan(1000)
              if (what !== "nothing" && what !== "binary garbage")
                expect(mail).toMatchObject({ subject: "bomb", from: { address: "ada@example.org" } })
            }),
          10_000,
        )
    })
  })
}
