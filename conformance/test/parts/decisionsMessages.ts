/** The send body, delivery inside the platform, threading, duplicates. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  arrived,
  listMessages,
  newMailbox,
  receive,
  send,
  upload,
} from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { type Draft, type Mail, rawMail } from "../../src/mail.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import { ABSENT, expectError, expectInvalid, expectWithin } from "../expectations.js"
import { BOB } from "../values.js"

/** An address at another host that only this account writes to. */
const outside = ({ slug }: Agent, name = "to"): string => `${name}-${slug}@partner.dev`

const file = (number: number) => ({
  filename: `${number}.txt`,
  contentType: "text/plain",
  content: btoa(String(number)),
})

/** The threads of the first mailbox: how many messages each has. */
const threadSizes = (owner: Agent) =>
  Effect.map(owner.call(`GET /v1/mailboxes/${owner.mailboxId}/threads`), ({ json }) =>
    listAt(json, "threads").map((thread) => valueAt(thread, "messageCount")),
  )

/** The thread of the message with a subject. */
const threadOf = (owner: Agent, subject: string) =>
  Effect.map(listMessages(owner), ({ json }) => {
    const found = listAt(json, "messages").find((message) => valueAt(message, "subject") === subject)
    return textAt(found, "threadId")
  })

/** Mails one after another, each arrived before the next. */
const receiveInTurn = (owner: Agent, drafts: ReadonlyArray<Draft>) =>
  Effect.forEach(drafts, (draft) => receive(owner, [draft]), { discard: true })

/** A mail without Message-ID, In-Reply-To and References. */
const bare = (to: string, from: string, subject: string): Mail =>
  rawMail(to, `From: ${from}`, `To: ${to}`, `Subject: ${subject}`, "", `About ${subject}, from ${from}`)

const deliverBare = (owner: Agent, from: string, subject: string, count: number) =>
  Effect.gen(function* () {
    const { deliver } = yield* World
    yield* deliver([bare(owner.address, from, subject)])
    yield* arrived(owner, count)
  })

