/** Attachments with a Content-ID: those that the HTML shows are sent with it. */
import { NodemailerComposer } from "@mailroom/mail"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { aFile, compose, roundTrip, textOf } from "./support/drafts.js"

const image = aFile({ filename: "logo.png", contentType: "image/png", contentId: "logo@mailroom.test" })
const html = '<p>Hello</p><img src="cid:logo@mailroom.test">'
const report = aFile({ filename: "report.csv", contentId: "report@mailroom.test" })

/** The types of the parts of a mail, from the outside in. */
const typesOf = (raw: Uint8Array) =>
  [...textOf(raw).matchAll(/^Content-Type: ([^;\r]+)/gm)].map(([, type]) => type)

layer(NodemailerComposer.layer)("an attachment with a content id", (it) => {
  it.effect("that the HTML shows is an inline part beside it (RFC 2387)", () =>
    Effect.gen(function* () {
      const raw = yield* compose({ html, attachments: [image, report] })
      expect(typesOf(raw)).toEqual([
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
        "text/csv",
      ])
      expect(textOf(raw)).toMatch(/Content-ID: <logo@mailroom\.test>\r\n/i)
      expect(textOf(raw)).toMatch(/Content-Disposition: inline; filename=logo\.png/)
      expect(textOf(raw)).toMatch(/Content-Disposition: attachment; filename=report\.csv/)
    }),
  )

  it.effect("keeps its Content-ID, shown or not", () =>
    Effect.gen(function* () {
      for (const changes of [{ html }, { html: "<p>Hello</p>" }, {}]) {
        const mail = yield* roundTrip({ ...changes, attachments: [image, report] })
        const files = mail.attachments.map(({ filename, contentId }) => [filename, contentId])
        expect(files).toEqual([
          ["logo.png", "logo@mailroom.test"],
          ["report.csv", "report@mailroom.test"],
        ])
      }
    }),
  )

  it.effect("that the HTML does not show is an ordinary attachment", () =>
    Effect.gen(function* () {
      const raw = yield* compose({ html: "<p>Hello</p>", attachments: [image] })
      expect(typesOf(raw)).toEqual([
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "text/html",
        "image/png",
      ])
      expect(textOf(raw)).not.toContain("Content-Disposition: inline")
    }),
  )

  it.effect("is shown also when the HTML percent-encodes its id (RFC 2392)", () =>
    Effect.gen(function* () {
      const raw = yield* compose({ html: '<img src="cid:logo%40mailroom.test">', attachments: [image] })
      expect(typesOf(raw)).toContain("multipart/related")
    }),
  )
})
