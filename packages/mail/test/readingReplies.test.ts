import { readingOf } from "../src/reading/readingOf.js"
import { attributions, clientLines, forwardMarkers, quotedHeaders } from "./support/attributions.js"
import { describe, expect, it } from "@effect/vitest"

const written = "Sure, 12:30 it is: see you there.\n\nBest,\nBob"
const old = ["Shall we meet on 1 January?", "", "Ann"]
const quoted = old.map((line) => `> ${line}`.trimEnd()).join("\n")

const extracted = (text: string, isReply = false) =>
  readingOf({ text, html: null, subject: "Plans", isReply }).extractedText

describe("an attribution and the quote below it are history", () => {
  it.each(attributions)("%s, %s", (_language, _client, attribution) => {
    expect(extracted(`${written}\n\n${attribution}\n\n${quoted}\n`)).toBe(written)
    expect(extracted(`${written}\n${attribution}\n${quoted}\n`)).toBe(written)
    expect(extracted(`${attribution}\n${quoted}\n\n${written}\n`)).toBe(written)
  })
})

describe("an attribution without a verb, above a quote", () => {
  it.each([
    "Ann Lee <ann@a.example>:",
    "Ann Lee <ann@a.example> (2024-01-01 12:00):",
    "* Ann Lee (ann@a.example) [240101 12:00]:",
    "Quoting Ann Lee <ann@a.example>:",
    "Zitat von Ann Lee <ann@a.example>:",
    "On Mon, Jan 1, 2024 at 12:00 PM, Ann Lee:",
    "Am 01.01.2024 um 12:00 Uhr:",
    "Le 1 janv. 2024 à 12:00, Ann Lee a :",
    "Le lun. 1 janv. 2024 à 12:00, Ann Lee <ann@a.example>",
    "W dniu 2024-01-01 12:00, Ann Lee:",
    "Dnia 1 stycznia 2024 12:00 Ann Lee <ann@a.example>:",
  ])("%s", (line) => {
    expect(extracted(`${written}\n\n${line}\n${quoted}\n`)).toBe(written)
    expect(extracted(`${line}\n${quoted}\n\n${written}\n`)).toBe(written)
  })

  it.each(["Ann Lee, 1 Jan 2024 12:00:", "On Mon, 1 Jan 2024, Ann Lee:"])("in a reply: %s", (line) => {
    expect(extracted(`${written}\n\n${line}\n${quoted}\n`, true)).toBe(written)
    const text = `${line}\n${quoted}\n\n${written}`
    expect(extracted(text)).toBe(text)
  })
})

describe("the header of a mail above a quote is history, in a reply and in other mail", () => {
  it.each([
    "Od: Ann <ann@a.example>\nWysłano: poniedziałek, 1 stycznia 2024 12:00\nDo: Bob\nTemat: Plany",
    "*Od:* Ann <ann@a.example>\n*Wysłano:* 1 stycznia\n*Do:* Bob\n*Temat:* Plany",
    "Temat: Plany\nData: 2024-01-01 12:00\nOd: Ann <ann@a.example>\nDo: Bob <bob@b.example>",
    "Nadawca: Ann <ann@a.example>\nData: 2024-01-01 12:00\nAdresat: Bob\nTemat: Plany",
    "From: Ann <ann@a.example>\nTo: Bob <bob@b.example>\nDate: Mon\nSubject: x",
  ])("%s", (header) => {
    for (const isReply of [true, false]) {
      expect(extracted(`${written}\n\n${header}\n\n${quoted}\n`, isReply)).toBe(written)
      expect(extracted(`${header}\n\n${quoted}\n\n${written}\n`, isReply)).toBe(written)
    }
  })
})

describe("the footer of an issue tracker or a mailing list is removed", () => {
  it.each([
    "—\nReply to this email directly or view it on GitHub.\nYou are receiving this because you were mentioned.",
    "Reply to this email directly, view it on GitHub, or unsubscribe.\nYou are receiving this because you authored the thread.\nMessage ID: <a/b@github.com>",
    "View it on GitHub:\nhttps://github.com/a/b/issues/1#issuecomment-1",
    "Reply to this email directly or view it on GitLab: https://gitlab.example/x",
    "--- \nunsubscribe: https://a.example/u",
    `${"-".repeat(69)}\nTo unsubscribe, e-mail: dev-unsubscribe@a.example\nFor additional commands, e-mail: dev-help@a.example`,
    "This message was sent by Atlassian JIRA\n(v6.3.4#6332)",
    "You are receiving this mail because:\nYou are on the CC list for the bug.",
    "You received this message because you are subscribed to the Google Groups group.\nTo unsubscribe from this group, send an email to x+unsubscribe@googlegroups.com.",
    "You have received this notification because you have either subscribed to it, or are involved in it.",
  ])("%s", (footer) => {
    expect(extracted(`${written}\n\n${footer}\n`)).toBe(written)
    expect(extracted(`${written}\n\n${attributions[0]?.[2]}\n${quoted}\n\n${footer}\n`)).toBe(written)
    expect(extracted(footer)).toBe(footer)
  })

  it("similar words of a person stay", () => {
    for (const text of [
      "To unsubscribe, open the settings.\n\nBest,\nBob",
      "You are receiving this because I promised it.\n\nBest,\nBob",
      "I wrote:\nView it on GitHub, please.",
    ])
      expect(extracted(text)).toBe(text)
  })
})

