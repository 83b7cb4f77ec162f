/** Reports about sent mail: events, statuses and suppressions. */
import { Effect } from "effect"
import { expect } from "vitest"
import { type Agent, agent, arrived, listMessages, receive } from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { type Mail, rawMail } from "../../src/mail.js"
import { bounceOf, complaintAbout, deliveryOf, deliveryReport, type Sent, sentBy } from "../../src/reports.js"
import { type Part, row, virtual, wire } from "../../src/Row.js"
import { Virtual, Wire, World } from "../../src/World.js"
import { anyTime } from "../expectations.js"

/** The event and the message after a report that arrives twice. */
const afterReport = (kind: string, report: (sent: Sent) => Mail) =>
  Effect.gen(function* () {
    const { listen, deliver } = yield* World
    const owner = yield* agent("active")
    const sent = yield* sentBy(owner)
    const stream = yield* listen({ key: owner.key }, `?events=${kind},message.received`)
    yield* deliver([report(sent), report(sent)])
    // One process delivers mail in order: a later mail shows that the reports are processed.
    yield* receive(owner)
    const frames = yield* stream.received(2)
    const of = (event: string) => frames.filter(({ data }) => valueAt(data, "event") === event)
    expect(of("message.received")).toHaveLength(1)
    const [frame] = of(kind)
    yield* stream.close
    return { owner, sent, frame, message: yield* messageOf(owner, sent) }
  })

const messageOf = ({ call, mailboxId }: Agent, { json }: Sent) =>
  Effect.map(call(`GET /v1/mailboxes/${mailboxId}/messages/${textAt(json, "message.id")}`), (answer) =>
    valueAt(answer.json, "message"),
  )

const suppressionsOf = ({ call }: Agent) =>
  Effect.map(call("GET /v1/suppressions"), ({ json }) =>
    listAt(json, "suppressions").map((one) => [textAt(one, "email"), textAt(one, "reason")]),
  )

/** The fields that every report's event begins with. */
const identified = (owner: Agent, { json }: Sent) => ({
  message_id: valueAt(json, "message.id"),
  mailbox_id: owner.mailboxId,
  mailbox_address: owner.address,
  rfc_message_id: valueAt(json, "message.messageId"),
})

const fullMailbox = (sent: Sent) => deliveryReport(sent, "failed", "5.2.2", "552 5.2.2 Mailbox full")

export const reports: Part = [
  row(
    ["events.emission.delivered", "events.shape.delivered", "decisions.reports.delivered"],
    "a report of delivery comes back",
    function* () {
      const { owner, sent, frame, message } = yield* afterReport("message.delivered", deliveryOf)
      expect(frame?.data).toEqual({
        event: "message.delivered",
        timestamp: anyTime,
        data: { ...identified(owner, sent), recipients: [sent.recipient], delivered_at: anyTime },
      })
      expect(valueAt(message, "status")).toBe("DELIVERED")
    },
  ),
  row(
    ["events.emission.bounced", "events.shape.bounced", "decisions.reports.bounced"],
    "a bounce comes back, twice",
    function* () {
      const { owner, sent, frame, message } = yield* afterReport("message.bounced", bounceOf)
      expect(frame?.data).toMatchObject({
        event: "message.bounced",
        timestamp: anyTime,
        data: {
          ...identified(owner, sent),
          bounced_recipients: [sent.recipient],
          bounced_at: anyTime,
          bounces: [{ recipient: sent.recipient, status: "5.1.1", permanent: true }],
        },
      })
      expect(valueAt(message, "status")).toBe("BOUNCED")
      expect(yield* suppressionsOf(owner)).toEqual([[sent.recipient, "BOUNCE"]])
    },
  ),
  row(
    ["events.emission.complaint", "events.shape.complaint", "decisions.reports.complained"],
    "a feedback report comes back",
    function* () {
      const { owner, sent, frame, message } = yield* afterReport("message.complaint", complaintAbout)
      expect(frame?.data).toEqual({
        event: "message.complaint",
        timestamp: anyTime,
        data: {
          ...identified(owner, sent),
          complained_recipients: [sent.recipient],
          complained_at: anyTime,
        },
      })
      expect(valueAt(message, "status")).toBe("COMPLAINED")
      expect(yield* suppressionsOf(owner)).toEqual([[sent.recipient, "COMPLAINT"]])
    },
  ),
  row("decisions.reports.full", "552 5.2.2", function* () {
    const { owner, message } = yield* afterReport("message.bounced", fullMailbox)
    expect(valueAt(message, "status")).toBe("BOUNCED")
    expect(yield* suppressionsOf(owner)).toEqual([])
  }),
  row("decisions.reports.return-path", "of two mails", function* () {
    const owner = yield* agent("active")
    const one = yield* sentBy(owner)
    const two = yield* sentBy(owner)
    const shape = new RegExp(`^bounces\\+[0-9a-f]{34}-[0-9a-f]{20}@${owner.address.replace(/^.*@/, "")}$`)
    expect(one.returnPath).toMatch(shape)
    expect(two.returnPath).toMatch(shape)
    expect(one.returnPath).not.toBe(two.returnPath)
  }),
  wire("decisions.reports.forged", "with another signature", function* () {
    const session = yield* (yield* Wire).smtp
    const { returnPath } = yield* sentBy(yield* agent("active"))
    const forged = returnPath.replace(/-[0-9a-f]{20}@/, `-${"0".repeat(20)}@`)
    yield* session.say("MAIL FROM:<>")
    expect(yield* session.say(`RCPT TO:<${forged}>`)).toMatch(/^550 5\.1\.1 /)
    expect(yield* session.say(`RCPT TO:<${returnPath}>`)).toMatch(/^250 /)
  }),
  virtual("decisions.smtp.authentication", "of a mail that its domain says to reject", function* () {
    const { zones } = yield* Virtual
    yield* zones.put("sender.dev", { txt: ["v=spf1 ip4:198.51.100.7 -all"] })
    yield* zones.put("_dmarc.sender.dev", { txt: ["v=DMARC1; p=reject"] })
    const owner = yield* agent()
    yield* receive(owner)
    const { json } = yield* listMessages(owner)
    expect(valueAt(json, "messages.0.authentication")).toEqual({
      spf: "fail",
      dkim: "none",
      dmarc: "fail",
      verifiedDomain: null,
    })
  }),
  row("decisions.reports.vacation", "it comes to the return path, and threads with the mail", function* () {
    const { deliver } = yield* World
    const owner = yield* agent("active")
    const sent = yield* sentBy(owner)
    const note = rawMail(
      sent.returnPath,
      `From: ${sent.recipient}`,
      "Subject: Out of office",
      "Auto-Submitted: auto-replied",
      `In-Reply-To: ${textAt(sent.json, "message.messageId")}`,
      "",
      "I am away.",
    )
    yield* deliver([{ ...note, from: "" }])
    const { json } = yield* arrived(owner, 2)
    expect(valueAt(json, "messages.0")).toMatchObject({
      subject: "Out of office",
      automated: true,
      threadId: valueAt(sent.json, "message.threadId"),
    })
    expect(valueAt(yield* messageOf(owner, sent), "status")).toBe("SENT")
  }),
]