export const decisionsMessages: Part = [
  row("decisions.body.to", "50 are written to, 51 and none are refused", function* () {
    const owner = yield* agent("active")
    const to = Array.from({ length: 51 }, (_, index) => `r${index}@partner.dev`)
    expectWithin(yield* send(owner, "", { to: to.slice(0, 50) }), 201, {
      message: { toAddresses: to.slice(0, 50) },
    })
    for (const wrong of [to, []]) expectInvalid(yield* send(owner, "", { to: wrong }), "to")
  }),
  row("decisions.body.cc", "they get the mail, and everybody sees them", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const cc = outside(owner, "cc")
    expectWithin(yield* send(owner, BOB, { cc: [cc] }), 201, { message: { ccAddresses: [cc] } })
    const [mail] = yield* outbox(cc)
    expect([mail?.to, mail?.headers["cc"]]).toEqual([[cc], expect.stringContaining(cc)])
  }),
  row("decisions.body.bcc", "they get the mail, and nobody sees them", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const bcc = outside(owner, "bcc")
    expectWithin(yield* send(owner, BOB, { bcc: [bcc] }), 201, { message: { bccAddresses: [bcc] } })
    const [mail] = yield* outbox(bcc)
    expect(mail?.to).toEqual([bcc])
    expect(JSON.stringify(mail?.headers)).not.toContain(bcc)
  }),
  row("decisions.body.subject", "none and 999 are refused, one and 998 are not", function* () {
    const owner = yield* agent("active")
    for (const length of [1, 998])
      expect((yield* send(owner, BOB, { subject: "s".repeat(length) })).status).toBe(201)
    for (const length of [0, 999])
      expectInvalid(yield* send(owner, BOB, { subject: "s".repeat(length) }), "subject")
  }),
  row("decisions.body.bodies", "either, both, and not neither", function* () {
    const owner = yield* agent("active")
    const [text, markup] = ["Hi", "<p>Hi</p>"]
    for (const [bodyText, bodyHtml] of [
      [text, undefined],
      [undefined, markup],
      [text, markup],
    ])
      expectWithin(yield* send(owner, BOB, { bodyText, bodyHtml }), 201, {
        message: { bodyText: bodyText ?? null, bodyHtml: bodyHtml ?? null },
      })
    for (const none of [undefined, ""]) expectInvalid(yield* send(owner, BOB, { bodyText: none }), "bodyText")
  }),
  row(
    ["decisions.body.in-reply-to-rfc", "decisions.body.in-reply-to-id"],
    "both make the same reply; an id of ours that is not there is 404",
    function* () {
      const owner = yield* agent("active")
      yield* receive(owner, [{ messageId: "<question@sender.dev>" }])
      const id = textAt((yield* listMessages(owner)).json, "messages.0.id")
      for (const inReplyTo of ["<question@sender.dev>", "question@sender.dev", id])
        expectWithin(yield* send(owner, BOB, { inReplyTo }), 201, {
          message: { inReplyTo: "<question@sender.dev>", references: ["<question@sender.dev>"] },
        })
      expectError(yield* send(owner, BOB, { inReplyTo: ABSENT }), 404, "MESSAGE_NOT_FOUND")
      expectInvalid(yield* send(owner, BOB, { inReplyTo: "the question" }), "inReplyTo")
    },
  ),
  row("decisions.body.attachments-id", "the upload is the message's from then on", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const id = textAt((yield* upload(owner, "a.csv", "a;b", "text/csv")).json, "id")
    const sent = yield* send(owner, outside(owner), { attachments: [id] })
    expectWithin(sent, 201, { message: { attachments: [{ id, filename: "a.csv" }] } })
    expectWithin(yield* owner.call(`GET /v1/attachments/${id}`), 200, {
      messageId: valueAt(sent.json, "message.id"),
    })
    expect((yield* outbox(outside(owner)))[0]?.attachments).toEqual([
      { filename: "a.csv", contentType: "text/csv", sizeBytes: 3 },
    ])
  }),
  row("decisions.body.attachments-inline", "beside an upload, in their order", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const id = textAt((yield* upload(owner, "a.csv", "a;b", "text/csv")).json, "id")
    const sent = yield* send(owner, outside(owner), { attachments: [file(1), id] })
    expectWithin(sent, 201, { message: { attachments: [{ filename: "1.txt", sizeBytes: 1 }, { id }] } })
    const [mail] = yield* outbox(outside(owner))
    expect(mail?.attachments.map(({ filename }) => filename)).toEqual(["1.txt", "a.csv"])
    const wrong = { ...file(1), content: "not base64!" }
    expect((yield* send(owner, BOB, { attachments: [wrong] })).status).toBe(400)
  }),
  row("decisions.body.attachments-20", "20 are sent, 21 are refused", function* () {
    const owner = yield* agent("active")
    const attachments = Array.from({ length: 21 }, (_, index) => file(index))
    expect((yield* send(owner, BOB, { attachments: attachments.slice(1) })).status).toBe(201)
    expectInvalid(yield* send(owner, BOB, { attachments }), "attachments")
  }),
  row("decisions.body.headers", "they go out; any other name is refused", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    yield* send(owner, outside(owner), { headers: { "X-Custom-Run": "seven" } })
    expect((yield* outbox(outside(owner)))[0]?.headers["x-custom-run"]).toBe("seven")
    for (const name of ["X-Mailer", "Bcc", "Received", "X-Custom-", "X-Custom-A:B"])
      expect((yield* send(owner, BOB, { headers: { [name]: "x" } })).status).toBe(400)
  }),
  row("decisions.body.replyTo", "in the mail and in the message", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const replyTo = "answers@partner.dev"
    expectWithin(yield* send(owner, outside(owner), { replyTo }), 201, { message: { replyTo } })
    expect((yield* outbox(outside(owner)))[0]?.headers["reply-to"]).toContain(replyTo)
    expectInvalid(yield* send(owner, BOB, { replyTo: "nobody" }), "replyTo")
  }),
  row("decisions.body.labels", "and not of the mail", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const labels = ["campaign-7", "first"]
    expectWithin(yield* send(owner, outside(owner), { labels }), 201, { message: { labels } })
    expect(JSON.stringify((yield* outbox(outside(owner)))[0])).not.toContain("campaign-7")
  }),
  row("decisions.body.line-breaks", "of subject, recipients, headers and file names", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    for (const evil of ["\r\nBcc: eve@evil.dev", "\nBcc: eve@evil.dev", "\rBcc: eve@evil.dev", "\0"])
      for (const change of [
        { subject: `Hello${evil}` },
        { to: [`bob@partner.dev${evil}`] },
        { replyTo: `bob@partner.dev${evil}` },
        { headers: { "X-Custom-Run": `seven${evil}` } },
        { attachments: [{ ...file(1), filename: `a${evil}.txt` }] },
      ])
        expectWithin(yield* send(owner, BOB, change), 400, { code: "VALIDATION_FAILED" })
    expect(yield* outbox("eve@evil.dev")).toEqual([])
  }),

  row("decisions.inside.delivered", "as an inbound message of its own", function* () {
    const { outbox } = yield* World
    const [owner, other] = [yield* agent("active"), yield* agent()]
    const sent = yield* send(owner, other.address, { subject: "Inside", bcc: [outside(owner)] })
    expect(sent.status).toBe(201)
    const listed = yield* arrived(other)
    expectWithin(listed, 200, {
      messages: [
        {
          subject: "Inside",
          direction: "INBOUND",
          status: "RECEIVED",
          fromAddress: owner.address,
          messageId: valueAt(sent.json, "message.messageId"),
        },
      ],
    })
    expect((yield* outbox(outside(owner)))[0]?.to).toEqual([outside(owner)])
    expect(yield* outbox(other.address)).toEqual([])
  }),
  row("decisions.inside.rules", "and nothing is sent to the others either", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const unknown = `nobody@${owner.slug}.mailroom.localhost`
    const refused = yield* send(owner, unknown, { cc: [outside(owner)] })
    expectError(refused, 400, "RELAY_REFUSED")
    expect(textAt(refused.json, "error")).toContain(unknown)
    expect(yield* outbox(outside(owner))).toEqual([])
  }),

  row("decisions.threading.headers", "each of the three, whatever the subjects", function* () {
    const owner = yield* agent()
    yield* receiveInTurn(owner, [
      { subject: "one", messageId: "<one@sender.dev>" },
      { subject: "two", messageId: "<two@sender.dev>", inReplyTo: "<one@sender.dev>" },
      { subject: "three", references: ["<one@sender.dev>", "<two@sender.dev>"] },
      { subject: "one", messageId: "<other@sender.dev>" },
    ])
    expect(yield* threadSizes(owner)).toEqual([1, 3])
  }),
  row("decisions.threading.unseen", "by In-Reply-To and by References", function* () {
    const owner = yield* agent()
    yield* receiveInTurn(owner, [
      { subject: "Re: lost", inReplyTo: "<lost@sender.dev>" },
      { subject: "Re: lost too", references: ["<lost@sender.dev>"] },
    ])
    expect(yield* threadSizes(owner)).toEqual([2])
  }),
  row("decisions.threading.order", "every order of three makes one thread", function* () {
    const drafts: ReadonlyArray<Draft> = [
      { subject: "root", messageId: "<root@sender.dev>" },
      { subject: "child", messageId: "<child@sender.dev>", inReplyTo: "<root@sender.dev>" },
      { subject: "leaf", messageId: "<leaf@sender.dev>", inReplyTo: "<child@sender.dev>" },
    ]
    for (const order of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]) {
      const owner = yield* agent()
      yield* receiveInTurn(
        owner,
        order.flatMap((index) => drafts[index] ?? []),
      )
      expect(yield* threadSizes(owner)).toEqual([3])
    }
  }),
  row(
    ["decisions.threading.merge", "decisions.threading.alias"],
    "a mail that names both joins them, and both ids read as the older",
    function* () {
      const owner = yield* agent()
      yield* receiveInTurn(owner, [
        { subject: "older", messageId: "<older@sender.dev>" },
        { subject: "younger", messageId: "<younger@sender.dev>" },
      ])
      const older = yield* threadOf(owner, "older")
      const younger = yield* threadOf(owner, "younger")
      expect(older).not.toBe(younger)
      yield* receive(owner, [
        { subject: "both", inReplyTo: "<younger@sender.dev>", references: ["<older@sender.dev>"] },
      ])
      for (const subject of ["older", "younger", "both"]) expect(yield* threadOf(owner, subject)).toBe(older)
      for (const id of [older, younger])
        expectWithin(yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/threads/${id}`), 200, {
          thread: { id: older, messageCount: 3 },
        })
    },
  ),
  row("decisions.threading.mailbox", "the same mail in two mailboxes is in two", function* () {
    const owner = yield* agent()
    const second = yield* newMailbox(owner, "second")
    yield* receive(owner, [{ messageId: "<one@sender.dev>" }])
    yield* receive(owner, [{ inReplyTo: "<one@sender.dev>" }], second.address)
    const other = { ...owner, mailboxId: second.id }
    expect([yield* threadSizes(owner), yield* threadSizes(other)]).toEqual([[1], [1]])
  }),
  row("decisions.threading.subject", "with Re:, AW: and Fwd:, from somebody in it", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "The plan", messageId: "<plan@sender.dev>" }])
    let count = 1
    for (const subject of ["Re: The plan", "AW: the  plan", "Fwd: Re: The plan"])
      yield* deliverBare(owner, "bob@sender.dev", subject, ++count)
    expect(yield* threadSizes(owner)).toEqual([4])
  }),
  row("decisions.threading.subject-only-answers", "the same subject again is another thread", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "The plan" }])
    yield* deliverBare(owner, "bob@sender.dev", "The plan", 2)
    expect(yield* threadSizes(owner)).toEqual([1, 1])
  }),
  row("decisions.threading.subject-participant", "from a stranger it is another thread", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "The plan" }])
    yield* deliverBare(owner, "stranger@elsewhere.dev", "Re: The plan", 2)
    expect(yield* threadSizes(owner)).toEqual([1, 1])
  }),
  virtual(
    "decisions.threading.subject-window",
    "on the 29th day it joins, 31 days later it does not",
    function* () {
      const { advance } = yield* Virtual
      const owner = yield* agent("active")
      yield* receive(owner, [{ subject: "The plan" }])
      yield* advance("29 days")
      yield* deliverBare(owner, "bob@sender.dev", "Re: The plan", 2)
      expect(yield* threadSizes(owner)).toEqual([2])
      yield* advance("31 days")
      yield* deliverBare(owner, "bob@sender.dev", "AW: The plan", 3)
      expect(yield* threadSizes(owner)).toEqual([1, 2])
    },
  ),
  row("decisions.threading.unknown", "and whoever names it too is in that thread", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const sent = yield* send(owner, outside(owner), { inReplyTo: "<never-seen@sender.dev>" })
    expectWithin(sent, 201, { message: { inReplyTo: "<never-seen@sender.dev>" } })
    expect((yield* outbox(outside(owner)))[0]?.headers["in-reply-to"]).toBe("<never-seen@sender.dev>")
    yield* receive(owner, [{ subject: "theirs", inReplyTo: "<never-seen@sender.dev>" }])
    expect(yield* threadOf(owner, "theirs")).toBe(textAt(sent.json, "message.threadId"))
  }),
  row("decisions.duplicate", "with another text it is another one", function* () {
    const { deliver } = yield* World
    const owner = yield* agent()
    const mail = (text: string) =>
      rawMail(
        owner.address,
        "From: bob@sender.dev",
        "Message-ID: <same@sender.dev>",
        "Subject: same",
        "",
        text,
      )
    yield* deliver([mail("A")])
    yield* arrived(owner, 1)
    yield* deliver([mail("A"), mail("B")])
    yield* arrived(owner, 2)
    yield* receive(owner, [{ text: "afterwards" }])
    const { json } = yield* listMessages(owner)
    const texts = listAt(json, "messages").map((message) => textAt(message, "bodyText").trim())
    expect(texts).toEqual(["afterwards", "B", "A"])
  }),
  row("decisions.duplicate.trace", "the same mail by another way is stored once", function* () {
    const { deliver } = yield* World
    const owner = yield* agent()
    const mail = (...trace: ReadonlyArray<string>) =>
      rawMail(owner.address, ...trace, "From: bob@sender.dev", "Message-ID: <same@sender.dev>", "", "A")
    yield* deliver([mail()])
    yield* arrived(owner, 1)
    yield* deliver([mail("Received: from a.dev by b.dev; Tue, 10 Mar 2026 09:00:00 +0000")])
    yield* receive(owner, [{ subject: "afterwards" }])
    expect(listAt((yield* arrived(owner, 2)).json, "messages")).toHaveLength(2)
  }),
]
