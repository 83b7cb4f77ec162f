/** Optional header fields, mail with HTML only, and international mail. */
import { NodemailerComposer } from "@mailroom/mail"
import type { MailDraft } from "@mailroom/engine"
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { aFile, compose, roundTrip, textOf } from "./support/drafts.js"

/** All fields of this name, unfolded. */
const fields = (changes: Partial<MailDraft>, name: string) =>
  Effect.map(compose(changes), (raw) => {
    const header = textOf(raw).split("\r\n\r\n", 1)[0] ?? ""
    return header
      .replace(/\r\n(?=[ \t])/g, "")
      .split("\r\n")
      .filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
      .map((line) => line.slice(name.length + 2))
  })

const https = "https://mailroom.test/u?t=1"

layer(NodemailerComposer.layer)("mail of machines", (it) => {
  for (const autoSubmitted of ["auto-generated", "auto-replied"] as const)
    it.effect(`RFC 3834: has one Auto-Submitted, ${autoSubmitted}`, () =>
      Effect.gen(function* () {
        const headers = { "auto-submitted": "no", "X-Custom-A": "a" }
        expect(yield* fields({ autoSubmitted, headers }, "Auto-Submitted")).toEqual([autoSubmitted])
        expect(yield* fields({ autoSubmitted, headers }, "X-Custom-A")).toEqual(["a"])
      }),
    )

  it.effect("has no Auto-Submitted otherwise, unless its custom header sets it", () =>
    Effect.gen(function* () {
      expect(yield* fields({ autoSubmitted: null }, "Auto-Submitted")).toEqual([])
      expect(yield* fields({ headers: { "Auto-Submitted": "no" } }, "Auto-Submitted")).toEqual(["no"])
    }),
  )

  for (const [rule, listUnsubscribe, places, post] of [
    ["by mail", { mailto: "u+1@mailroom.test?subject=stop" }, "<mailto:u+1@mailroom.test?subject=stop>", []],
    [
      "RFC 8058: by https also with one click",
      { mailto: "u@mailroom.test", url: https },
      `<${https}>, <mailto:u@mailroom.test>`,
      ["List-Unsubscribe=One-Click"],
    ],
    [
      "by http without",
      { mailto: "u@mailroom.test", url: "http://mailroom.test/u" },
      "<http://mailroom.test/u>, <mailto:u@mailroom.test>",
      [],
    ],
    [
      "by nothing else",
      { mailto: "u@mailroom.test", url: "javascript:alert(1)" },
      "<mailto:u@mailroom.test>",
      [],
    ],
    [
      "by nothing that ends its brackets",
      { mailto: "u@x.test>, <http://evil", url: `${https}>,\r\nBcc: <\u00e9 ` },
      `<${https}%3E%2C%20Bcc:%20%3C%C3%A9%20>, <mailto:u@x.test%3E%2C%20%3Chttp://evil>`,
      ["List-Unsubscribe=One-Click"],
    ],
    [
      "by no address that fits no line",
      { mailto: "u@x.test", url: `${https}${"x".repeat(990)}` },
      "<mailto:u@x.test>",
      [],
    ],
  ] as const)
    it.effect(`RFC 2369: List-Unsubscribe, ${rule}`, () =>
      Effect.gen(function* () {
        const headers = { "List-Unsubscribe": "<mailto:evil@x.test>" }
        expect(yield* fields({ listUnsubscribe, headers }, "List-Unsubscribe")).toEqual([places])
        expect(yield* fields({ listUnsubscribe }, "List-Unsubscribe-Post")).toEqual(post)
      }),
    )

  it.effect("a custom header replaces no field of the mail or of a mail server", () =>
    Effect.gen(function* () {
      const names = ["From", "TO", "Cc", "bcc", "Subject", "Date", "Message-ID", "References", "Received"]
      const others = [
        "MIME-Version",
        "Content-Type",
        "Content-Transfer-Encoding",
        "Return-Path",
        "Resent-To",
        "Sender",
      ]
      for (const name of [...names, ...others]) {
        const without = yield* fields({ cc: ["cc@example.org"] }, name)
        expect(
          yield* fields({ cc: ["cc@example.org"], headers: { [name]: "evil@x.test" } }, name),
          name,
        ).toEqual(without)
      }
    }),
  )
})

