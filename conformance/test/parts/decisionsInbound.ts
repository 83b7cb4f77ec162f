/** Inbound SMTP, line by line. */
import type { SmtpSession } from "@mailroom/test-services"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { type Agent, agent, listMessages, newcomer, receive } from "../../src/agents.js"
import { listAt, textAt } from "../../src/Answer.js"
import { type Part, row, wire } from "../../src/Row.js"
import { Wire, World } from "../../src/World.js"
import { expectWithin } from "../expectations.js"

/** The commands up to and including DATA. */
const upToData = (session: SmtpSession, to: string) =>
  Effect.gen(function* () {
    expect(yield* session.say("MAIL FROM:<bob@sender.dev>")).toMatch(/^250 /)
    expect(yield* session.say(`RCPT TO:<${to}>`)).toMatch(/^250 /)
    expect(yield* session.say("DATA")).toMatch(/^354 /)
  })

/** The reply to the end of a mail. */
const dataReply = (to: string, mail: string) =>
  Effect.gen(function* () {
    const session = yield* (yield* Wire).smtp
    yield* upToData(session, to)
    yield* session.write(mail)
    return yield* session.say("\r\n.")
  })

const recipientReply = (to: string) =>
  Effect.gen(function* () {
    const session = yield* (yield* Wire).smtp
    yield* session.say("MAIL FROM:<bob@sender.dev>")
    return yield* session.say(`RCPT TO:<${to}>`)
  })

const mail = (subject: string, ...header: ReadonlyArray<string>): string =>
  [...header, "From: bob@sender.dev", `Subject: ${subject}`, "", "How are you?"].join("\r\n")

const arrived = (owner: Agent, subject: string) =>
  Effect.gen(function* () {
    const { eventually } = yield* World
    const subjects = Effect.map(listMessages(owner), ({ json }) =>
      listAt(json, "messages").map((message) => textAt(message, "subject")),
    )
    return yield* eventually(`${subject} is there`, subjects, (found) => found.includes(subject))
  })

/** A self-signed certificate for localhost. Its key protects nothing. */
const tls = {
  SMTP_TLS_CERT: fileURLToPath(new URL("../tls/localhost.crt", import.meta.url)),
  SMTP_TLS_KEY: fileURLToPath(new URL("../tls/localhost.key", import.meta.url)),
}

