/** Our mail through a real Postfix with the recommended configuration (docs/operations.md), and its reports. */
import { MINUTE } from "@mailroom/domain"
import { NodemailerComposer, SmtpRelay } from "@mailroom/mail"
import { OutboundMail } from "@mailroom/engine"
import { eventually, postfixAvailable, postfixServer, WORLD_ADDRESS } from "@mailroom/test-services"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { aFile, compose } from "./support/drafts.js"
import { sink } from "./support/sink.js"

const returnPath = "bounces+1=abc@acme.mailroom.test"
const envelopeId = "0198c0de-0000-7000-8000-000000000001"

/** A field of a report, unfolded (RFC 3464 §2). */
const field = (report: string, name: string) =>
  new RegExp(`^${name}: *(.*)$`, "im").exec(report.replace(/\r\n[ \t]+/g, " ").replaceAll("\r", ""))?.[1]

describe.skipIf(!postfixAvailable)(
  "Postfix, installed and started by root, as deploy/postfix/main.cf has it",
  () => {
    it.scopedLive("delivers a mail as it is, reports it, and bounces another to the return path", () =>
      Effect.gen(function* () {
        const { port, received } = yield* sink()
        const postfix = yield* postfixServer({ mailroom: { domains: ["mailroom.test"], port } })
        const raw = yield* compose({
          to: [WORLD_ADDRESS],
          subject: "Gr\u00fc\u00dfe",
          text: `.\n..dot\nspaces  \n${"x".repeat(2000)}\n`,
          attachments: [aFile({ bytes: Buffer.from([0, 13, 10, 255]) })],
        })
        const unknown = WORLD_ADDRESS.replace("ada", "nobody+x")
        yield* Effect.flatMap(OutboundMail, ({ send }) =>
          Effect.forEach([WORLD_ADDRESS, unknown], (to) =>
            send({ from: returnPath, to: [to], envelopeId }, raw, MINUTE),
          ),
        ).pipe(Effect.provide(SmtpRelay.layer({ url: `smtp://127.0.0.1:${postfix.port}` })))

        const [delivered] = yield* eventually("the mail", postfix.mailbox, (mails) => mails.length === 1)
        // Trace fields precede the mail, and its lines end with LF as in files.
        expect(delivered?.toString("latin1")).toContain(
          Buffer.from(raw).toString("latin1").replaceAll("\r\n", "\n"),
        )

        const back = Effect.sync(() =>
          received.map((mail) => ({ ...mail, about: field(mail.raw, "Final-Recipient") })),
        )
        const reports = yield* eventually("the reports", back, (mails) => mails.length === 2)
        for (const { from, raw: report, to } of reports) {
          expect([from, to]).toEqual(["", [returnPath]])
          expect(report).toMatch(/^Content-Type: multipart\/report; report-type=delivery-status/m)
          expect(field(report, "Original-Envelope-Id")).toBe(envelopeId)
          // Only the header is returned (RET=HDRS).
          expect(report).toContain("Message-ID: <1@mailroom.test>")
          expect(report).not.toContain("..dot")
        }
        const [success, bounce] = ["delivered", "failed"].map((action) =>
          reports.find(({ raw: report }) => field(report, "Action") === action),
        )
        expect(success?.about).toBe(`rfc822; ${WORLD_ADDRESS}`)
        expect(field(success?.raw ?? "", "Original-Recipient")).toBe(`rfc822;${WORLD_ADDRESS}`)
        expect(bounce?.about).toBe(`rfc822; ${unknown}`)
        expect(field(bounce?.raw ?? "", "Original-Recipient")).toBe(`rfc822;${unknown}`)
        expect(field(bounce?.raw ?? "", "Status")).toBe("5.1.1")
      }).pipe(Effect.provide(NodemailerComposer.layer)),
    )
  },
)
