/** The envelope for the relay: DSN parameters (RFC 3461), international addresses (RFC 5890, RFC 6531). */
import { MINUTE } from "@mailroom/domain"
import { SmtpRelay } from "@mailroom/mail"
import { type OutboundEnvelope, OutboundMail } from "@mailroom/engine"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { scriptedRelay } from "./support/scriptedRelay.js"

const envelope: OutboundEnvelope = {
  from: "agent@mailroom.test",
  to: ["ada@example.org", "bob+tag=1@example.org"],
  envelopeId: null,
}

/** The commands that a relay with these EHLO keywords receives, and the outcome. */
const sendTo = (
  keywords: ReadonlyArray<string>,
  changes: Partial<OutboundEnvelope>,
  raw = "Subject: x\r\n\r\nhello\r\n",
) =>
  Effect.gen(function* () {
    const relay = yield* scriptedRelay(() => undefined, keywords)
    const outcome = yield* Effect.flatMap(OutboundMail, (mail) =>
      mail.send({ ...envelope, ...changes }, Buffer.from(raw), MINUTE),
    ).pipe(Effect.provide(SmtpRelay.layer({ url: `smtp://127.0.0.1:${relay.port}` })), Effect.either)
    // Bytes on the wire are UTF-8.
    const commands = relay.lines.map((line) => Buffer.from(line, "latin1").toString())
    return { outcome, commands: commands.filter((line) => /^(?:MAIL|RCPT)/.test(line)) }
  })

describe("reports (RFC 3461)", () => {
  const envelopeId = "0198c0de-0000-7000-8000-000000000001"

  for (const keywords of [["DSN", "PIPELINING"], ["DSN"]])
    it.scopedLive(`with ${keywords.join(" and ")}, are asked for by mail and recipient`, () =>
      Effect.gen(function* () {
        const { commands } = yield* sendTo(keywords, { envelopeId })
        expect(commands).toEqual([
          `MAIL FROM:<agent@mailroom.test> RET=HDRS ENVID=${envelopeId}`,
          "RCPT TO:<ada@example.org> NOTIFY=SUCCESS,FAILURE,DELAY ORCPT=rfc822;ada@example.org",
          // xtext (§4): + and = as hexadecimal.
          "RCPT TO:<bob+tag=1@example.org> NOTIFY=SUCCESS,FAILURE,DELAY ORCPT=rfc822;bob+2Btag+3D1@example.org",
        ])
      }),
    )

  for (const [why, keywords, id] of [
    ["where the relay offers none", ["PIPELINING"], envelopeId],
    ["for a mail without an id", ["DSN", "PIPELINING"], null],
  ] as const)
    it.scopedLive(`are not asked for ${why}`, () =>
      Effect.gen(function* () {
        const { commands } = yield* sendTo(keywords, { envelopeId: id })
        expect(commands).toEqual([
          "MAIL FROM:<agent@mailroom.test>",
          "RCPT TO:<ada@example.org>",
          "RCPT TO:<bob+tag=1@example.org>",
        ])
      }),
    )
})

describe("international addresses", () => {
  it.scopedLive("RFC 5890: a domain is sent as A-labels, to every relay", () =>
    Effect.gen(function* () {
      const { commands } = yield* sendTo(["PIPELINING"], {
        from: "a@m\u00fcller.test",
        to: ["Ada@B\u00fccher.example"],
      })
      expect(commands).toEqual(["MAIL FROM:<a@xn--mller-kva.test>", "RCPT TO:<Ada@xn--bcher-kva.example>"])
    }),
  )

  it.scopedLive("RFC 6531: the local part is sent unchanged when the relay offers SMTPUTF8", () =>
    Effect.gen(function* () {
      const keywords = ["SMTPUTF8", "8BITMIME", "DSN", "PIPELINING"]
      const to = ["\u7528\u6237@\u4f8b\u5b50.\u4e2d\u56fd"]
      const { commands } = yield* sendTo(keywords, { to, envelopeId: "1" }, "Subject: \u00e4\r\n\r\n")
      expect(commands).toEqual([
        "MAIL FROM:<agent@mailroom.test> SMTPUTF8 BODY=8BITMIME RET=HDRS ENVID=1",
        "RCPT TO:<\u7528\u6237@xn--fsqu00a.xn--fiqs8s> NOTIFY=SUCCESS,FAILURE,DELAY",
      ])
    }),
  )

  it.scopedLive("are refused without SMTPUTF8, and the error names the recipient", () =>
    Effect.gen(function* () {
      const to = ["ada@example.org", "\u00e4da@example.org"]
      const { commands, outcome } = yield* sendTo(["8BITMIME", "PIPELINING"], { to })
      expect(outcome).toMatchObject({
        left: {
          _tag: "RelayRefused",
          recipients: ["\u00e4da@example.org"],
          answer: expect.stringContaining("SMTPUTF8"),
        },
      })
      expect(commands).toEqual([])
    }),
  )
})
