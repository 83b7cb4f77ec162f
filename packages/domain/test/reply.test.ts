import { replyOf, type ReplyBody, SendBody } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { admitted, attachmentId, content, messageId, refusal } from "./support/records.js"

const own = "agent@acme.mailroom.localhost"
const addresses = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name}${index}@elsewhere.org`)

const mail = (fields: Parameters<typeof content>[0] = {}) => ({
  ...content({ fromAddress: "ada@elsewhere.org", toAddresses: [own], subject: "Lunch", ...fields }),
  replyTo: [],
})

const body: ReplyBody = { bodyText: "Yes." }

describe("an answer", () => {
  it("decisions.messages.reply: is a send to those it answers, in reply to the message, with the text as given", () => {
    const sending = admitted(replyOf(mail({ bodyText: "Shall we?" }), own, "sender", body))
    expect(sending).toEqual({
      to: ["ada@elsewhere.org"],
      cc: [],
      subject: "Re: Lunch",
      bodyText: "Yes.",
      inReplyTo: messageId,
    })
    expect(Schema.is(SendBody)(sending)).toBe(true)
  })

  it("decisions.messages.reply: has all else from its own body", () => {
    const whole: ReplyBody = {
      bodyText: "Yes.",
      bodyHtml: "<p>Yes.</p>",
      bcc: ["dora@elsewhere.org"],
      attachments: [attachmentId],
      headers: { "X-Custom-Run": "7" },
      replyTo: "desk@acme.dev",
      labels: ["done"],
    }
    expect(admitted(replyOf(mail(), own, "sender", whole))).toMatchObject(whole)
  })

  it("decisions.messages.reply: adds the copies of its body, each address once", () => {
    const original = mail({ ccAddresses: ["carl@elsewhere.org"] })
    const copies = ["ADA@elsewhere.org", "Carl@elsewhere.org", "eve@elsewhere.org", "eve@Elsewhere.org"]
    expect(admitted(replyOf(original, own, "everybody", { ...body, cc: copies }))).toMatchObject({
      to: ["ada@elsewhere.org"],
      cc: ["carl@elsewhere.org", "eve@elsewhere.org"],
    })
  })

  it("decisions.messages.reply: copies the mailbox itself when its body asks for that", () => {
    expect(admitted(replyOf(mail(), own, "sender", { ...body, cc: [own] })).cc).toEqual([own])
  })

  it("decisions.body.to: has at most 50 recipients in a field, and says which has more", () => {
    const full = mail({ toAddresses: addresses(49, "to"), ccAddresses: addresses(50, "cc") })
    const answered = admitted(replyOf(full, own, "everybody", body))
    expect([answered.to.length, answered.cc?.length]).toEqual([50, 50])

    const crowded = mail({ toAddresses: addresses(50, "to") })
    expect(refusal(replyOf(crowded, own, "everybody", body))).toMatchObject({
      _tag: "InvalidInput",
      issues: [{ path: "to", message: expect.stringMatching(/51 recipients.*50/) }],
    })
    expect(refusal(replyOf(full, own, "everybody", { ...body, cc: ["eve@elsewhere.org"] }))).toMatchObject({
      _tag: "InvalidInput",
      issues: [{ path: "cc", message: expect.stringMatching(/51 recipients.*50/) }],
    })
    expect(admitted(replyOf(crowded, own, "sender", body)).to).toEqual(["ada@elsewhere.org"])
  })
})