describe("in a reply, an attribution without a quote removes everything below it", () => {
  it.each(attributions)("%s, %s", (_language, _client, attribution) => {
    expect(extracted(`${written}\n\n${attribution}\n\n${old.join("\n")}\n`, true)).toBe(written)
  })
})

describe("in a reply, the header of another mail and everything below it are history", () => {
  it.each(quotedHeaders)("%s", (_language, header) => {
    expect(extracted(`${written}\n\n${header}\n\n${old.join("\n")}\n`, true)).toBe(written)
    const crlf = header.replaceAll("\n", "\r\n")
    expect(extracted(`${written}\r\n\r\n${crlf}\r\n\r\nold\r\n`, true)).toBe(written)
  })
})

describe("the line that a mail client adds below a text is removed", () => {
  it.each(clientLines)("%s", (line) => {
    expect(extracted(`${written}\n\n${line}\n`)).toBe(written)
    expect(extracted(`${written}\n\n${line}\n\n${attributions[0]?.[2]}\n${quoted}`)).toBe(written)
  })
})

describe("a forwarded mail is content, whatever it looks like", () => {
  it.each(forwardMarkers)("%s", (marker) => {
    const forwarded = `${marker}\nFrom: Ann <ann@a.example>\nDate: Mon, 1 Jan 2024\nSubject: Plans\nTo: Bob\n\nHi\n\n-- \nAnn\n\n${attributions[0]?.[2]}\n> old`
    expect(extracted(forwarded)).toBe(forwarded)
    expect(extracted(`FYI\n\n-- \nBob\n\n${forwarded}`, true)).toBe(`FYI\n\n${forwarded}`)
  })
})

const attribution = "On 1/1/24 12:00, Ann Lee wrote:"

