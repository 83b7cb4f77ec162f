/** The send rules in their order. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  newestId,
  pay,
  receive,
  send,
  signUp,
  suppress,
  upload,
  verify,
  accountOf,
} from "../../src/agents.js"
import { textAt } from "../../src/Answer.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import {
  ABSENT,
  expectAnswer,
  expectError,
  expectPayment,
  expectWithin,
  UPGRADE_HINT,
} from "../expectations.js"
import { BOB, MB } from "../values.js"

const pause = (owner: Agent) =>
  owner.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body: { status: "paused" } })

/** An attachment inside a send body, above its limit. */
const tooLarge = {
  filename: "big.bin",
  contentType: "application/octet-stream",
  content: Buffer.alloc(25 * MB + 1).toString("base64"),
}

/** Checks that a refused send did not count. */
const expectNothingTaken = (owner: Agent) =>
  Effect.gen(function* () {
    expect(yield* accountOf(owner)).toMatchObject({ sentToday: 0, sentThisMonth: 0 })
    expectWithin(yield* owner.call("GET /v1/mailboxes"), 200, {
      mailboxes: [{ dailySendCount: 0, monthlySendCount: 0 }],
    })
  })

export const sendOrder: Part = [
  row("decisions.send.inactive", "a paused mailbox of an unverified owner", function* () {
    const owner = yield* agent()
    yield* pause(owner)
    expectError(yield* send(owner, BOB), 400, "MAILBOX_NOT_ACTIVE")
  }),
  row("decisions.send.unverified", "an unverified owner who paid, to a test domain", function* () {
    const owner = yield* agent()
    yield* pay(owner)
    expectError(yield* send(owner, "ada@example.com"), 403, "EMAIL_NOT_VERIFIED")
  }),
  row("decisions.send.trial-recipient", "and it takes none of them", function* () {
    const owner = yield* agent("trial")
    expectPayment(yield* send(owner, "ada@example.com"), "TRIAL_RECIPIENT_LOCKED")
    expect(yield* accountOf(owner)).toMatchObject({ trial: { sendsUsed: 0 } })
  }),
  row("decisions.send.trial-units", "11 at once: 10 are sent", function* () {
    const owner = yield* agent("trial")
    const answers = yield* Effect.all(
      Array.from({ length: 11 }, () => send(owner, owner.email)),
      { concurrency: "unbounded" },
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(1)
    expect(yield* accountOf(owner)).toMatchObject({ sentToday: 10, trial: { sendsUsed: 10 } })
  }),
  row("decisions.send.recipient", "each beside a suppressed one, and suppressed itself", function* () {
    const owner = yield* agent("active")
    yield* suppress(owner, BOB)
    for (const address of ["ada@example.com", "ada@mailinator.com"]) {
      yield* suppress(owner, address)
      for (const to of [[address], [BOB, address]])
        expectError(yield* send(owner, BOB, { to }), 400, "RECIPIENT_NOT_ALLOWED", { address })
    }
  }),
  row("decisions.send.suppressed", "beside an unknown attachment", function* () {
    const owner = yield* agent("active")
    yield* suppress(owner, BOB)
    expectAnswer(yield* send(owner, BOB, { attachments: [ABSENT] }), 400, {
      error: expect.stringContaining(BOB),
      code: "RECIPIENT_SUPPRESSED",
      address: BOB,
    })
  }),
  row(
    "decisions.send.attachments",
    "an unknown one, and another account's, beside one too large",
    function* () {
      const owner = yield* agent("active")
      const foreign = textAt((yield* upload(yield* agent(), "a.txt", "A")).json, "id")
      for (const id of [ABSENT, foreign])
        expectError(yield* send(owner, BOB, { attachments: [tooLarge, id] }), 400, "ATTACHMENT_NOT_FOUND")
    },
  ),
  virtual(
    "decisions.send.sizes",
    "with the velocity exceeded",
    function* () {
      const owner = yield* agent("active")
      yield* send(owner, BOB)
      expectError(yield* send(owner, BOB, { attachments: [tooLarge] }), 413, "SIZE_EXCEEDED")
      expectError(yield* send(owner, BOB), 429, "SEND_VELOCITY_EXCEEDED")
    },
    { sendVelocityPerMinute: 1 },
  ),
  virtual(
    "decisions.send.loop",
    "the eleventh answer to a machine within an hour, with the velocity exceeded",
    function* () {
      const owner = yield* agent("active")
      const answered = (number: number) =>
        Effect.gen(function* () {
          yield* receive(owner, [
            {
              from: BOB,
              messageId: `<${number}@partner.dev>`,
              references: ["<0@partner.dev>"],
              headers: { "Auto-Submitted": "auto-replied" },
            },
          ])
          return yield* owner.call(
            `POST /v1/mailboxes/${owner.mailboxId}/messages/${yield* newestId(owner)}/reply`,
            { body: { bodyText: "Yes." } },
          )
        })
      for (let number = 1; number <= 10; number++) expect((yield* answered(number)).status).toBe(201)
      expectError(yield* answered(11), 429, "MAIL_LOOP_CUT")
      expectError(yield* send(owner, BOB), 429, "SEND_VELOCITY_EXCEEDED")
    },
    { sendVelocityPerMinute: 10 },
  ),
  virtual("decisions.send.velocity", "with the day's sends used up as well", function* () {
    const { advance, pretend } = yield* Virtual
    const owner = yield* agent("active")
    yield* pretend(owner.email, { sendsToday: 440 })
    yield* Effect.replicateEffect(send(owner, BOB), 60)
    expectError(yield* send(owner, BOB), 429, "SEND_VELOCITY_EXCEEDED")
    yield* advance("1 minute")
    expectError(yield* send(owner, BOB), 429, "DAILY_SEND_LIMIT_REACHED", { upgrade: UPGRADE_HINT })
  }),
  virtual("decisions.send.daily", "with the month's sends used up as well", function* () {
    const owner = yield* agent("active")
    yield* (yield* Virtual).pretend(owner.email, { sendsToday: 500, sendsThisMonth: 15_000 })
    expectError(yield* send(owner, BOB), 429, "DAILY_SEND_LIMIT_REACHED", { upgrade: UPGRADE_HINT })
  }),
  virtual("decisions.send.monthly", "with the relay away", function* () {
    const { pretend, relay } = yield* Virtual
    const owner = yield* agent("active")
    yield* pretend(owner.email, { sendsThisMonth: 15_000 })
    yield* relay.reachable(false)
    expectError(yield* send(owner, BOB), 429, "MONTHLY_SEND_LIMIT_REACHED", { upgrade: UPGRADE_HINT })
  }),
  virtual("decisions.send.refused", "and of the trial's too", function* () {
    const { relay } = yield* Virtual
    const owner = yield* agent("active")
    yield* relay.answer(BOB, "550 5.1.1 no such user")
    expectError(yield* send(owner, BOB), 400, "RELAY_REFUSED")
    yield* expectNothingTaken(owner)
    const trying = yield* agent("trial")
    yield* relay.answer(trying.email, "550 5.1.1 no such user")
    expectError(yield* send(trying, trying.email), 400, "RELAY_REFUSED")
    expect(yield* accountOf(trying)).toMatchObject({ trial: { sendsUsed: 0 } })
  }),
  virtual("decisions.send.unavailable", "without a connection, and refused for now", function* () {
    const { relay } = yield* Virtual
    const owner = yield* agent("active")
    yield* relay.reachable(false)
    expectError(yield* send(owner, BOB), 503, "RELAY_UNAVAILABLE")
    yield* relay.reachable(true)
    yield* relay.answer(BOB, "450 4.2.1 come back later")
    expectError(yield* send(owner, BOB), 503, "RELAY_UNAVAILABLE")
    yield* expectNothingTaken(owner)
  }),
  virtual("decisions.send.parallel", "of 12 at once with 5 left", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    yield* (yield* Virtual).pretend(owner.email, { sendsToday: 495 })
    const answers = yield* Effect.all(
      Array.from({ length: 12 }, () => send(owner, BOB)),
      { concurrency: "unbounded" },
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7)
    expect(yield* outbox(BOB)).toHaveLength(5)
    expectWithin(yield* owner.call("GET /v1/mailboxes"), 200, { mailboxes: [{ dailySendCount: 500 }] })
  }),
  row("decisions.send.test-domains", "each is refused, and what only looks like one is not", function* () {
    const owner = yield* agent("active")
    for (const domain of [
      "example.com",
      "example.net",
      "example.org",
      "shop.test",
      "a.b.example",
      "x.invalid",
      "x.localhost",
    ])
      expectError(yield* send(owner, `ada@${domain}`), 400, "RECIPIENT_NOT_ALLOWED", {
        address: `ada@${domain}`,
      })
    for (const domain of ["myexample.com", "example.dev", "test.partner.dev"])
      expect((yield* send(owner, `ada@${domain}`)).status).toBe(201)
  }),
  row("decisions.send.exempt-platform", "below .localhost as it is here", function* () {
    const owner = yield* agent("active")
    const other = yield* agent()
    expect((yield* send(owner, other.address)).status).toBe(201)
  }),
  row("decisions.send.exempt-owner", "at a test domain, where another address is refused", function* () {
    const { next } = yield* World
    const email = `owner-${yield* next}@example.com`
    const owner = yield* signUp({ email })
    yield* verify({ email })
    yield* pay(owner)
    expect((yield* send(owner, email)).status).toBe(201)
    expectError(yield* send(owner, "ada@example.com"), 400, "RECIPIENT_NOT_ALLOWED", {
      address: "ada@example.com",
    })
  }),
  virtual(
    "drafts.review.order",
    "a refusal before a draft, and a draft before what is asked with the approval",
    function* () {
      const { pretend, relay } = yield* Virtual
      const owner = yield* agent("active")
      yield* owner.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body: { outboundPolicy: "review" } })
      yield* suppress(owner, BOB)
      yield* owner.call("POST /v1/lists/send/block", { body: { entry: "@blocked.dev" } })
      const ada = "ada@partner.dev"
      for (const [body, status, code] of [
        [{ to: ["ada@example.com"] }, 400, "RECIPIENT_NOT_ALLOWED"],
        [{ to: ["eve@blocked.dev"] }, 400, "RECIPIENT_BLOCKED"],
        [{ to: [BOB] }, 400, "RECIPIENT_SUPPRESSED"],
        [{ to: [ada], attachments: [ABSENT] }, 400, "ATTACHMENT_NOT_FOUND"],
        [{ to: [ada], attachments: [tooLarge] }, 413, "SIZE_EXCEEDED"],
      ] as const)
        expectWithin(yield* send(owner, ada, body), status, { code })
      expectWithin(yield* owner.call("GET /v1/reviews"), 200, { drafts: [] })

      yield* pretend(owner.email, { sendsToday: 500, sendsThisMonth: 15_000 })
      yield* relay.reachable(false)
      yield* relay.answer(ada, "550 5.1.1 no such user")
      for (const number of [1, 2])
        expectWithin(yield* send(owner, ada, { subject: `${number}` }), 202, {
          draft: { status: "PENDING_REVIEW" },
        })
      yield* pause(owner)
      expectError(yield* send(owner, ada), 400, "MAILBOX_NOT_ACTIVE")
    },
    { sendVelocityPerMinute: 1 },
  ),
]
