/** Reports of Postmark's webhooks, and their authentication (postmarkapp.com/developer/webhooks). */
import { describe, expect, it } from "@effect/vitest"
import { ProviderReports } from "@mailroom/engine"
import { providerReports } from "@mailroom/providers"
import { Effect, Redacted } from "effect"

const CREDENTIALS = "postmark:correct-horse-battery"
const RETURN_PATH = "bounces+4711.c2ln"

const postmark = providerReports({ kind: "postmark", credentials: Redacted.make(CREDENTIALS) })
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString("base64")}`

const rule = <A, E>(name: string, body: Effect.Effect<A, E, ProviderReports>) =>
  it.effect(name, () => Effect.orDie(Effect.provide(body, postmark)))

const read = (notice: unknown, authorization: string | undefined = basic(CREDENTIALS)) =>
  Effect.flatMap(ProviderReports, (reports) =>
    reports.read({
      headers: { authorization },
      body: typeof notice === "string" ? notice : JSON.stringify(notice),
    }),
  )

const refusal = (notice: unknown, authorization?: string) =>
  Effect.map(Effect.flip(read(notice, authorization)), ({ _tag }) => _tag)

const Metadata = { "return-path": RETURN_PATH, color: "blue" }

const bounce = (Type: string, more: object = {}) => ({
  RecordType: "Bounce",
  MessageStream: "outbound",
  ID: 4711,
  Type,
  Description: "The server was unable to deliver your message.",
  Details: "smtp;550 5.1.1 No such user",
  Email: "Jane@example.com",
  From: "agent@acme.mailroom.dev",
  Inactive: false,
  Metadata,
  ...more,
})

const reported = (outcome: string, more: object = {}) => [
  {
    returnPath: RETURN_PATH,
    recipients: [
      {
        addresses: ["jane@example.com"],
        outcome,
        status: "5.1.1",
        diagnostic: "550 5.1.1 No such user",
        permanent: null,
        ...more,
      },
    ],
  },
]

describe("the bounce type decides the outcome", () => {
  for (const [type, outcome, permanent] of [
    ["HardBounce", "bounced", true],
    ["BadEmailAddress", "bounced", true],
    ["ManuallyDeactivated", "bounced", true],
    ["SoftBounce", "bounced", false],
    ["DnsError", "bounced", false],
    ["Blocked", "bounced", false],
    ["SpamNotification", "bounced", false],
    ["VirusNotification", "bounced", false],
    ["DMARCPolicy", "bounced", false],
    ["SMTPApiError", "bounced", false],
    ["Unconfirmed", "bounced", false],
    ["Unknown", "bounced", null],
    ["Transient", "delayed", null],
    ["SpamComplaint", "complained", null],
  ] as const)
    rule(
      `${type}: ${outcome}${permanent === null ? "" : permanent ? ", for good" : ", not for good"}`,
      Effect.gen(function* () {
        expect(yield* read(bounce(type))).toEqual(reported(outcome, { permanent }))
      }),
    )

  for (const type of ["AutoResponder", "Subscribe", "Unsubscribe", "ChallengeVerification", "AddressChange"])
    rule(
      `${type}: nothing`,
      Effect.gen(function* () {
        expect(yield* read(bounce(type, { Inactive: true }))).toEqual([])
      }),
    )
})

rule(
  "a bounce that deactivated the address is permanent, whatever its type",
  Effect.gen(function* () {
    expect(yield* read(bounce("SoftBounce", { Inactive: true }))).toEqual(
      reported("bounced", { permanent: true }),
    )
    expect(yield* read(bounce("Transient", { Inactive: true }))).toEqual(reported("delayed"))
  }),
)

rule(
  "a complaint has a webhook of its own",
  Effect.gen(function* () {
    const notice = bounce("SpamComplaint", {
      RecordType: "SpamComplaint",
      Inactive: true,
      Details: "",
      Description: "Marked as spam",
    })
    expect(yield* read(notice)).toEqual(
      reported("complained", { status: null, diagnostic: "Marked as spam" }),
    )
  }),
)

rule(
  "a delivery has a webhook of its own",
  Effect.gen(function* () {
    const notice = { RecordType: "Delivery", Recipient: "jane@example.com", Details: "Taken", Metadata }
    expect(yield* read(notice)).toEqual(reported("delivered", { status: null, diagnostic: "Taken" }))
  }),
)

rule(
  "the return path is found in any case of its header name",
  Effect.gen(function* () {
    const notice = bounce("HardBounce", { Metadata: { "Return-Path": RETURN_PATH } })
    expect(yield* read(notice)).toEqual(reported("bounced", { permanent: true }))
  }),
)

describe("no report comes from", () => {
  for (const [what, notice] of [
    ["a notice about a mail without a return path", bounce("HardBounce", { Metadata: { color: "blue" } })],
    ["a notice whose return path is no string", bounce("HardBounce", { Metadata: { "return-path": 7 } })],
    ["a notice without metadata", bounce("HardBounce", { Metadata: null })],
    ["a notice of an opened mail", { RecordType: "Open", Metadata }],
    ["an inbound mail", { MessageID: "1" }],
  ] as const)
    rule(
      what,
      Effect.gen(function* () {
        expect(yield* read(notice)).toEqual([])
      }),
    )
})

rule(
  "a request without the credentials is refused",
  Effect.gen(function* () {
    for (const authorization of [
      "",
      "Basic",
      "Basic ",
      basic("postmark:wrong"),
      basic("another:correct-horse-battery"),
      basic(`${CREDENTIALS} `),
      basic(""),
      `Bearer ${CREDENTIALS}`,
      CREDENTIALS,
    ])
      expect(yield* refusal(bounce("HardBounce"), authorization)).toBe("InvalidSignature")
  }),
)

rule(
  "the authentication scheme has no case (RFC 9110 §11.1)",
  Effect.gen(function* () {
    const authorization = basic(CREDENTIALS).replace("Basic", "basic")
    expect(yield* read(bounce("HardBounce"), authorization)).toHaveLength(1)
  }),
)

rule(
  "an unreadable body is InvalidInput with valid credentials, and InvalidSignature without",
  Effect.gen(function* () {
    for (const notice of ["{", "[]", { RecordType: "Bounce" }, { RecordType: "Delivery", Metadata }]) {
      expect(yield* refusal(notice)).toBe("InvalidInput")
      expect(yield* refusal(notice, basic("postmark:wrong"))).toBe("InvalidSignature")
    }
  }),
)