layer(NodemailerComposer.layer)("HTML alone", (it) => {
  it.effect("RFC 2046 §5.1.4: gets a text alternative before it", () =>
    Effect.gen(function* () {
      const html = `<style>p { color: red }</style><h1>Hello</h1><p>Read <a href="https://x.test/">this</a>,
        <b>Ada</b>.</p><ul><li>one</li></ul><img src="cid:1" alt="logo"><script>evil()</script>`
      const mail = yield* roundTrip({ text: null, html })
      expect(mail.html).toBe(html)
      expect(mail.text).toBe("Hello\n\nRead this [https://x.test/], Ada.\n\n * one\n\nlogo")
      expect(textOf(yield* compose({ text: null, html }))).toMatch(/text\/plain[^]*text\/html/)
    }),
  )

  it.effect("gets one when the text is empty, too", () =>
    Effect.gen(function* () {
      expect((yield* roundTrip({ text: "", html: "<p>Hello</p>" })).text).toBe("Hello")
    }),
  )

  for (const [why, html] of [
    ["it says nothing", "<img src=x><script>x</script>"],
    ["it is too large to be read in no time", `<p>${"x".repeat(64 * 1024)}</p>`],
  ] as const)
    it.effect(`gets none when ${why}`, () =>
      Effect.gen(function* () {
        expect(textOf(yield* compose({ text: null, html }))).not.toContain("text/plain")
      }),
    )

  it.effect("is converted in any shape, also with thousands of unclosed tags", () =>
    Effect.forEach(["<b>", "<ul><li>"], (tag) =>
      Effect.map(compose({ text: null, html: tag.repeat(64 * 1024).slice(0, 64 * 1024) }), (raw) =>
        expect(textOf(raw)).toContain("text/html"),
      ),
    ),
  )
})

layer(NodemailerComposer.layer)("a file name", (it) => {
  it.effect("that looks like an encoded word is not decoded, and hides no other extension", () =>
    Effect.gen(function* () {
      const { attachments } = yield* roundTrip({
        attachments: [aFile({ filename: "=?utf-8?q?a.exe?=.txt" })],
      })
      expect(attachments.map(({ filename }) => filename)).toEqual(["=_utf-8_q_a.exe_=.txt"])
    }),
  )
})

layer(NodemailerComposer.layer)("addresses and ids", (it) => {
  describe("without a local part beyond ASCII", () => {
    it.effect(
      "RFC 5322: all of the header is ASCII, domains as A-labels; ids that are not are left out",
      () =>
        Effect.gen(function* () {
          const raw = yield* compose({
            to: ["Ada@B\u00fccher.example"],
            replyTo: ["r@\u4f8b\u5b50.\u4e2d\u56fd"],
            subject: "\u00e4",
            inReplyTo: "<\u00e4@x>",
            references: ["<1@x>", "<\u00e4@x>"],
          })
          expect(textOf(raw)).toMatch(/^[\0-\u007f]*$/)
          expect(textOf(raw)).toContain("To: Ada@xn--bcher-kva.example\r\n")
          expect(textOf(raw)).toContain("References: <1@x>\r\n")
          expect(textOf(raw)).not.toContain("In-Reply-To")
        }),
    )
  })

  describe("with one", () => {
    it.effect("RFC 6532: they are UTF-8", () =>
      Effect.gen(function* () {
        const raw = yield* compose({
          to: ["\u00e4da@example.org", "bob@b\u00fccher.example"],
          references: ["<\u00e4@x>"],
        })
        const text = Buffer.from(raw).toString()
        expect(text).toContain("To: \u00e4da@example.org, bob@xn--bcher-kva.example\r\n")
        expect(text).toContain("References: <\u00e4@x>\r\n")
      }),
    )
  })
})
