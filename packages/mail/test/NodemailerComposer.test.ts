import { NodemailerComposer } from "@mailroom/mail"
import type { MailDraft } from "@mailroom/engine"
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { aFile, compose, roundTrip, textOf } from "./support/drafts.js"

layer(NodemailerComposer.layer)("NodemailerComposer", (it) => {
  describe("the content of a draft", () => {
    it.effect("is the content of the parsed mail", () =>
      Effect.gen(function* () {
        const mail = yield* roundTrip({
          from: { address: "agent@mailroom.test", name: 'Müller, "the" Agent' },
          to: ["ada@example.org", "bob@bücher.example"],
          cc: ["cc@example.org"],
          replyTo: ["reply@example.org"],
          subject: "Grüße 😀",
          text: "Hällo\nzweite Zeile",
          html: "<p>Hällo</p>",
          inReplyTo: "<a@b>",
          references: ["<z@b>", "<a@b>"],
          headers: { "X-Custom-Order": "№ 7" },
          attachments: [
            {
              filename: "résumé.pdf",
              contentType: "application/pdf",
              contentId: null,
              bytes: Uint8Array.of(0, 1, 13, 10, 255),
            },
            {
              filename: "mail.eml",
              contentType: "message/rfc822",
              contentId: null,
              bytes: Buffer.from("Subject: x\r\n\r\n\0\rx"),
            },
          ],
        })
        expect(mail).toMatchObject({
          messageId: "<1@mailroom.test>",
          from: { address: "agent@mailroom.test", name: 'Müller, "the" Agent' },
          to: [
            { address: "ada@example.org", name: null },
            { address: "bob@xn--bcher-kva.example", name: null },
          ],
          cc: [{ address: "cc@example.org", name: null }],
          replyTo: [{ address: "reply@example.org", name: null }],
          subject: "Grüße 😀",
          text: "Hällo\nzweite Zeile",
          html: "<p>Hällo</p>",
          inReplyTo: ["<a@b>"],
          references: ["<z@b>", "<a@b>"],
          defect: null,
        })
        expect(mail.headers).toMatchObject({
          "x-custom-order": "№ 7",
          date: "Fri, 20 Nov 2026 12:00:00 +0000",
        })
        expect(mail.files.map(({ bytes, ...rest }) => ({ ...rest, bytes: [...bytes] }))).toEqual([
          {
            filename: "résumé.pdf",
            contentType: "application/pdf",
            contentId: null,
            bytes: [0, 1, 13, 10, 255],
          },
          {
            filename: "mail.eml",
            // A mail as a file is in base64, which its own type does not allow (RFC 2046 §5.2.1).
            contentType: "application/octet-stream",
            contentId: null,
            bytes: [...Buffer.from("Subject: x\r\n\r\n\0\rx")],
          },
        ])
      }),
    )

    it.effect("survives, whatever its words are", () =>
      Effect.promise(() => {
        const line = fc
          .oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.string({ maxLength: 998 }))
          .map((text) =>
            text
              .replace(/[\0-\u001f\u007f-\u009f\u2028\u2029]|\p{Surrogate}/gu, "")
              .replaceAll("=?", "")
              .trim(),
          )
        return fc.assert(
          fc.asyncProperty(
            line,
            line,
            line,
            fc.uint8Array({ maxLength: 3000 }),
            async (subject, name, value, bytes) => {
              const mail = await Effect.runPromise(
                roundTrip({
                  subject,
                  from: { address: "agent@mailroom.test", name },
                  headers: { "X-Custom-Value": value },
                  attachments: [aFile({ filename: "a.bin", contentType: "application/x-test", bytes })],
                }).pipe(Effect.provide(NodemailerComposer.layer)),
              )
              expect(mail.subject).toBe(subject)
              expect(mail.from).toEqual({
                address: "agent@mailroom.test",
                name: name === "" ? null : name.replace(/\s+/g, " "),
              })
              expect(mail.headers["x-custom-value"] ?? "").toBe(value)
              expect(mail.files.map((file) => [...file.bytes])).toEqual([[...bytes]])
            },
          ),
          { numRuns: 200, seed: 1 },
        )
      }),
    )

    it.effect("is not changed: text only, or text and HTML", () =>
      Effect.gen(function* () {
        expect(textOf(yield* compose({ text: "t" }))).not.toContain("text/html")
        const both = yield* roundTrip({ text: "t", html: "<p>h</p>" })
        expect([both.text, both.html]).toEqual(["t", "<p>h</p>"])
        expect(textOf(yield* compose({ html: "<p>h</p>" }))).toContain("multipart/alternative")
      }),
    )

    it.effect("is sent with CRLF line ends, and in lines of at most 998 bytes", () =>
      Effect.gen(function* () {
        const raw = textOf(
          yield* compose({
            subject: "x".repeat(998),
            text: `a\rb\nc\r\n${"long ".repeat(1000)}`,
            html: "é".repeat(5000),
            headers: { "X-Custom-Long": "y".repeat(2000) },
          }),
        )
        expect(raw.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/)
        for (const line of raw.split("\r\n")) expect(line.length).toBeLessThanOrEqual(998)
      }),
    )
  })

  describe("no value becomes structure", () => {
    const poisons = [
      "\r\nBcc: evil@x.test",
      "\nBcc: evil@x.test",
      "\rBcc: evil@x.test",
      "\0Bcc: evil@x.test",
      "\u2028Bcc: evil@x.test",
      "\u2029Bcc: evil@x.test",
      "\u0085Bcc: evil@x.test",
      "\r\n\r\nbody",
      "=?utf-8?q?=0D=0ABcc:_evil=40x.test?=",
      ", evil@x.test",
      "> <evil@x.test",
      '" <evil@x.test>, "',
      "(comment) evil@x.test",
      ";evil@x.test",
      "--b\r\nContent-Type: text/html\r\n\r\n<p>",
    ]
    const fields: Readonly<Record<string, (poison: string) => Partial<MailDraft>>> = {
      "the sender's name": (poison) => ({ from: { address: "agent@mailroom.test", name: `x${poison}` } }),
      "the sender's address": (poison) => ({ from: { address: `agent@mailroom.test${poison}`, name: "x" } }),
      "a recipient": (poison) => ({ to: [`ada@example.org${poison}`] }),
      "a copy": (poison) => ({ cc: [`ada@example.org${poison}`] }),
      "the reply address": (poison) => ({ replyTo: [`ada@example.org${poison}`] }),
      "the subject": (poison) => ({ subject: `x${poison}` }),
      "the message id": (poison) => ({ messageId: `<1@x${poison}>` }),
      "the answered id": (poison) => ({ inReplyTo: `<1@x${poison}>` }),
      "a reference": (poison) => ({ references: [`<1@x${poison}>`] }),
      "a header's value": (poison) => ({ headers: { "X-Custom-A": `x${poison}` } }),
      "a header's name": (poison) => ({ headers: { [`X-Custom-A${poison}`]: "x" } }),
      "the text": (poison) => ({ text: `x${poison}` }),
      "a file's name": (poison) => ({
        attachments: [aFile({ filename: `a${poison}.txt` })],
      }),
      "a file's type": (poison) => ({
        attachments: [aFile({ contentType: `text/csv${poison}` })],
      }),
      "a file's content id": (poison) => ({ attachments: [aFile({ contentId: `x${poison}` })] }),
    }
    for (const [field, poisoned] of Object.entries(fields))
      it.effect(`in ${field}`, () =>
        Effect.forEach(poisons, (poison) =>
          Effect.gen(function* () {
            const mail = yield* roundTrip({ cc: ["cc@example.org"], ...poisoned(poison) })
            expect(Object.keys(mail.headers)).not.toContain("bcc")
            const addresses = [...mail.to, ...mail.cc, ...mail.replyTo].map(({ address }) => address)
            expect(addresses.filter((address) => address === "evil@x.test")).toEqual([])
            // A broken address is better than a second one.
            expect(mail.to.length).toBeLessThanOrEqual(1)
            expect(mail.cc.length).toBeLessThanOrEqual(1)
            expect(mail.from?.address ?? "agent@mailroom.test").toContain("agent@mailroom.test")
            expect(mail.html).toBeNull()
            expect(mail.attachments.length).toBe(field.startsWith("a file") ? 1 : 0)
            expect(mail.defect).toBeNull()
          }),
        ),
      )

    it.effect("in the content id of an image that the HTML shows", () =>
      Effect.forEach(poisons, (poison) =>
        Effect.gen(function* () {
          const contentId = `x${poison}`
          const mail = yield* roundTrip({
            html: `<img src="cid:${contentId}">`,
            attachments: [aFile({ contentId, contentType: "image/png" })],
          })
          expect(Object.keys(mail.headers)).not.toContain("bcc")
          expect(mail.attachments).toHaveLength(1)
          expect(mail.defect).toBeNull()
        }),
      ),
    )

    it.effect("local files and URLs are never read", () =>
      Effect.gen(function* () {
        const mail = yield* roundTrip({
          html: '<img src="file:///etc/passwd"><img src="http://127.0.0.1:1/x">',
        })
        expect(mail.attachments).toEqual([])
      }),
    )

    it.effect("an invitation keeps its method", () =>
      Effect.gen(function* () {
        const invite = { filename: "invite.ics", contentType: "text/calendar; method=REQUEST" }
        const mail = yield* roundTrip({ attachments: [aFile(invite)] })
        expect(mail.attachments).toMatchObject([invite])
      }),
    )

    it.effect("an attachment loses a multipart type", () =>
      Effect.gen(function* () {
        const mail = yield* roundTrip({
          attachments: [aFile({ filename: "a", contentType: "multipart/mixed", bytes: Buffer.from("--x") })],
        })
        expect(mail.attachments.map(({ contentType }) => contentType)).toEqual(["application/octet-stream"])
      }),
    )
  })
})

describe("an empty draft", () => {
  it.effect("is a mail without text", () =>
    Effect.gen(function* () {
      const mail = yield* roundTrip({ text: null })
      expect([mail.text, mail.html]).toEqual([null, null])
    }).pipe(Effect.provide(NodemailerComposer.layer)),
  )
})
