/** Reports from the events of SES (docs.aws.amazon.com/ses, Contents of event data that SES publishes). */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { posted, read, refusal, rule } from "./support/sns.js"

const SOURCE = "bounces+4711.c2ln@mailroom.dev"
const mail = { source: SOURCE, messageId: "0000-1", destination: ["jane@example.com", "mary@example.com"] }
const jane = { emailAddress: "Jane@Example.com" }

const said = (event: object) => posted({ Message: JSON.stringify({ mail, ...event }) })

const bounce = (bounceType: string, bounceSubType: string, ...bouncedRecipients: ReadonlyArray<object>) => ({
  bounce: { bounceType, bounceSubType, bouncedRecipients, timestamp: "2026-03-10T11:59:59.000Z" },
})

const reported = (outcome: string, more: object = {}) => ({
  returnPath: SOURCE,
  recipients: [
    { addresses: ["jane@example.com"], outcome, status: null, diagnostic: null, permanent: null, ...more },
  ],
})

const failed = { ...jane, action: "failed", status: "5.1.1", diagnosticCode: "smtp; 550 5.1.1 No such user" }
const words = { status: "5.1.1", diagnostic: "550 5.1.1 No such user" }

const cases = [
  {
    name: "Delivery: delivered, with the answer of the other side",
    kind: "Delivery",
    event: { delivery: { recipients: ["jane@example.com"], smtpResponse: "250 2.6.0 Message received" } },
    report: reported("delivered", { status: "2.6.0", diagnostic: "250 2.6.0 Message received" }),
  },
  {
    name: "Bounce, Permanent: the address is bad for good",
    kind: "Bounce",
    event: bounce("Permanent", "General", failed),
    report: reported("bounced", { permanent: true, ...words }),
  },
  {
    name: "Bounce, Permanent, without a report of the other side",
    kind: "Bounce",
    event: bounce("Permanent", "OnAccountSuppressionList", jane),
    report: reported("bounced", { permanent: true }),
  },
  {
    name: "Bounce, Transient, for a full mailbox: the address is not bad",
    kind: "Bounce",
    event: bounce("Transient", "MailboxFull", jane),
    report: reported("bounced", { permanent: false }),
  },
  {
    name: "Bounce, Transient, General, with a report of the other side",
    kind: "Bounce",
    event: bounce("Transient", "General", { ...jane, status: "4.4.7", diagnosticCode: null }),
    report: reported("bounced", { permanent: false, status: "4.4.7" }),
  },
  {
    name: "Bounce, Undetermined: nobody knows whether the address is bad",
    kind: "Bounce",
    event: bounce("Undetermined", "Undetermined", jane),
    report: reported("bounced"),
  },
  {
    name: "Complaint",
    kind: "Complaint",
    event: { complaint: { complainedRecipients: [jane], complaintFeedbackType: "abuse" } },
    report: reported("complained"),
  },
  {
    name: "DeliveryDelay",
    kind: "DeliveryDelay",
    event: { deliveryDelay: { delayType: "MailboxFull", delayedRecipients: [{ ...jane, status: "4.2.2" }] } },
    report: reported("delayed", { status: "4.2.2" }),
  },
  {
    name: "Reject, for malware: bounced, but the address is not bad",
    kind: "Reject",
    event: { reject: { reason: "Bad content" }, mail: { ...mail, destination: ["jane@example.com"] } },
    report: reported("bounced", { permanent: false, diagnostic: "Bad content" }),
  },
]

describe("as an event and as a notification", () => {
  for (const { name, kind, event, report } of cases)
    rule(
      name,
      Effect.gen(function* () {
        expect(yield* read(said({ eventType: kind, ...event }))).toEqual([report])
        expect(yield* read(said({ notificationType: kind, ...event }))).toEqual([report])
      }),
    )
})

describe("no report comes from", () => {
  for (const [what, event] of [
    [
      "a transient bounce that may be an automatic answer",
      { eventType: "Bounce", ...bounce("Transient", "General", jane) },
    ],
    [
      "a complaint that is taken back",
      {
        eventType: "Complaint",
        complaint: { complainedRecipients: [jane], complaintFeedbackType: "not-spam" },
      },
    ],
    ["an event of a sent mail", { eventType: "Send", send: {} }],
    ["an event of an opened mail", { eventType: "Open", open: {} }],
    [
      "a notification that the topic is set up",
      { notificationType: "AmazonSnsSubscriptionSucceeded", message: "" },
    ],
    ["an event without a type", {}],
  ] as const)
    rule(
      what,
      Effect.gen(function* () {
        expect(yield* read(said(event))).toEqual([])
      }),
    )

  rule(
    "the sentence that SES sends to a new topic",
    Effect.gen(function* () {
      expect(yield* read(posted())).toEqual([])
    }),
  )
})

rule(
  "one report speaks of all recipients of an event",
  Effect.gen(function* () {
    const event = bounce("Permanent", "General", jane, { emailAddress: "mary@example.com" })
    const [report] = yield* read(said({ eventType: "Bounce", ...event }))
    expect(report?.recipients.map(({ addresses }) => addresses)).toEqual([
      ["jane@example.com"],
      ["mary@example.com"],
    ])
  }),
)

rule(
  "the address that a mail to one went to comes before the one it was forwarded to",
  Effect.gen(function* () {
    const event = bounce("Permanent", "General", { emailAddress: "J. <jane@forwarded.example>" })
    const to = { ...mail, destination: ["jane@example.com"] }
    const [report] = yield* read(said({ eventType: "Bounce", ...event, mail: to }))
    expect(report?.recipients[0]?.addresses).toEqual(["jane@example.com", "jane@forwarded.example"])
  }),
)

rule(
  "a diagnostic is one line of at most 500 characters",
  Effect.gen(function* () {
    const diagnosticCode = `smtp; 550-5.7.1 One\r\n550 5.7.1 two\0${"…".repeat(600)}`
    const event = bounce("Permanent", "General", { ...jane, status: "forged", diagnosticCode })
    const [report] = yield* read(said({ eventType: "Bounce", ...event }))
    const [recipient] = report?.recipients ?? []
    expect(recipient?.status).toBe("5.7.1")
    expect(recipient?.diagnostic).toMatch(/^550-5\.7\.1 One 550 5\.7\.1 two …+$/)
    expect(recipient?.diagnostic).toHaveLength(500)
  }),
)

rule(
  "an event of a kind that tells of a delivery, but cannot be read, is told so",
  Effect.gen(function* () {
    for (const event of [
      { eventType: "Bounce" },
      { eventType: "Bounce", bounce: { bounceType: "Permanent" } },
      { eventType: "Delivery", mail: null, delivery: { recipients: [] } },
    ])
      expect(yield* refusal(said(event))).toBe("InvalidInput")
    expect(yield* refusal(posted({ Message: "{" }))).toBe("InvalidInput")
  }),
)
