/** Submission: who may send, what is sent, and what is stored (docs/specification/submission.md). */
import { describe, expect } from "@effect/vitest"
import { HOUR, MINUTE } from "@mailroom/domain"
import { ApiKeys } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Effect, TestClock } from "effect"
import { changeMailbox, suppress, suspendAccount } from "./support/changes.js"
import { pause } from "./support/drafts.js"
import { rule } from "./support/mailroom.js"
import { lastMailTo, mailsTo, outbox } from "./support/outbox.js"
import { as, type Owner, paying, unverified, verified } from "./support/owners.js"
import { accountOf, arrival, eventsOf, listed, newest, threadsOf } from "./support/reading.js"
import { RECIPIENT } from "./support/sends.js"
import { aMail, begin, idIn, mailText, signIn, submit, toRecipient } from "./support/submissions.js"

type Wanted = Parameters<(typeof ApiKeys)["Service"]["create"]>[1]

const newKey = (owner: Owner, over: Partial<Wanted> = {}) =>
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const { key, record } = yield* keys.create(yield* as(owner), { name: "key", mailboxIds: null, ...over })
    return { id: record.id, owner: { ...owner, key } }
  })

const WRONG = "535 5.7.8 The mailbox address or the API key is wrong, or the key was revoked"

describe("signing in", () => {
  rule(
    "needs the address of a mailbox and a key that may use it; the refusal never tells which is missing",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      expect(yield* signIn({ ...owner, address: owner.address.toUpperCase() })).toMatchObject({
        address: owner.address,
        mailboxId: owner.mailboxId,
      })
      const refused = [
        { ...owner, key: "mr_wrong" },
        { ...owner, key: "" },
        { ...owner, address: other.address },
        { ...owner, address: "nobody@acme.mailroom.localhost" },
        { ...owner, address: "not an address" },
      ]
      for (const one of refused) expect(yield* Effect.flip(signIn(one))).toBe(WRONG)
    }),
  )

  rule(
    "is refused to a scoped key for another mailbox, and a revoked key ends at the next mail",
    Effect.gen(function* () {
      const owner = yield* paying()
      const scoped = yield* newKey(owner, { mailboxIds: [owner.mailboxId] })
      const submitter = yield* signIn(scoped.owner)
      yield* begin(submitter)
      const keys = yield* ApiKeys
      yield* keys.revoke(yield* as(owner), scoped.id)
      expect(yield* Effect.flip(begin(submitter))).toBe(WRONG)
      expect(yield* Effect.flip(signIn(scoped.owner))).toBe(WRONG)
    }),
  )
})

describe("MAIL FROM", () => {
  rule(
    "is the mailbox or empty, of a key that may send, on an account that may",
    Effect.gen(function* () {
      const owner = yield* paying()
      const submitter = yield* signIn(owner)
      yield* begin(submitter, "")
      yield* begin(submitter, owner.address.toUpperCase())
      expect(yield* Effect.flip(begin(submitter, "eve@elsewhere.org"))).toMatch(
        /^550 5\.7\.1 MAIL FROM must be/,
      )
      const drafting = yield* newKey(owner, { permissions: "draftOnly" })
      expect(yield* Effect.flip(begin(yield* signIn(drafting.owner)))).toBe(
        "550 5.7.1 This API key lacks the permission for this: send",
      )
      yield* suspendAccount(owner)
      expect(yield* Effect.flip(begin(submitter))).toMatch(/^550 5\.7\.1 The account is suspended/)
    }),
  )
})

