/** Sends whose process is gone before the relay answers: they stay `SENDING` until a worker finds them. */
import { OutboundMail } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import type { Owner } from "./owners.js"
import { send } from "./sends.js"

const LOST = "lost@elsewhere.org"

/** A relay at which the process dies with a mail to one address. */
export const relayOrDie = Layer.effect(
  OutboundMail,
  Effect.map(OutboundMail, (relay): OutboundMail["Type"] => ({
    send: (envelope, raw) =>
      envelope.to.includes(LOST) ? Effect.dieMessage("the process is gone") : relay.send(envelope, raw),
  })),
)

export const lostSend = (owner: Owner, inReplyTo: string) =>
  Effect.asVoid(Effect.exit(send(owner, { to: [LOST], inReplyTo })))
