/** Addresses that react to mail as real recipients do. */
import { Effect } from "effect"
import { expect } from "vitest"
import { type Agent, agent, receive, send } from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row, virtual, wire } from "../../src/Row.js"
import { Virtual, Wire, World } from "../../src/World.js"
import { expectAnswer, expectError, expectPayment } from "../expectations.js"
import { BOB } from "../values.js"

const DOMAIN = "simulator.mailroom.localhost"

const simulated = (behaviour: string) => `${behaviour}@${DOMAIN}`

/** The events of an account, oldest first. */
const eventsOf = ({ call }: Agent) =>
  Effect.map(call("GET /v1/events/log?limit=100"), ({ json }) => listAt(json, "events"))

const kindOf = (event: unknown) => textAt(event, "event")

/** The kinds of the events after a send to the simulator, the event that was waited for, and the message. */
const afterSend = (to: string, last: string) =>
  Effect.gen(function* () {
    const { eventually } = yield* World
    const owner = yield* agent("active")
    const sent = yield* send(owner, to)
    expect(sent.status).toBe(201)
    const events = yield* eventually(`${last} of ${to}`, eventsOf(owner), (found) =>
      found.some((one) => kindOf(one) === last),
    )
    const path = `/v1/mailboxes/${owner.mailboxId}/messages/${textAt(sent.json, "message.id")}`
    const { json } = yield* owner.call(`GET ${path}`)
    const event = events.find((one) => kindOf(one) === last)
    return { owner, kinds: events.map(kindOf), event, message: valueAt(json, "message") }
  })

export const simulator: Part = [
  row("simulator.delivered", "and with a tag", function* () {
    for (const to of ["delivered", "delivered+7"].map(simulated)) {
      const { kinds, event, message } = yield* afterSend(to, "message.delivered")
      expect(kinds).toEqual(["message.sent", "message.delivered"])
      expect(event).toMatchObject({ data: { recipients: [to] } })
      expect(message).toMatchObject({ status: "DELIVERED", toAddresses: [to] })
    }
  }),
  row(["simulator.bounced", "simulator.suppression"], "twice", function* () {
    const to = simulated("bounced+7")
    const { owner, event, message } = yield* afterSend(to, "message.bounced")
    expect(event).toMatchObject({
      data: {
        bounces: [{ recipient: to, status: "5.1.1", diagnostic: "550 5.1.1 No such user", permanent: true }],
      },
    })
    expect(message).toMatchObject({ status: "BOUNCED" })
    expectAnswer(yield* owner.call("GET /v1/suppressions"), 200, {
      suppressions: [],
      metadata: { limit: 50, hasMore: false },
    })
    expect((yield* send(owner, to)).status).toBe(201)
  }),
  row("simulator.soft-bounced", "the mailbox is full", function* () {
    const { event, message } = yield* afterSend(simulated("soft-bounced"), "message.bounced")
    expect(event).toMatchObject({ data: { bounces: [{ status: "4.2.2", permanent: false }] } })
    expect(message).toMatchObject({ status: "BOUNCED" })
  }),
  row(["simulator.complained", "simulator.suppression"], "after its delivery", function* () {
    const to = simulated("complained")
    const { owner, kinds, event, message } = yield* afterSend(to, "message.complaint")
    expect(kinds).toEqual(["message.sent", "message.delivered", "message.complaint"])
    expect(event).toMatchObject({ data: { complained_recipients: [to] } })
    expect(message).toMatchObject({ status: "COMPLAINED" })
    expect((yield* send(owner, to)).status).toBe(201)
  }),
  row("simulator.auto-reply", "and none to our answer", function* () {
    const to = simulated("auto-reply")
    const { owner, event, message } = yield* afterSend(to, "message.received")
    expect(event).toMatchObject({ data: { from: to, thread_id: valueAt(message, "threadId") } })
    const path = `/v1/mailboxes/${owner.mailboxId}/messages`
    const { json } = yield* owner.call(`GET ${path}/${textAt(event, "data.message_id")}`)
    expect(valueAt(json, "message")).toMatchObject({
      automated: true,
      subject: "Auto: Hello",
      inReplyTo: valueAt(message, "messageId"),
    })
    yield* owner.call(`POST ${path}/${textAt(event, "data.message_id")}/reply`, {
      body: { bodyText: "Thanks." },
    })
    // Mail is delivered in its order: a later mail shows that no answer is on its way.
    yield* receive(owner)
    const received = (yield* eventsOf(owner)).filter((one) => kindOf(one) === "message.received")
    expect(received).toHaveLength(2)
  }),
  virtual("simulator.delayed", "SENT until then", function* () {
    const { advance, settle } = yield* Virtual
    const owner = yield* agent("active")
    yield* send(owner, simulated("delayed"))
    yield* settle
    yield* advance("9 seconds")
    yield* settle
    expect((yield* eventsOf(owner)).map(kindOf)).toEqual(["message.sent"])
    yield* advance("1 second")
    yield* settle
    expect((yield* eventsOf(owner)).map(kindOf)).toEqual(["message.sent", "message.delivered"])
  }),
  virtual(["simulator.never", "simulator.relay"], "while the relay is away", function* () {
    const { relay, settle, advance } = yield* Virtual
    const owner = yield* agent("active")
    yield* relay.reachable(false)
    for (const behaviour of [
      "never",
      "delivered",
      "bounced",
      "auto-reply",
      "delayed",
      "complained",
      "soft-bounced",
    ])
      expect((yield* send(owner, simulated(behaviour))).status).toBe(201)
    yield* advance("1 hour")
    yield* settle
    const { json } = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages?direction=OUTBOUND`)
    expect(listAt(json, "messages").map((one) => textAt(one, "status"))).toEqual([
      "BOUNCED",
      "COMPLAINED",
      "DELIVERED",
      "DELIVERED",
      "BOUNCED",
      "DELIVERED",
      "SENT",
    ])
    expectError(yield* send(owner, BOB, { cc: [simulated("delivered")] }), 503, "RELAY_UNAVAILABLE")
  }),
  row("simulator.relay", "nor the development outbox", function* () {
    const { outbox } = yield* World
    yield* afterSend(simulated("delivered"), "message.delivered")
    expect(yield* outbox(simulated("delivered"))).toEqual([])
  }),
  row("simulator.trial", "beside the owner, and no one else", function* () {
    const owner = yield* agent("trial")
    expect((yield* send(owner, owner.email, { cc: [simulated("bounced")] })).status).toBe(201)
    expectPayment(yield* send(owner, BOB, { cc: [simulated("bounced")] }), "TRIAL_RECIPIENT_LOCKED")
    expectPayment(yield* send(owner, simulated("nobody")), "TRIAL_RECIPIENT_LOCKED")
  }),
  wire("simulator.outside", "by SMTP as by a send", function* () {
    const session = yield* (yield* Wire).smtp
    yield* session.say("MAIL FROM:<bob@sender.dev>")
    for (const to of [simulated("delivered"), simulated("bounced+7"), simulated("nobody")])
      expect(yield* session.say(`RCPT TO:<${to}>`)).toMatch(/^550 5\.1\.1 /)
    expectError(yield* send(yield* agent("active"), simulated("nobody")), 400, "RELAY_REFUSED")
  }),
]
