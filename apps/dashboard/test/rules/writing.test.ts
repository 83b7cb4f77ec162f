/** Rules of writing: answers, forwards, and what is kept as a draft. */
import {
  answerTo,
  beyondForm,
  draftFields,
  emptyWriting,
  forwardOf,
  isWholeInForm,
  isWorthKeeping,
  withText,
  writingIssues,
  writingOf,
} from "@mailroom/dashboard/rules/writing"
import { describe, expect, it } from "vitest"
import { draft, message } from "../support/mails.js"

const own = "agent@acme.dev"

describe("an answer", () => {
  it("goes to the author, with one Re: before the subject", () => {
    expect(answerTo(message, own, false)).toMatchObject({
      to: ['"Bob, Jr." <bob@corp.org>'],
      cc: [],
      subject: "Re: Offer",
      text: "",
      inReplyTo: message.id,
    })
    expect(answerTo({ ...message, subject: "AW: Offer" }, own, false).subject).toBe("AW: Offer")
  })

  it("goes to every address of Reply-To", () => {
    const asked = {
      ...message,
      replyTo: "desk@corp.org",
      headers: { "reply-to": "Desk <desk@corp.org>, boss@corp.org" },
    }
    expect(answerTo(asked, own, false).to).toEqual(["Desk <desk@corp.org>", "boss@corp.org"])
  })

  it("to everybody leaves the mailbox itself out, under any tag, and names each once", () => {
    const many = { ...message, toAddresses: ["agent+x@acme.dev", "ada@corp.org", "BOB@corp.org"] }
    expect(answerTo(many, own, true)).toMatchObject({
      to: ["BOB@corp.org", "ada@corp.org"],
      cc: ["carol@corp.org"],
    })
  })

  it("to a mail of the mailbox goes to its recipients", () => {
    const sent = { ...message, direction: "OUTBOUND", fromAddress: own } as const
    expect(answerTo(sent, own, false).to).toEqual(["ada@corp.org"])
  })

  it("to a mail to itself goes to the mailbox, because nobody else is left", () => {
    expect(answerTo({ ...message, fromAddress: own, fromName: null }, own, false).to).toEqual([own])
  })
})

describe("a forward", () => {
  const file = { id: "f", messageId: message.id, filename: "a.txt", contentType: "text/plain", sizeBytes: 1 }
  const forwarded = forwardOf({
    ...message,
    bodyHtml: "<p>How much?</p>",
    attachments: [{ ...file, contentId: null, createdAt: message.createdAt }],
    headers: { date: "Mon, 9 Mar 2026 12:00:00 +0000" },
  })

  it("has the message below the text of the writer, in both versions, with its files", () => {
    const fields = draftFields({ ...forwarded, text: "Look <here>" })
    expect(fields).toMatchObject({ subject: "Fwd: Offer", attachments: ["f"], inReplyTo: null })
    expect(fields.bodyText).toBe(
      [
        "Look <here>",
        "",
        "---------- Forwarded message ---------",
        'From: "Bob, Jr." <bob@corp.org>',
        "Date: Mon, 9 Mar 2026 12:00:00 +0000",
        "Subject: Offer",
        "To: agent@acme.dev, ada@corp.org",
        "Cc: carol@corp.org",
        "",
        "How much?",
      ].join("\n"),
    )
    expect(fields.bodyHtml).toContain("Look &lt;here&gt;")
    expect(fields.bodyHtml).toContain("<p>How much?</p>")
  })

  it("of plain text stays plain text", () => {
    expect(draftFields(forwardOf(message)).bodyHtml).toBeNull()
  })
})

describe("a draft", () => {
  const textOfHtml = (html: string) => html.replaceAll(/<[^>]+>/g, "")

  it("is written on where it was left", () => {
    const kept = draft({ subject: null, bodyText: null, bodyHtml: "<p>Hello</p>", files: 1 })
    expect(writingOf(kept, textOfHtml)).toMatchObject({ subject: "", text: "Hello", html: "<p>Hello</p>" })
  })

  it("keeps its formatted version until the text is changed", () => {
    const writing = { ...emptyWriting, text: "Hello", html: "<p>Hello</p>" }
    expect(withText(writing, "Hello").html).toBe("<p>Hello</p>")
    expect(withText(writing, "Hello!")).toMatchObject({ text: "Hello!", html: null })
  })

  it("has no recipients that are no addresses", () => {
    expect(draftFields({ ...emptyWriting, to: ["ada@acme.dev", "ada"] }).to).toEqual(["ada@acme.dev"])
  })

  it("is kept once a person has written something", () => {
    const start = answerTo(message, own, false)
    expect(isWorthKeeping(start, start)).toBe(false)
    expect(isWorthKeeping({ ...start, text: "Hi" }, start)).toBe(true)
  })
})

describe("what the page does not show of a draft", () => {
  it("is said in words, and is never approved by sending", () => {
    const plain = draft({ bodyText: "Hello" })
    expect([beyondForm(plain), isWholeInForm(plain, false)]).toEqual([[], true])
    const hidden = [
      { replyTo: "eve@evil.dev" },
      { headers: { "X-Custom-Run": "7" } },
      { bulk: true },
      { submitted: draft({ files: 1 }).attachments[0] ?? null },
    ].map((fields) => draft({ bodyText: "Hello", ...fields }))
    for (const one of hidden) {
      expect(beyondForm(one)).toHaveLength(1)
      expect(isWholeInForm(one, true)).toBe(false)
    }
  })

  it("a formatted version is its own only when it was made here", () => {
    const formatted = draft({ bodyText: "Hello", bodyHtml: "<p>Bye</p>" })
    expect([isWholeInForm(formatted, false), isWholeInForm(formatted, true)]).toEqual([false, true])
  })
})

describe("before a mail can leave", () => {
  it("it needs a recipient, a subject and a text", () => {
    expect(writingIssues(emptyWriting)).toEqual({
      to: "Add a recipient.",
      subject: "Write a subject.",
      text: "Write a text.",
    })
  })

  it("every recipient is an address", () => {
    const writing = { ...emptyWriting, to: ["a@acme.dev"], cc: ["bob"], subject: "S", text: "T" }
    expect(writingIssues(writing)).toEqual({
      cc: "“bob” is not a mail address. Correct or remove it.",
    })
    expect(writingIssues({ ...writing, cc: [] })).toEqual({})
  })

  it("the text of a forwarded message is a text", () => {
    expect(writingIssues({ ...forwardOf(message), to: ["a@acme.dev"] })).toEqual({})
  })
})