/** The text of a mail, the part that its author wrote, and whether its header says that it is a reply. */
const cases: ReadonlyArray<readonly [rule: string, text: string, expected: string, isReply?: boolean]> = [
  ["a mail that answers none is whole", "Hi\n\nwhat about lunch?\n", "Hi\n\nwhat about lunch?"],
  ["lines within it stay as they are", "a\n\n\n  b\n\tc", "a\n\n\n  b\n\tc"],
  [
    "a quote in a mail that answers none is content",
    "Run this:\n> git pull\n> npm ci\nand tell me.",
    "Run this:\n> git pull\n> npm ci\nand tell me.",
  ],
  ["a quote without an attribution is history in an answer", "> lunch?\n\nYes.", "Yes.", true],
  [
    "answers between the lines stay",
    `Hi Ann,\n\n${attribution}\n> Lunch?\n\nYes.\n\n> Where?\n>\n> And when?\nAt noon, at Joe's.\n\n-- \nBob`,
    "Hi Ann,\n\nYes.\n\nAt noon, at Joe's.",
  ],
  [
    "quotes in quotes go with them",
    `Yes.\n\n${attribution}\n> ok\n>\n> On 1/1/24 11:00, Bob wrote:\n>> lunch?\n>>\n>`,
    "Yes.",
  ],
  [
    "the rest of a quoted line that was broken is quoted",
    `${attribution}\n> Shall we meet at noon tomorrow, or rather in the evening, at the\nplace near the station?\n> Ann\nNoon.`,
    "Noon.",
  ],
  [
    "an attribution inside a sentence is text",
    "On 3 May he wrote:\nthe report is late.\nI do not agree.",
    "On 3 May he wrote:\nthe report is late.\nI do not agree.",
  ],
  [
    "the header of a mail that somebody shows is text",
    "It bounces:\n\nFrom: a@a.example\nDate: Mon, 1 Jan 2024\nTo: b@b.example\nSubject: x\n\nWhy?",
    "It bounces:\n\nFrom: a@a.example\nDate: Mon, 1 Jan 2024\nTo: b@b.example\nSubject: x\n\nWhy?",
  ],
  [
    "lines that look like fields are text",
    "From: Berlin\nTo: Paris\nDate: 3 May\n\nPlease book it.",
    "From: Berlin\nTo: Paris\nDate: 3 May\n\nPlease book it.",
  ],
  [
    "what stands before an attribution in its paragraph stays",
    `On the other hand, it may rain\n${attribution}\n> lunch?`,
    "On the other hand, it may rain",
  ],
  ["an answer that only quotes is whole", `${attribution}\n> lunch?`, `${attribution}\n> lunch?`, true],
  ...["|", "C>", "AL>", " AL>"].flatMap((mark): typeof cases => {
    const history = old.map((line) => `${mark} ${line}`.trimEnd()).join("\n")
    return [
      [`a quote behind ${mark}`, `Yes.\n\n${attribution}\n${history}\n\nNo.`, "Yes.\n\nNo."],
      [`a quote behind ${mark}, without an attribution`, `${history}\n\nYes.`, "Yes.", true],
      [`one line behind ${mark}`, `${attribution}\n${mark} Lunch?\n\nYes.`, "Yes."],
    ]
  }),
  ["initials with more than one >", `${attribution}\nC>> Lunch?\nC> Where?\n\nYes.`, "Yes."],
  [
    "tables, prompts and one odd line are text in an answer",
    "Look:\n\n| a | b |\n| 1 | 2 |\n\nSQL> select 1\nSQL> exit\n\nand\nA> b\nor",
    "Look:\n\n| a | b |\n| 1 | 2 |\n\nSQL> select 1\nSQL> exit\n\nand\nA> b\nor",
    true,
  ],
  [
    "what looks like who and when, with other words, is text",
    "From the notes of 2024-01-01 by ann@a.example:\n> lunch\n\nYes.",
    "From the notes of 2024-01-01 by ann@a.example:\n\nYes.",
    true,
  ],
  ["a signature below two dashes is left out", "Yes.\n\n-- \nBob\nExample Ltd", "Yes."],
  ["a signature whose space was lost", "Yes.\n--\nBob", "Yes."],
  ["a signature above and below the quote", `Yes.\n\n-- \nBob\n\n${attribution}\n> ok?\n\n-- \nBob`, "Yes."],
  [
    "dashes in a text are no signature",
    `Items\n--\n${"line\n".repeat(40)}end`,
    `Items\n--\n${"line\n".repeat(40)}end`,
  ],
  ["only a signature is the whole text", "-- \nBob", "-- \nBob"],
  [
    "the footer of a mailing list",
    "Yes.\n\n_______________________________________________\nusers mailing list\nusers@lists.example\n",
    "Yes.",
  ],
  [
    "a sentence about sending is no client's line",
    "Here it is\n\nSent from my desk, which is easier than my phone.",
    "Here it is\n\nSent from my desk, which is easier than my phone.",
  ],
  [
    "a line that an mbox has escaped is text",
    "Yes.\n>From there we walk.",
    "Yes.\n>From there we walk.",
    true,
  ],
  [
    "Original Message above a quote",
    `Yes.\n\n------- Original Message -------\n${attribution}\n\n> lunch?\n`,
    "Yes.",
  ],
  [
    "the rule above a header goes with it",
    "Yes.\n\n  ------------------------------\n\n*From:* Ann [mailto:ann@a.example]\n*Sent:* Monday\n*To:* Bob\n*Subject:* Plans\n\nlunch?",
    "Yes.",
  ],
  [
    "Outlook's mail in an answer to a forwarded mail",
    "Yes.\n\nFrom: Ann <ann@a.example>\nSent: Monday\nTo: Bob\nSubject: FW: Plans\n\n---------- Forwarded message ---------\nFrom: Carl",
    "Yes.",
    true,
  ],
  [
    "a forwarded mail in a quote is history",
    `Yes.\n\n${attribution}\n> ---------- Forwarded message ---------\n> From: Carl\n>\n> hi`,
    "Yes.",
  ],
  [
    "Apple Mail quotes what it forwards",
    "FYI\n\n> Begin forwarded message:\n>\n> From: Carl <carl@c.example>\n> Subject: Hi\n>\n> hi",
    "FYI\n\n> Begin forwarded message:\n>\n> From: Carl <carl@c.example>\n> Subject: Hi\n>\n> hi",
  ],
]

describe("the text that the author wrote", () => {
  for (const [rule, text, expected, isReply] of cases)
    it(rule, () => {
      expect(extracted(text, isReply)).toBe(expected)
    })

  it("is separated in a reply by its subject, too", () => {
    const text = "> lunch?\n\nYes."
    expect(readingOf({ text, html: null, subject: "AW: Plans" }).extractedText).toBe("Yes.")
  })

  it("includes Outlook's header under the subject of a forwarded mail", () => {
    const text = `FYI\n\n${quotedHeaders[0]?.[1]}\n\nHi`
    expect(readingOf({ text, html: null, subject: "FW: Plans", isReply: true }).extractedText).toBe(text)
  })

  it("is null without a body, and empty only for an empty body", () => {
    const none = { text: null, html: null, subject: "x" }
    expect(readingOf(none).extractedText).toBeNull()
    expect(readingOf({ ...none, text: " \n" }).extractedText).toBe("")
    expect(readingOf({ ...none, text: " \n", html: "<p>Hi</p>" }).extractedText).toBe("Hi")
  })
})
