import { type ListenFailed, SmtpReceiver, type SmtpReceiverOptions } from "@mailroom/mail"
import { Effect, Layer } from "effect"
import { type Dialogue, session } from "./dialogue.js"
import { FakeSpool } from "./spool.js"

/** A receiver on a free port, over a fake spool. */
export const receiver = (
  options: Partial<SmtpReceiverOptions> = {},
): Layer.Layer<SmtpReceiver | FakeSpool, ListenFailed> =>
  SmtpReceiver.layer({ host: "127.0.0.1", port: 0, name: "mx.mailroom.test", ...options }).pipe(
    Layer.provideMerge(FakeSpool.layer),
  )

/** A session that has said EHLO. */
export const client = Effect.flatMap(SmtpReceiver, ({ port }) => session(port))

/** Sends a transaction up to the reply to DATA. */
export const upToData = (dialogue: Dialogue, recipient = "agent@mailroom.test") =>
  Effect.gen(function* () {
    yield* dialogue.say("MAIL FROM:<ada@sender.example>")
    yield* dialogue.say(`RCPT TO:<${recipient}>`)
    return yield* dialogue.say("DATA")
  })

/** A whole transaction: the reply to the end of the message. */
export const deliver = (dialogue: Dialogue, message: string | Uint8Array) =>
  Effect.gen(function* () {
    yield* upToData(dialogue)
    yield* dialogue.write(message)
    yield* dialogue.write("\r\n.\r\n")
    return yield* dialogue.reply
  })
