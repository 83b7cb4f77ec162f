/** What the relay took, read as its receivers would. */
import type { ParsedMail } from "@mailroom/domain"
import { MimeParser, type OutboundEnvelope } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Array, Effect } from "effect"

export interface Relayed {
  readonly envelope: OutboundEnvelope
  readonly mail: ParsedMail
  readonly raw: string
}

/** Oldest first. */
export const outbox = Effect.gen(function* () {
  const relay = yield* MemoryRelay
  const parser = yield* MimeParser
  const sent = yield* relay.sent
  const parsed = yield* parser.parse(sent.map(({ raw }) => raw))
  return Array.zipWith(sent, parsed, ({ envelope, raw }, mail): Relayed => ({
    envelope,
    mail,
    raw: new TextDecoder().decode(raw),
  }))
})

export const mailsTo = (address: string) =>
  Effect.map(outbox, (mails) => mails.filter(({ envelope }) => envelope.to.includes(address)))

export const lastMailTo = (address: string) =>
  Effect.flatMap(mailsTo(address), (mails) => {
    const last = mails.at(-1)
    return last === undefined ? Effect.dieMessage(`no mail to ${address}`) : Effect.succeed(last)
  })