describe("RCPT TO", () => {
  rule(
    "is refused for an address that a gate refuses, and the others are accepted",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* suppress(owner, "gone@elsewhere.org")
      expect(yield* toRecipient(owner, RECIPIENT)).toBeNull()
      expect(yield* toRecipient(owner, "Gone@Elsewhere.org")).toMatch(
        /^550 5\.1\.1 gone@elsewhere\.org is on the/,
      )
      expect(yield* toRecipient(owner, "someone@example.com")).toMatch(/^550 5\.1\.2 /)
      expect(yield* toRecipient(owner, "postmaster")).toMatch(/^501 5\.1\.3 /)
    }),
  )

  rule(
    "of the trial is the owner alone, and of an owner who has not verified nobody",
    Effect.gen(function* () {
      const trial = yield* verified("trial")
      expect(yield* toRecipient(trial, trial.email)).toBeNull()
      expect(yield* toRecipient(trial, RECIPIENT)).toBe(
        `550 5.7.1 During the trial mail can only be sent to ${trial.email}`,
      )
      const fresh = yield* unverified("fresh")
      expect(yield* toRecipient(fresh, fresh.email)).toMatch(/^550 5\.7\.1 The account's owner has to verify/)
    }),
  )
})

describe("a submitted mail", () => {
  rule(
    "becomes a message as any send: record, event, quota and history",
    Effect.gen(function* () {
      const owner = yield* paying()
      const reply = yield* submit(
        owner,
        aMail(owner, ["Message-ID: <one@client.example>", "X-Custom-Run: 7", "Reply-To: desk@elsewhere.org"]),
      )
      expect(reply).toMatch(/^250 2\.0\.0 sent as [0-9a-f-]{36}$/)
      const message = yield* newest(owner)
      expect(message).toMatchObject({
        id: idIn(reply),
        status: "SENT",
        direction: "OUTBOUND",
        messageId: "<one@client.example>",
        fromAddress: owner.address,
        fromName: "Agent",
        toAddresses: [RECIPIENT],
        subject: "Hello",
      })
      const { mail, envelope } = yield* lastMailTo(RECIPIENT)
      expect(mail.headers).toMatchObject({ "x-custom-run": "7", "reply-to": "desk@elsewhere.org" })
      expect(mail.messageId).toBe("<one@client.example>")
      expect(envelope.from).toMatch(/^bounces\+/)
      expect((yield* eventsOf(owner)).at(-1)).toMatchObject({ event: "message.sent" })
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 1 })
    }),
  )

  rule(
    "goes to the recipients of the envelope: one that the header does not name is a blind copy, and Bcc is removed",
    Effect.gen(function* () {
      const owner = yield* paying()
      const mail = mailText([
        `From: ${owner.address}`,
        `To: Bob <${RECIPIENT}>, absent@elsewhere.org`,
        "Cc: carol@elsewhere.org",
        "Bcc: dan@elsewhere.org, erin@elsewhere.org",
        "Subject: Copies",
      ])
      yield* submit(owner, mail, [RECIPIENT, "carol@elsewhere.org", "dan@elsewhere.org"])
      expect(yield* newest(owner)).toMatchObject({
        toAddresses: [RECIPIENT],
        ccAddresses: ["carol@elsewhere.org"],
        bccAddresses: ["dan@elsewhere.org"],
      })
      const mails = (yield* outbox).filter(({ mail: { subject } }) => subject === "Copies")
      expect(mails.flatMap(({ envelope }) => envelope.to).sort()).toEqual([
        RECIPIENT,
        "carol@elsewhere.org",
        "dan@elsewhere.org",
      ])
      for (const { mail: sent, raw } of mails) {
        expect(sent.to.map(({ address }) => address)).toEqual([RECIPIENT, "absent@elsewhere.org"])
        expect(raw).not.toMatch(/bcc|dan@|erin@/i)
      }
    }),
  )

  rule(
    "keeps its body byte for byte, whatever its structure is, and no trace of other servers",
    Effect.gen(function* () {
      const owner = yield* paying()
      const body = [
        "--sig",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 8bit",
        "",
        "Gr\u00fc\u00dfe   ",
        "--sig",
        'Content-Type: application/pgp-signature; name="signature.asc"',
        "",
        "-----BEGIN PGP SIGNATURE-----",
        "--sig--",
        "epilogue",
        "",
      ].join("\r\n")
      const header = [
        "Received: from laptop by client; Tue, 10 Mar 2026 11:00:00 +0000",
        "DKIM-Signature: v=1; d=elsewhere.org",
        "Return-Path: <eve@elsewhere.org>",
        "X-SES-CONFIGURATION-SET: theirs",
        "Autocrypt: addr=a@b.example",
        "MIME-Version: 1.0",
        'Content-Type: multipart/signed; micalg=pgp-sha256;\r\n protocol="application/pgp-signature"; boundary=sig',
      ]
      yield* submit(owner, `${aMail(owner, header).replace(/\r\n\r\n[^]*$/, "\r\n\r\n")}${body}`)
      const relay = yield* MemoryRelay
      const [sent] = (yield* relay.sent).filter(({ envelope }) => envelope.to.includes(RECIPIENT))
      const raw = Buffer.from(sent?.raw ?? []).toString("latin1")
      const end = raw.indexOf("\r\n\r\n") + 4
      expect(raw.slice(end)).toBe(body)
      const head = raw.slice(0, end)
      expect(head).toContain(header[6])
      expect(head).toContain("Autocrypt: addr=a@b.example")
      expect(head.match(/^DKIM-Signature:/gim)).toHaveLength(1)
      expect(head).not.toMatch(/^(?:Received|Return-Path|X-SES)|elsewhere\.org; |d=elsewhere/im)
      expect(head.match(/^(?:From|Date|Message-ID|MIME-Version|Subject):/gim)).toHaveLength(5)
    }),
  )

  rule(
    "answers the message that it names, and may have no subject, no text and blind copies only",
    Effect.gen(function* () {
      const owner = yield* paying()
      const asked = yield* arrival(owner, { id: "<asked@elsewhere.org>", subject: "Question" })
      yield* submit(
        owner,
        aMail(owner, ["In-Reply-To: <asked@elsewhere.org>", "References: <asked@elsewhere.org>"]),
      )
      const answer = yield* newest(owner)
      expect(answer.threadId).toBe(asked.threadId)
      expect(answer.inReplyTo).toBe("<asked@elsewhere.org>")
      const bare = `From: ${owner.address}\r\n\r\n`
      expect(yield* submit(owner, bare, ["blind@elsewhere.org"])).toMatch(/^250 /)
      expect(yield* newest(owner)).toMatchObject({
        toAddresses: [],
        bccAddresses: ["blind@elsewhere.org"],
        subject: "",
      })
      expect((yield* lastMailTo("blind@elsewhere.org")).raw).not.toContain("blind")
    }),
  )

  rule(
    "in several transactions with one Message-ID is one conversation",
    Effect.gen(function* () {
      const owner = yield* paying()
      const mail = aMail(owner, ["Message-ID: <split@client.example>"])
      const replies = [
        yield* submit(owner, mail, [RECIPIENT]),
        yield* submit(owner, mail, ["blind@elsewhere.org"]),
      ]
      expect(new Set(replies.map(idIn)).size).toBe(2)
      expect((yield* threadsOf(owner)).threads).toHaveLength(1)
    }),
  )

  rule(
    "is refused when From is not the mailbox alone, or a reader could read it in two ways",
    Effect.gen(function* () {
      const owner = yield* paying()
      const from = `From: ${owner.address}`
      const refused: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [["From: eve@elsewhere.org"], /^550 5\.7\.1 From must be/],
        [[`${from}, eve@elsewhere.org`], /^550 5\.7\.1 From must be/],
        [[from, "From: eve@elsewhere.org"], /^550 5\.7\.1 From must be/],
        [["Subject: nobody"], /^550 5\.7\.1 From must be/],
        [[`From: "${owner.address}" <eve@elsewhere.org>`], /^550 5\.7\.1 From must be/],
        [[from, "Sender: eve@elsewhere.org"], /^550 5\.7\.1 Sender must be/],
        [[from, "Content-Type: text/plain", "Content-Type: text/html"], /^554 5\.6\.0 /],
        [[from, "Subject: a\0b"], /^554 5\.6\.0 The mail has a NUL byte/],
        [[from, `Subject: ${"a".repeat(999)}`], /^554 5\.6\.0 The subject/],
        [
          [from, ...Array.from({ length: 4000 }, (_, index) => `X-Filler-${index}: ${"a".repeat(80)}`)],
          /^552 5\.3\.4 /,
        ],
      ]
      for (const [header, reply] of refused) expect(yield* submit(owner, mailText(header))).toMatch(reply)
      expect(yield* listed(owner)).toEqual([])
      expect(yield* submit(owner, mailText([from, `Sender: ${owner.address}`]))).toMatch(/^250 /)
    }),
  )
})

