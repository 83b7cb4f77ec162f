/** Our SMTP receiver and the reference fulfill one contract, and reply alike in arbitrary sessions. */
import { SmtpReceiver } from "@mailroom/mail"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck, Layer } from "effect"
import { type MakeReceiver, smtpReceiverContract } from "./smtpReceiver.contract.js"
import { CLOSED, dial } from "./support/dialogue.js"
import { FakeSpool } from "./support/spool.js"
import { referenceReceiver } from "./support/referenceReceiver.js"

smtpReceiverContract("our SMTP receiver", SmtpReceiver.layer)
smtpReceiverContract("the reference on smtp-server", referenceReceiver)

/**
 * Writes of a session. None has a dot that should have been stuffed: smtp-server keeps it, and ours removes it
 * (RFC 5321 §4.5.2). Few enough that neither receiver hangs up for too many errors.
 */
const fragment = FastCheck.constantFrom(
  "EHLO client.example\r\n",
  "HELO client.example\r\n",
  "MAIL FROM:<a@b.example>\r\n",
  "MAIL FROM:<> SIZE=10\r\n",
  "RCPT TO:<agent@mailroom.test>\r\n",
  "RCPT TO:<agent@mailroom.test>\r\nDATA\r\n",
  "RCPT TO:<suspended@mailroom.test>\r\n",
  "DATA\r\n",
  "Subject: x\r\n\r\n",
  "..\r\n",
  "..a\r\n",
  "a.\r\n",
  "\r\n.\r\n",
  "\r\n..",
  "\r\n",
  "\r",
  "\n",
  "x".repeat(100),
  "RSET\r\n",
  "NOOP\r\n",
)

const opening = "EHLO client.example\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<agent@mailroom.test>\r\nDATA\r\n"

/** The codes of all replies to the writes, and the accepted mails. */
const outcome = (make: MakeReceiver, writes: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const dialogue = yield* dial((yield* SmtpReceiver).port)
    yield* dialogue.reply
    for (const bytes of [opening, ...writes, "\r\n.\r\nQUIT\r\n"]) yield* dialogue.write(bytes)
    const codes: Array<string> = []
    for (let reply = yield* dialogue.reply; reply !== CLOSED; reply = yield* dialogue.reply)
      // Of two errors in one line, either may be reported.
      codes.push(reply.slice(0, 3).replace("503", "501"))
    const mails = yield* (yield* FakeSpool).accepted
    return { codes, mails: mails.map(({ envelope, text }) => [envelope.from, ...envelope.to, text]) }
  }).pipe(
    Effect.scoped,
    Effect.provide(
      make({ host: "127.0.0.1", port: 0, name: "mx.mailroom.test" }).pipe(
        Layer.provideMerge(FakeSpool.layer),
      ),
    ),
  )

describe("arbitrary sessions", () => {
  it.effect("get the replies of the reference", () =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(FastCheck.array(fragment, { maxLength: 5 }), async (writes) => {
          const [own, reference] = await Promise.all([
            Effect.runPromise(outcome(SmtpReceiver.layer, writes)),
            Effect.runPromise(outcome(referenceReceiver, writes)),
          ])
          expect(own).toEqual(reference)
        }),
        { numRuns: 80, seed: 5321 },
      ),
    ),
  )
})
