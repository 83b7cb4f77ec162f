/** Sending: the endpoint, and the send rules. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  listMessages,
  newMailbox,
  pay,
  receive,
  scopedKey,
  send,
  sendBody,
  suppress,
  upload,
} from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import {
  ABSENT,
  anyId,
  anyText,
  anyTime,
  expectAnswer,
  expectError,
  expectInvalid,
  expectPayment,
  expectWithin,
  UPGRADE_HINT,
} from "../expectations.js"
import { BOB, MB } from "../values.js"

/** Checks that nothing was sent, stored or counted. */
const expectUnsent = (owner: Agent) =>
  Effect.gen(function* () {
    const listed = yield* listMessages(owner, "?direction=OUTBOUND")
    expect(listAt(listed.json, "messages")).toEqual([])
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { sentToday: 0, sentThisMonth: 0 } })
  })

export const sending: Part = [
  row("messages.send.201", "the answer is the message as it is stored", function* () {
    const owner = yield* agent("active")
    const sent = yield* send(owner, BOB)
    const message = {
      id: anyId,
      mailboxId: owner.mailboxId,
      direction: "OUTBOUND",
      deliveredTo: null,
      messageId: expect.stringMatching(new RegExp(`^<[^@>]+@${owner.slug}\\.mailroom\\.localhost>$`)),
      inReplyTo: null,
      references: [],
      threadId: anyId,
      fromAddress: owner.address,
      fromName: null,
      toAddresses: [BOB],
      ccAddresses: [],
      bccAddresses: [],
      replyTo: null,
      subject: "Hello",
      bodyText: "How are you?",
      bodyHtml: null,
      extractedText: null,
      headers: expect.any(Object),
      status: "SENT",
      hasAttachments: false,
      attachmentsDropped: false,
      attachmentsDroppedReason: null,
      overLimit: false,
      automated: false,
      authentication: null,
      codes: [],
      calendar: null,
      trust: null,
      spam: null,
      claim: null,
      quarantined: null,
      links: [],
      labels: [],
      readAt: null,
      createdAt: anyTime,
      sentAt: anyTime,
      receivedAt: null,
      attachments: [],
    }
    expectAnswer(sent, 201, { message })
    const path = `/v1/mailboxes/${owner.mailboxId}/messages/${textAt(sent.json, "message.id")}`
    expectAnswer(yield* owner.call(`GET ${path}`), 200, sent.json)
  }),
  row("messages.send.attachments", "an uploaded file goes out with the mail", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const file = yield* upload(owner, "figures.csv", "a;b", "text/csv")
    const to = `to-${owner.slug}@partner.dev`
    const id = textAt(file.json, "id")
    expectWithin(yield* send(owner, to, { attachments: [id] }), 201, {
      message: { hasAttachments: true, attachments: [{ id, filename: "figures.csv", sizeBytes: 3 }] },
    })
    expect((yield* outbox(to))[0]?.attachments).toEqual([
      { filename: "figures.csv", contentType: "text/csv", sizeBytes: 3 },
    ])
  }),
  row(
    "messages.send.400",
    "what is missing or malformed is refused by name, and nothing is sent",
    function* () {
      const owner = yield* agent("active")
      for (const [path, change] of [
        ["to", { to: undefined }],
        ["to", { to: [] }],
        ["to.0", { to: ["Bob <bob@partner.dev"] }],
        ["subject", { subject: undefined }],
        ["subject", { subject: "" }],
        ["bodyText", { bodyText: undefined }],
        ["attachments.0", { attachments: ["file"] }],
      ] as const)
        expectInvalid(yield* send(owner, BOB, change), path)
      yield* expectUnsent(owner)
    },
  ),
  row("messages.send.401", "without a key nothing is sent", function* () {
    const { call } = yield* World
    const { mailboxId } = yield* agent("active")
    const target = `POST /v1/mailboxes/${mailboxId}/messages`
    expectError(yield* call(target, { body: sendBody(BOB) }), 401, "UNAUTHORIZED")
  }),
  row("messages.send.402", "with a spent trial nothing is sent, not even to the owner", function* () {
    const owner = yield* agent("payment_required")
    expectPayment(yield* send(owner, owner.email))
  }),
  row("messages.send.403", "before verification nothing is sent, not even to the owner", function* () {
    const owner = yield* agent()
    expectError(yield* send(owner, owner.email), 403, "EMAIL_NOT_VERIFIED")
    yield* expectUnsent(owner)
  }),
  row("messages.send.404", "absent, foreign and malformed mailboxes are not there", function* () {
    const owner = yield* agent("active")
    const other = yield* agent("active")
    for (const mailboxId of [ABSENT, other.mailboxId, "not-an-id"])
      expectError(yield* send({ ...owner, mailboxId }, BOB), 404, "MAILBOX_NOT_FOUND")
    yield* expectUnsent(other)
  }),
  // By a virtual clock: on a busy machine, 61 sends over sockets take longer than a minute.
  virtual(
    ["messages.send.429", "messages.send.rule-2-velocity", "messages.send.rule-5-velocity"],
    "the 61st of a minute is refused, with nothing to buy",
    function* () {
      const owner = yield* agent("active")
      const answers = yield* Effect.replicateEffect(send(owner, BOB), 61)
      expect(answers.slice(0, 60).map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 201))
      for (const answer of answers.slice(60)) expectError(answer, 429, "SEND_VELOCITY_EXCEEDED")
    },
  ),
  virtual("messages.send.500", "a fault inside tells nothing of itself", function* () {
    const owner = yield* agent("active")
    yield* (yield* Virtual).fail("code")
    expectAnswer(yield* send(owner, BOB), 500, { error: "Internal error", code: "INTERNAL_ERROR" })
  }),

  virtual(
    "messages.send.rule-1",
    "with the provider away there is no 201; with it there is, and the mail",
    function* () {
      const { relay } = yield* Virtual
      const { outbox } = yield* World
      const owner = yield* agent("active")
      yield* relay.reachable(false)
      expectError(yield* send(owner, BOB), 503, "RELAY_UNAVAILABLE")
      expect(yield* outbox(BOB)).toEqual([])
      yield* relay.reachable(true)
      expect((yield* send(owner, BOB)).status).toBe(201)
      expect(yield* outbox(BOB)).toHaveLength(1)
      expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { sentToday: 1 } })
    },
  ),
  row("messages.send.rule-2-verification", "an owner who paid and did not verify", function* () {
    const owner = yield* agent()
    yield* pay(owner)
    expectError(yield* send(owner, BOB), 403, "EMAIL_NOT_VERIFIED")
  }),
  row("messages.send.rule-2-suppression", "to one among others, in cc and in bcc too", function* () {
    const owner = yield* agent("active")
    yield* suppress(owner, BOB)
    for (const [to, more] of [
      [BOB, {}],
      ["ada@partner.dev", { cc: [BOB] }],
      ["ada@partner.dev", { bcc: [BOB] }],
    ] as const)
      expectError(yield* send(owner, to, more), 400, "RECIPIENT_SUPPRESSED", { address: BOB })
    yield* expectUnsent(owner)
  }),
  row("messages.send.rule-2-trial", "another recipient, and the 11th send", function* () {
    const owner = yield* agent("trial")
    expectPayment(yield* send(owner, BOB), "TRIAL_RECIPIENT_LOCKED")
    for (let sent = 0; sent < 10; sent++) expect((yield* send(owner, owner.email)).status).toBe(201)
    expectPayment(yield* send(owner, owner.email))
  }),
  row("messages.send.rule-2-attachments", "a file of another account is not there", function* () {
    const owner = yield* agent("active")
    const file = yield* upload(yield* agent(), "secret.txt", "secret")
    const attachments = [textAt(file.json, "id")]
    expectError(yield* send(owner, BOB, { attachments }), 400, "ATTACHMENT_NOT_FOUND")
  }),

  row("messages.send.rule-3-inactive", "a paused mailbox", function* () {
    const owner = yield* agent("active")
    yield* owner.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body: { status: "paused" } })
    expectError(yield* send(owner, BOB), 400, "MAILBOX_NOT_ACTIVE")
  }),
  row("messages.send.rule-3-disposable", "an address at a throw-away service, by name", function* () {
    const owner = yield* agent("active")
    for (const address of ["ada@mailinator.com", "ada@sub.yopmail.com"])
      expectError(yield* send(owner, address), 400, "RECIPIENT_NOT_ALLOWED", { address })
    yield* expectUnsent(owner)
  }),
  row("messages.send.rule-3-test-domain", "an address at a test domain, by name", function* () {
    const owner = yield* agent("active")
    for (const address of ["ada@example.com", "ada@shop.test"])
      expectError(yield* send(owner, address), 400, "RECIPIENT_NOT_ALLOWED", { address })
    yield* expectUnsent(owner)
  }),
  row("messages.send.rule-3-suppressed", "however it is written, on its own account's list", function* () {
    const [owner, other] = [yield* agent("active"), yield* agent("active")]
    yield* suppress(owner, BOB)
    expectError(yield* send(owner, "BOB@Partner.dev"), 400, "RECIPIENT_SUPPRESSED", { address: BOB })
    expect((yield* send(other, BOB)).status).toBe(201)
  }),
  row("messages.send.rule-3-attachment", "an id that no file has", function* () {
    const owner = yield* agent("active")
    expectError(yield* send(owner, BOB, { attachments: [ABSENT] }), 400, "ATTACHMENT_NOT_FOUND")
    yield* expectUnsent(owner)
  }),
  virtual("messages.send.rule-3-provider", "a recipient whom the provider refuses", function* () {
    const { relay } = yield* Virtual
    const owner = yield* agent("active")
    yield* relay.answer(BOB, "550 5.1.1 no such user")
    const refused = yield* send(owner, BOB)
    expectError(refused, 400, "RELAY_REFUSED")
    expect(valueAt(refused.json, "error")).toContain(BOB)
    yield* expectUnsent(owner)
  }),
  row("messages.send.rule-3-schema", "a body that is no JSON, and one that is no object", function* () {
    const owner = yield* agent("active")
    const target = `POST /v1/mailboxes/${owner.mailboxId}/messages`
    for (const body of ["{", "[]", '"text"'])
      expectWithin(yield* owner.call(target, { body }), 400, { error: anyText, code: "VALIDATION_FAILED" })
  }),

  row("messages.send.rule-4-unverified", "to whomever", function* () {
    const owner = yield* agent()
    for (const to of [BOB, owner.email]) expectError(yield* send(owner, to), 403, "EMAIL_NOT_VERIFIED")
  }),
  row("messages.send.rule-4-scope", "from its own it does, from another it does not", function* () {
    const owner = yield* agent("active")
    const second = yield* newMailbox(owner, "second")
    const { call } = yield* scopedKey(owner)
    expect((yield* send({ ...owner, call }, BOB)).status).toBe(201)
    expectError(yield* send({ ...owner, call, mailboxId: second.id }, BOB), 404, "MAILBOX_NOT_FOUND")
  }),

  virtual(
    ["messages.send.rule-2-daily", "messages.send.rule-5-daily", "errors.scenario.daily"],
    "the 501st of the day on Developer, with the way to more",
    function* () {
      const owner = yield* agent("active")
      yield* (yield* Virtual).pretend(owner.email, { sendsToday: 499 })
      expect((yield* send(owner, BOB)).status).toBe(201)
      expectError(yield* send(owner, BOB), 429, "DAILY_SEND_LIMIT_REACHED", { upgrade: UPGRADE_HINT })
    },
  ),
  virtual(
    [
      "messages.send.rule-2-monthly",
      "messages.send.rule-5-monthly",
      "errors.scenario.monthly",
      "limits.send.429-month",
    ],
    "the 15,001st of the month on Developer, with the way to more",
    function* () {
      const owner = yield* agent("active")
      yield* (yield* Virtual).pretend(owner.email, { sendsThisMonth: 14_999 })
      expect((yield* send(owner, BOB)).status).toBe(201)
      expectError(yield* send(owner, BOB), 429, "MONTHLY_SEND_LIMIT_REACHED", { upgrade: UPGRADE_HINT })
    },
  ),

  row(
    ["messages.send.rule-6-attachment", "decisions.sizes.attachment"],
    "one byte above 25 MB inside the body",
    function* () {
      const owner = yield* agent("active")
      const content = Buffer.alloc(25 * MB + 1, "x").toString("base64")
      const attachments = [{ filename: "big.bin", contentType: "application/octet-stream", content }]
      expectError(yield* send(owner, BOB, { attachments }), 413, "SIZE_EXCEEDED")
      yield* expectUnsent(owner)
    },
  ),
  row(
    ["messages.send.rule-6-message", "decisions.sizes.message"],
    "25 MB of files and 7 MB of text encode to more than 40 MB",
    function* () {
      const owner = yield* agent("active")
      const file = yield* upload(owner, "big.bin", new Uint8Array(25 * MB))
      const more = { attachments: [textAt(file.json, "id")], bodyText: "x\n".repeat(3.5 * MB) }
      expectError(yield* send(owner, BOB, more), 413, "SIZE_EXCEEDED")
      yield* expectUnsent(owner)
    },
  ),

  row("messages.send.rule-7", "by our id and by the RFC's, the reply is in the thread", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    yield* receive(owner, [{ messageId: "<question@sender.dev>", subject: "A question" }])
    const asked = (yield* listMessages(owner)).json
    const to = `to-${owner.slug}@partner.dev`
    for (const inReplyTo of [textAt(asked, "messages.0.id"), "<question@sender.dev>"])
      expectWithin(yield* send(owner, to, { inReplyTo }), 201, {
        message: { threadId: valueAt(asked, "messages.0.threadId"), inReplyTo: "<question@sender.dev>" },
      })
    const [mail] = yield* outbox(to)
    expect(mail?.headers["in-reply-to"]).toContain("<question@sender.dev>")
  }),
  row("messages.send.rule-7-automatic", "the answer to a sent mail is in its thread", function* () {
    const owner = yield* agent("active")
    const sent = yield* send(owner, BOB)
    yield* receive(owner, [{ from: BOB, inReplyTo: textAt(sent.json, "message.messageId") }])
    const listed = yield* listMessages(owner, "?direction=INBOUND")
    expect(valueAt(listed.json, "messages.0.threadId")).toBe(valueAt(sent.json, "message.threadId"))
  }),
]
