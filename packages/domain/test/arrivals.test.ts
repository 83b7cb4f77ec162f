import {
  type Arrival,
  inboundContent,
  linksOf,
  type MessageContent,
  participantsOf,
  unreadableMail,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { mailboxId, messageId, signedUp } from "./support/records.js"

const parsed = {
  ...unreadableMail("none"),
  defect: null,
  messageId: "<b@acme.dev>",
  inReplyTo: ["<a@acme.dev>", "<z@acme.dev>"],
  references: ["<root@acme.dev>", "<a@acme.dev>"],
  from: { address: "ada@acme.dev", name: "Ada" },
  to: [{ address: "agent@acme.mailroom.localhost", name: null }],
  cc: [{ address: "bob@acme.dev", name: "Bob" }],
  replyTo: [{ address: "desk@acme.dev", name: null }],
  subject: "Plan",
  text: "Hello",
  html: "<p>Hello</p>",
}
const content = (facts: Partial<Arrival> = {}): MessageContent =>
  inboundContent({
    id: messageId,
    mailboxId,
    parsed,
    envelopeFrom: "bounces@acme.dev",
    deliveredTo: "Agent+bills@acme.mailroom.localhost",
    fallbackMessageId: "<made-up@mailroom.localhost>",
    receivedAt: signedUp,
    createdAt: signedUp + 5,
    attachments: [],
    authentication: { spf: "pass", dkim: "none", dmarc: "none", verifiedDomain: "acme.dev" },
    trust: null,
    spam: null,
    dropped: null,
    ...facts,
  })

describe("an arrived mail as a message", () => {
  it("has the text of its HTML when it has no text, and an empty text when it has neither", () => {
    const bodies = { text: null, html: "<p>Hello</p>", textOfHtml: "Hello" }
    expect(content({ parsed: { ...parsed, ...bodies } }).bodyText).toBe("Hello")
    expect(content({ parsed: unreadableMail("none") }).bodyText).toBe("")
  })

  it("decisions.message.fields: carries what the mail says", () => {
    expect(content()).toMatchObject({
      direction: "INBOUND",
      messageId: "<b@acme.dev>",
      inReplyTo: "<a@acme.dev>",
      references: ["<root@acme.dev>", "<a@acme.dev>"],
      fromAddress: "ada@acme.dev",
      fromName: "Ada",
      toAddresses: ["agent@acme.mailroom.localhost"],
      ccAddresses: ["bob@acme.dev"],
      replyTo: "desk@acme.dev",
      subject: "Plan",
      bodyText: "Hello",
      bodyHtml: "<p>Hello</p>",
      createdAt: "2026-03-01T09:30:00.005Z",
      receivedAt: "2026-03-01T09:30:00.000Z",
    })
  })

  it("decisions.message.bcc: blind copies are the sender's alone", () => {
    expect(content().bccAddresses).toEqual([])
  })

  it("decisions.message.fields: a mail without a Message-ID shows one all the same, and is not threaded by it", () => {
    const nameless = { ...parsed, messageId: null }
    expect(content({ parsed: nameless }).messageId).toBe("<made-up@mailroom.localhost>")
    expect(linksOf(nameless).messageId).toBeNull()
  })

  it("decisions.message.fields: a mail without a sender is from its envelope's", () => {
    expect(content({ parsed: { ...parsed, from: null } })).toMatchObject({
      fromAddress: "bounces@acme.dev",
      fromName: null,
    })
  })

  it("decisions.smtp.dropped: dropped attachments are remembered with their reason", () => {
    expect(content()).toMatchObject({ attachmentsDropped: false, attachmentsDroppedReason: null })
    expect(content({ dropped: "both" })).toMatchObject({
      attachmentsDropped: true,
      attachmentsDroppedReason: "both",
    })
  })

  it("RFC 5321 §4.5.5: mail with the null return path is automated", () => {
    expect(content().automated).toBe(false)
    expect(content({ envelopeFrom: "" }).automated).toBe(true)
  })

  it("decisions.threading.headers: what ties it are its own id and those it answers", () => {
    expect(linksOf(parsed)).toEqual({
      messageId: "<b@acme.dev>",
      inReplyTo: ["<a@acme.dev>", "<z@acme.dev>"],
      references: ["<root@acme.dev>", "<a@acme.dev>"],
    })
  })

  it("decisions.thread.fields: participants are everybody it names, once each", () => {
    expect(
      participantsOf({
        fromAddress: "ada@acme.dev",
        toAddresses: ["bob@acme.dev", ""],
        ccAddresses: ["ada@acme.dev"],
      }),
    ).toEqual(["ada@acme.dev", "bob@acme.dev"])
    expect(participantsOf({ fromAddress: "", toAddresses: [], ccAddresses: [] })).toEqual([])
  })

  it("decisions.thread.fields: participants are compared as addresses are", () => {
    expect(
      participantsOf({
        fromAddress: "Ada@Acme.dev",
        toAddresses: ["ada@acme.dev", "bob@b\u00fccher.de"],
        ccAddresses: ["Bob@xn--bcher-kva.de"],
      }),
    ).toEqual(["ada@acme.dev", "bob@xn--bcher-kva.de"])
  })
})