describe("a refusal", () => {
  rule(
    "has the reply of its error, and nothing is stored or counted",
    Effect.gen(function* () {
      const owner = yield* paying()
      const relay = yield* MemoryRelay
      yield* relay.reachable(false)
      expect(yield* submit(owner)).toMatch(/^451 4\.4\.1 /)
      yield* relay.reachable(true)
      yield* relay.answer(RECIPIENT, "550 5.1.1 no such user")
      expect(yield* submit(owner)).toMatch(
        /^550 5\.1\.1 Refused for bob@elsewhere\.org: 550 5\.1\.1 no such user/,
      )
      yield* suppress(owner, "gone@elsewhere.org")
      expect(yield* submit(owner, aMail(owner), ["gone@elsewhere.org"])).toMatch(/^550 5\.1\.1 /)
      yield* pause(owner)
      expect(yield* submit(owner)).toMatch(/^550 5\.7\.1 The owner has paused all sends/)
      yield* pause(owner, false)
      yield* changeMailbox(owner, { status: "paused" })
      expect(yield* submit(owner)).toMatch(/^550 5\.2\.1 /)
      expect(yield* listed(owner)).toEqual([])
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 0 })
    }),
  )

  rule(
    "by a quota asks to try again while that helps",
    Effect.gen(function* () {
      const owner = yield* paying()
      const limit = 60
      for (let sent = 0; sent < limit; sent++) expect(yield* submit(owner)).toMatch(/^250 /)
      expect(yield* submit(owner)).toBe("452 4.7.1 The mailbox sends 60 mails a minute. Try again in 60 s")
      yield* TestClock.adjust(MINUTE)
      expect(yield* submit(owner)).toMatch(/^250 /)
    }),
  )
})

