/** Submission by SMTP. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  accountOf,
  type Agent,
  agent,
  listMessages,
  newKey,
  newMailbox,
  receive,
  scopedKey,
  suppress,
} from "../../src/agents.js"
import { listAt, numberAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row, virtual, wire } from "../../src/Row.js"
import { type Submitted, Virtual, Wire, World } from "../../src/World.js"
import { expectWithin } from "../expectations.js"
import { BOB, MB } from "../values.js"

/** A mail of these header lines. */
const lines = (...header: ReadonlyArray<string>): string => [...header, "", "How are you?", ""].join("\r\n")

/** A mail from the agent's mailbox to Bob, with more header lines. */
const mailOf = ({ address }: Agent, ...header: ReadonlyArray<string>): string =>
  lines(`From: Agent <${address}>`, `To: Bob <${BOB}>`, "Subject: Hello", ...header)

const submit = (owner: Agent, raw = mailOf(owner), over: Partial<Submitted> = {}) =>
  Effect.flatMap(World, (world) =>
    world.submit({ user: owner.address, key: owner.key, to: [BOB], raw, ...over }),
  )

const SENT = /^250 2\.0\.0 sent as ([0-9a-f-]{36})$/
const HELD = /^250 2\.0\.0 queued for review as ([0-9a-f-]{36})$/

/** The id in a reply. */
const idIn = (reply: string): string => (SENT.exec(reply) ?? HELD.exec(reply))?.[1] ?? reply

/** The message of a submission, as its single read shows it. */
const messageOf = (owner: Agent, reply: string) =>
  Effect.map(owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages/${idIn(reply)}`), ({ json }) =>
    valueAt(json, "message"),
  )

/** The mail of a submission, as it was sent. */
const rawOf = (owner: Agent, reply: string) =>
  Effect.map(
    owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages/${idIn(reply)}/raw`),
    ({ text }) => text,
  )

const sentToday = (owner: Agent) => Effect.map(accountOf(owner), (account) => numberAt(account, "sentToday"))

const policy = (owner: Agent, outboundPolicy: string) =>
  owner.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body: { outboundPolicy } })

const withId = (owner: Agent, ...more: ReadonlyArray<string>) =>
  mailOf(owner, "Message-ID: <one@client.example>", ...more)