export const decisionsInbound: Part = [
  wire("decisions.smtp.250", "in the list, with its event", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const stream = yield* listen({ key: owner.key })
    expect(yield* dataReply(owner.address, mail("accepted"))).toMatch(/^250 /)
    yield* arrived(owner, "accepted")
    expect(yield* stream.received(1)).toMatchObject([{ data: { data: { subject: "accepted" } } }])
  }),
  wire("decisions.smtp.unknown", "and the session goes on", function* () {
    const { address, slug } = yield* agent()
    const session = yield* (yield* Wire).smtp
    yield* session.say("MAIL FROM:<bob@sender.dev>")
    expect(yield* session.say(`RCPT TO:<nobody@${slug}.mailroom.localhost>`)).toMatch(/^550 5\.1\.1 /)
    expect(yield* session.say(`RCPT TO:<${address}>`)).toMatch(/^250 /)
  }),
  wire(
    "decisions.smtp.unprovisioned",
    "of a server that does no background work",
    function* () {
      const { call } = yield* World
      const { body, headers, slug } = yield* newcomer
      expect((yield* call("POST /v1/signup", { body, headers })).status).toBe(201)
      expect(yield* recipientReply(`agent@${slug}.mailroom.localhost`)).toMatch(/^450 4\.2\.1 /)
    },
    { ROLES: "http,smtp" },
  ),
  wire("decisions.smtp.paused", "and the message is there", function* () {
    const owner = yield* agent()
    yield* owner.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body: { status: "paused" } })
    expect(yield* dataReply(owner.address, mail("while paused"))).toMatch(/^250 /)
    yield* arrived(owner, "while paused")
  }),
  row("decisions.smtp.tag", "whatever the tag", function* () {
    const owner = yield* agent()
    const tagged = owner.address.replace("@", "+news.of-2026@")
    yield* receive(owner, [{ subject: "tagged" }], tagged)
    expectWithin(yield* listMessages(owner), 200, {
      messages: [{ subject: "tagged", toAddresses: [tagged] }],
    })
  }),
  wire("decisions.smtp.relaying", "other people's domains are refused at RCPT", function* () {
    for (const to of ["ada@partner.dev", "ada@mailroom.localhost", "ada%partner.dev@mailroom.localhost"])
      expect(yield* recipientReply(to)).toMatch(/^550 5\.1\.1 /)
  }),
  wire("decisions.smtp.auth", "neither offered nor taken", function* () {
    const session = yield* (yield* Wire).smtp
    expect(yield* session.say("EHLO client.sender.dev")).not.toMatch(/AUTH/)
    expect(yield* session.say("AUTH PLAIN AGFkYQBzZWNyZXQ=")).toMatch(/^5\d\d /)
  }),
  wire("decisions.smtp.starttls", "without one it is not offered, and not taken", function* () {
    const session = yield* (yield* Wire).smtp
    expect(yield* session.say("EHLO client.sender.dev")).not.toMatch(/STARTTLS/)
    expect(yield* session.say("STARTTLS")).toMatch(/^5\d\d /)
  }),
  wire(
    "decisions.smtp.starttls",
    "with one it is offered, and taken",
    function* () {
      const session = yield* (yield* Wire).smtp
      expect(yield* session.say("EHLO client.sender.dev")).toMatch(/STARTTLS/)
      expect(yield* session.say("STARTTLS")).toMatch(/^220 /)
    },
    tls,
  ),
  wire("decisions.smtp.size", "announced, and judged by what MAIL FROM says", function* () {
    const session = yield* (yield* Wire).smtp
    expect(yield* session.say("EHLO client.sender.dev")).toContain("SIZE 41943040")
    expect(yield* session.say("MAIL FROM:<bob@sender.dev> SIZE=41943041")).toMatch(/^552 5\.3\.4 /)
    expect(yield* session.say("MAIL FROM:<bob@sender.dev> SIZE=41943040")).toMatch(/^250 /)
  }),
  wire("decisions.smtp.bare-newlines", "each alone, and nothing is stored", function* () {
    const owner = yield* agent()
    for (const bare of ["\n", "\r"]) {
      const smuggled = `${mail("smuggled")}${bare}.${bare}MAIL FROM:<eve@evil.dev>`
      expect(yield* dataReply(owner.address, smuggled)).toMatch(/^5\d\d 5\./)
    }
    expect(yield* dataReply(owner.address, mail("clean"))).toMatch(/^250 /)
    expect(yield* arrived(owner, "clean")).toEqual(["clean"])
  }),
  wire("decisions.smtp.loop", "51 are too many, 50 are not", function* () {
    const owner = yield* agent()
    const hops = (count: number) =>
      Array.from(
        { length: count },
        (_, index) => `Received: from a${index}.dev by b.dev; Tue, 10 Mar 2026 09:00:00 +0000`,
      )
    expect(yield* dataReply(owner.address, mail("51 hops", ...hops(51)))).toMatch(/^554 5\.4\.6 /)
    expect(yield* dataReply(owner.address, mail("50 hops", ...hops(50)))).toMatch(/^250 /)
    expect(yield* arrived(owner, "50 hops")).toEqual(["50 hops"])
  }),
  wire("decisions.smtp.raw", "with what the parser made nothing of", function* () {
    const owner = yield* agent()
    const strange = mail(
      "strange",
      "X-Broken: =?utf-8?q?=ZZ?=",
      "Content-Type: multipart/mixed; boundary=none",
    )
    expect(yield* dataReply(owner.address, strange)).toMatch(/^250 /)
    yield* arrived(owner, "strange")
    const id = textAt((yield* listMessages(owner)).json, "messages.0.id")
    const raw = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages/${id}/raw`)
    expect(raw.text).toContain(strange)
  }),
]