describe("a mail that comes again", () => {
  const withId = (owner: Owner, ...header: ReadonlyArray<string>) =>
    aMail(owner, ["Message-ID: <again@client.example>", ...header])

  rule(
    "with its Message-ID gets the first reply for a day, also with another key, and is sent once",
    Effect.gen(function* () {
      const owner = yield* paying()
      const first = yield* submit(owner, withId(owner, "Date: Tue, 10 Mar 2026 11:00:00 +0000"))
      const second = yield* newKey(owner)
      expect(yield* submit(second.owner, withId(owner, "Date: Tue, 10 Mar 2026 11:00:09 +0000"))).toBe(first)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
      expect(yield* submit(owner, withId(owner).replace("Good morning", "Good evening"))).toMatch(
        /^554 5\.6\.0 Another mail was sent with this Message-ID/,
      )
      yield* TestClock.adjust(25 * HOUR)
      expect(yield* submit(owner, withId(owner))).not.toBe(first)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(2)
    }),
  )

  rule(
    "after a refusal is judged anew, and without a Message-ID is another mail",
    Effect.gen(function* () {
      const owner = yield* paying()
      const relay = yield* MemoryRelay
      yield* relay.answer(RECIPIENT, "550 5.7.1 no")
      expect(yield* submit(owner, withId(owner))).toMatch(/^550 /)
      yield* relay.answer(RECIPIENT, null)
      expect(yield* submit(owner, withId(owner))).toMatch(/^250 /)
      yield* submit(owner)
      yield* submit(owner)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(3)
    }),
  )

  rule(
    "is never sent twice when the relay took the first and its reply was lost",
    Effect.gen(function* () {
      const owner = yield* paying()
      const relay = yield* MemoryRelay
      yield* relay.loseAnswers
      expect(yield* submit(owner, withId(owner))).toMatch(/^451 4\.4\.2 The mail may have been sent as /)
      expect(yield* submit(owner, withId(owner))).toMatch(/^554 5\.4\.2 The mail may have been sent as /)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
      expect(yield* submit(owner)).toMatch(/^554 5\.4\.2 /)
    }),
  )
})