export const submission: Part = [
  wire("submission.auth", "with and without an initial response", function* () {
    const owner = yield* agent("active")
    const { submission: open } = yield* Wire
    const base64 = (text: string) => Buffer.from(text).toString("base64")
    const ways = [
      [`AUTH PLAIN ${base64(`\0${owner.address}\0${owner.key}`)}`],
      ["AUTH PLAIN", base64(`\0${owner.address}\0${owner.key}`)],
      ["AUTH LOGIN", base64(owner.address), base64(owner.key)],
    ]
    for (const way of ways) {
      const client = yield* open
      expect(yield* client.say("EHLO client.example")).toContain("AUTH PLAIN LOGIN")
      const replies = yield* Effect.forEach(way, client.say)
      expect(replies.at(-1)).toMatch(/^235 2\.7\.0/)
      expect(yield* client.say(`MAIL FROM:<${owner.address}>`)).toMatch(/^250/)
    }
  }),
  wire("submission.auth.first", "nothing is read before", function* () {
    const client = yield* (yield* Wire).submission
    expect(yield* client.say(`MAIL FROM:<${BOB}>`)).toMatch(/^530 5\.7\.0/)
    expect(yield* client.say("DATA")).toMatch(/^503/)
  }),
  row("submission.auth.535", "of another account, out of scope, unknown, wrong", function* () {
    const owner = yield* agent("active")
    const other = yield* agent("active")
    const second = yield* newMailbox(owner, "second")
    const { key } = yield* scopedKey(owner)
    const refused = [
      yield* submit(owner, undefined, { key: "mr_wrong" }),
      yield* submit(owner, undefined, { user: other.address }),
      yield* submit(owner, undefined, { user: second.address, key }),
      yield* submit(owner, undefined, { user: `nobody@${owner.slug}.example` }),
    ]
    expect(refused).toEqual(refused.map(() => expect.stringMatching(/^535 5\.7\.8 /)))
    expect(new Set(refused).size).toBe(1)
    expect(yield* submit(owner, undefined, { key })).toMatch(SENT)
  }),
  row("submission.auth.permission", "of a key that may write drafts", function* () {
    const owner = yield* agent("active")
    const made = yield* owner.call("POST /v1/api-keys", { body: { name: "d", permissions: "draftOnly" } })
    expect(yield* submit(owner, undefined, { key: textAt(made.json, "key") })).toBe(
      "550 5.7.1 This API key lacks the permission for this: send",
    )
  }),
  row("submission.auth.revoked", "at the next mail", function* () {
    const owner = yield* agent("active")
    const { id, key } = yield* newKey(owner)
    expect(yield* submit(owner, undefined, { key })).toMatch(SENT)
    yield* owner.call(`DELETE /v1/api-keys/${id}`)
    expect(yield* submit(owner, undefined, { key })).toMatch(/^535 /)
  }),

  row("submission.from", "another, two, none, another Sender", function* () {
    const owner = yield* agent("active")
    const from = `From: ${owner.address}`
    for (const header of [
      ["From: eve@elsewhere.org"],
      [`${from}, eve@elsewhere.org`],
      [from, "From: eve@elsewhere.org"],
      ["Subject: nobody"],
      [from, "Sender: eve@elsewhere.org"],
    ])
      expect(yield* submit(owner, lines(...header))).toMatch(/^550 5\.7\.1 /)
    expect(yield* submit(owner, lines(from, `Sender: ${owner.address}`))).toMatch(SENT)
  }),
  row("submission.mail-from", "another one, and the null return path", function* () {
    const owner = yield* agent("active")
    expect(yield* submit(owner, undefined, { from: "eve@elsewhere.org" })).toMatch(/^550 5\.7\.1 /)
    expect(yield* submit(owner, undefined, { from: "" })).toMatch(SENT)
  }),
  row("submission.record", "message, event, counters, signature", function* () {
    const owner = yield* agent("active")
    const reply = yield* submit(owner)
    expect(yield* messageOf(owner, reply)).toMatchObject({
      status: "SENT",
      direction: "OUTBOUND",
      fromAddress: owner.address,
      fromName: "Agent",
      toAddresses: [BOB],
      subject: "Hello",
    })
    const log = yield* owner.call("GET /v1/events/log")
    expect(listAt(log.json, "events")).toContainEqual(
      expect.objectContaining({
        event: "message.sent",
        data: expect.objectContaining({ message_id: idIn(reply) }),
      }),
    )
    expect(yield* sentToday(owner)).toBe(1)
    expect(yield* rawOf(owner, reply)).toMatch(/^DKIM-Signature: /m)
  }),
  row("submission.recipients", "of To, of Cc, of none, and one that is only in To", function* () {
    const owner = yield* agent("active")
    const [carol, dan, erin] = ["carol", "dan", "erin"].map((name) => `${name}-${owner.slug}@partner.dev`)
    const raw = lines(
      `From: ${owner.address}`,
      `To: Bob <${BOB}>, ${erin}`,
      `Cc: ${carol}`,
      `Bcc: ${dan}`,
      "Subject: Copies",
    )
    const reply = yield* submit(owner, raw, { to: [BOB, carol ?? "", dan ?? ""] })
    expect(yield* messageOf(owner, reply)).toMatchObject({
      toAddresses: [BOB],
      ccAddresses: [carol],
      bccAddresses: [dan],
    })
    const { outbox } = yield* World
    const [copy] = yield* outbox(dan ?? "")
    expect(copy?.headers).toMatchObject({ subject: "Copies" })
    expect(copy?.headers["bcc"]).toBeUndefined()
    expect(String(copy?.headers["to"])).toContain(erin)
    expect(yield* outbox(erin ?? "")).toEqual([])
  }),
  row("submission.body", "a signed mail with trailing spaces and an epilogue", function* () {
    const owner = yield* agent("active")
    const body = "--s\r\nContent-Type: text/plain\r\n\r\nsigned   \r\n--s--\r\nepilogue\r\n"
    const type = 'Content-Type: multipart/signed; boundary="s";\r\n protocol="application/pgp-signature"'
    const reply = yield* submit(owner, mailOf(owner, type).replace("How are you?\r\n", body))
    const raw = yield* rawOf(owner, reply)
    expect(raw.slice(raw.indexOf("\r\n\r\n") + 4)).toBe(body)
    expect(raw).toContain(`${type}\r\n`)
  }),
  row("submission.headers", "of the client, of its provider, of other servers", function* () {
    const owner = yield* agent("active")
    const kept = ["X-Custom-Run: 7", "User-Agent: client", "X-Priority: 1"]
    const dropped = [
      "Received: from a by b",
      "DKIM-Signature: v=1",
      "X-SES-SOURCE-ARN: a",
      "Return-Path: <a@b.org>",
    ]
    const raw = yield* rawOf(
      owner,
      yield* submit(owner, mailOf(owner, ...kept, ...dropped, "Date: yesterday")),
    )
    for (const line of kept) expect(raw).toContain(`${line}\r\n`)
    for (const line of [...dropped, "Date: yesterday"]) expect(raw).not.toContain(`${line}\r\n`)
    expect(raw.match(/^Date: /gm)).toHaveLength(1)
  }),
  row("submission.ids", "an answer to a message that arrived", function* () {
    const owner = yield* agent("active")
    yield* receive(owner, [{ messageId: "<asked@sender.dev>", subject: "Question" }])
    const list = yield* listMessages(owner)
    const answer = mailOf(owner, "In-Reply-To: <asked@sender.dev>", "Message-ID: <answer@client.example>")
    expect(yield* messageOf(owner, yield* submit(owner, answer))).toMatchObject({
      messageId: "<answer@client.example>",
      inReplyTo: "<asked@sender.dev>",
      threadId: textAt(list.json, "messages.0.threadId"),
    })
  }),
  row("submission.empty", "a header with From alone", function* () {
    const owner = yield* agent("active")
    const reply = yield* submit(owner, `From: ${owner.address}\r\n\r\n`)
    expect(yield* messageOf(owner, reply)).toMatchObject({
      subject: "",
      toAddresses: [],
      bccAddresses: [BOB],
    })
  }),
  row("submission.554", "in the header and in the body", function* () {
    const owner = yield* agent("active")
    for (const raw of [
      mailOf(owner, "Content-Type: text/plain", "Content-Type: text/html"),
      mailOf(owner, "Content-Transfer-Encoding: 7bit", "Content-Transfer-Encoding: base64"),
      `${mailOf(owner)}a\0b\r\n`,
    ])
      expect(yield* submit(owner, raw)).toMatch(/^554 5\.6\.0 /)
  }),
  row("submission.sizes", "a header of 300 kB, 21 files, and files of 26 MB", function* () {
    const owner = yield* agent("active")
    const filler = Array.from({ length: 3000 }, (_, index) => `X-Filler-${index}: ${"a".repeat(90)}`)
    expect(yield* submit(owner, mailOf(owner, ...filler))).toMatch(/^552 5\.3\.4 /)
    const withFiles = (count: number, size: number) =>
      mailOf(owner, "Content-Type: multipart/mixed; boundary=b").replace(
        "How are you?\r\n",
        `${Array.from(
          { length: count },
          (_, index) =>
            `--b\r\nContent-Type: application/octet-stream; name="${index}.bin"\r\n\r\n${`${"a".repeat(76)}\r\n`.repeat(size / 78)}`,
        ).join("")}--b--\r\n`,
      )
    expect(yield* submit(owner, withFiles(21, 78))).toMatch(/^552 5\.3\.4 /)
    expect(yield* submit(owner, withFiles(2, 13 * MB))).toMatch(/^552 5\.3\.4 /)
    expect(yield* submit(owner, withFiles(20, 78))).toMatch(SENT)
  }),

  row("submission.recipient", "suppressed, of a test domain, not an address", function* () {
    const owner = yield* agent("active")
    const gone = `gone-${owner.slug}@partner.dev`
    yield* suppress(owner, gone)
    expect(yield* submit(owner, undefined, { to: [gone] })).toMatch(/^550 5\.1\.1 /)
    expect(yield* submit(owner, undefined, { to: ["someone@example.com"] })).toMatch(/^550 5\.1\.2 /)
    expect(yield* submit(owner, undefined, { to: ["postmaster"] })).toMatch(/^501 5\.1\.3 /)
    const reply = yield* submit(owner, undefined, { to: [BOB, gone] })
    expect(yield* messageOf(owner, reply)).toMatchObject({ toAddresses: [BOB], bccAddresses: [] })
  }),
  row("submission.trial", "and not at all before the verification", function* () {
    const owner = yield* agent("trial")
    expect(yield* submit(owner)).toMatch(/^550 5\.7\.1 During the trial/)
    expect(yield* submit(owner, undefined, { to: [owner.email] })).toMatch(SENT)
    const fresh = yield* agent("unverified")
    expect(yield* submit(fresh, undefined, { to: [fresh.email] })).toMatch(/^550 5\.7\.1 /)
  }),
  virtual("submission.quota", "each at its limit", function* () {
    const { pretend } = yield* Virtual
    const owner = yield* agent("active")
    yield* Effect.forEach(Array.from({ length: 60 }), () => submit(owner), { discard: true })
    expect(yield* submit(owner)).toMatch(
      /^452 4\.7\.1 The mailbox sends 60 mails a minute\. Try again in \d+ s$/,
    )
    const daily = yield* agent("active")
    yield* pretend(daily.email, { sendsToday: 500 })
    expect(yield* submit(daily)).toMatch(/^452 4\.7\.1 The mailbox sends 500 mails a day/)
    const monthly = yield* agent("active")
    yield* pretend(monthly.email, { sendsThisMonth: 15_000 })
    expect(yield* submit(monthly)).toMatch(/^550 5\.7\.1 The mailbox sends 15000 mails a month/)
  }),
  virtual("submission.storage", "with a file more", function* () {
    const owner = yield* agent("active")
    yield* (yield* Virtual).pretend(owner.email, { storageUsedBytes: 10 * 1024 * MB })
    const file = mailOf(owner, 'Content-Type: application/octet-stream; name="a.bin"')
    expect(yield* submit(owner, file)).toMatch(/^552 5\.2\.2 /)
  }),
  virtual("submission.relay", "away, and refusing", function* () {
    const { relay } = yield* Virtual
    const owner = yield* agent("active")
    yield* relay.reachable(false)
    expect(yield* submit(owner)).toMatch(/^451 4\.4\.1 /)
    yield* relay.reachable(true)
    yield* relay.answer(BOB, "550 5.1.1 no such user")
    expect(yield* submit(owner)).toMatch(/^550 5\.1\.1 /)
    expect(yield* sentToday(owner)).toBe(0)
  }),

  row("submission.review", "with the bytes of the client", function* () {
    const owner = yield* agent("active")
    yield* policy(owner, "review")
    const body = "trailing spaces   \r\n"
    const reply = yield* submit(owner, mailOf(owner).replace("How are you?\r\n", body))
    expect(reply).toMatch(HELD)
    const read = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/drafts/${idIn(reply)}`)
    expectWithin(read, 200, {
      draft: {
        status: "PENDING_REVIEW",
        to: [`"Bob" <${BOB}>`],
        submitted: { contentType: "message/rfc822" },
      },
    })
    const digest = textAt(read.json, "draft.digest")
    yield* owner.call(`POST /v1/reviews/${idIn(reply)}/approve`, { body: { digest } })
    const raw = yield* rawOf(owner, reply)
    expect(raw.slice(raw.indexOf("\r\n\r\n") + 4)).toBe(body)
  }),
  row("submission.review.changed", "by the approver", function* () {
    const owner = yield* agent("active")
    yield* policy(owner, "review")
    const reply = yield* submit(owner)
    const read = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/drafts/${idIn(reply)}`)
    const body = { digest: textAt(read.json, "draft.digest"), edits: { bodyText: "Edited." } }
    yield* owner.call(`POST /v1/reviews/${idIn(reply)}/approve`, { body })
    expect(yield* messageOf(owner, reply)).toMatchObject({ bodyText: "Edited." })
    expect(yield* rawOf(owner, reply)).toMatch(/\r\n\r\nEdited\./)
  }),

  row("submission.repeat", "with another Date, and after a hold", function* () {
    const owner = yield* agent("active")
    const first = yield* submit(owner, withId(owner, "Date: Tue, 10 Mar 2026 09:00:00 +0000"))
    expect(first).toMatch(SENT)
    expect(yield* submit(owner, withId(owner, "Date: Tue, 10 Mar 2026 09:00:09 +0000"))).toBe(first)
    expect(yield* sentToday(owner)).toBe(1)
    yield* policy(owner, "review")
    const held = mailOf(owner, "Message-ID: <two@client.example>")
    const reply = yield* submit(owner, held)
    expect([reply, yield* submit(owner, held)]).toEqual([expect.stringMatching(HELD), reply])
  }),
  row("submission.repeat.554", "and to other recipients it is another mail", function* () {
    const owner = yield* agent("active")
    yield* submit(owner, withId(owner))
    expect(yield* submit(owner, withId(owner).replace("How are you?", "Who are you?"))).toMatch(
      /^554 5\.6\.0 /,
    )
    const other = { to: [`carol-${owner.slug}@partner.dev`] }
    expect(yield* submit(owner, withId(owner), other)).toMatch(SENT)
  }),
  row("submission.repeat.refused", "after its reason has ended", function* () {
    const owner = yield* agent("active")
    yield* owner.call("PATCH /v1/account", { body: { sendingPaused: true } })
    expect(yield* submit(owner, withId(owner))).toMatch(/^550 5\.7\.1 /)
    yield* owner.call("PATCH /v1/account", { body: { sendingPaused: false } })
    expect(yield* submit(owner, withId(owner))).toMatch(SENT)
  }),
  virtual("submission.repeat.unknown", "since the relay never answered", function* () {
    const owner = yield* agent("active")
    const { relay } = yield* Virtual
    yield* relay.loseAnswers
    expect(yield* submit(owner, withId(owner))).toMatch(/^451 4\.4\.2 /)
    expect(yield* submit(owner, withId(owner))).toMatch(/^554 5\.4\.2 /)
    expect(yield* submit(owner)).toMatch(/^554 5\.4\.2 /)
  }),
]
