/** Mail that the relay accepted, parsed. */
import type { ParsedMail } from "@mailroom/domain"
import { bytesIn, MimeParser, type OutboundEnvelope } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Array, Effect } from "effect"
import { expect } from "vitest"

export interface Relayed {
  readonly envelope: OutboundEnvelope
  readonly mail: ParsedMail
  readonly raw: string
  /** bytes of its attachments */
  readonly bytes: ReadonlyArray<Uint8Array>
}

/** Matches the return paths of a mailbox's mail. */
export const anyReturnPath = ({ address }: { readonly address: string }): unknown =>
  expect.stringMatching(new RegExp(`^bounces\\+[0-9a-f]{34}-[0-9a-f]{20}${address.replace(/^.*@/, "@")}$`))

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
    bytes: mail.attachments.map(({ content }) => bytesIn(raw, content)),
  }))
})

export const mailsTo = (address: string) =>
  Effect.map(outbox, (mails) => mails.filter(({ envelope }) => envelope.to.includes(address)))

/** The recipients in the envelopes of a message, in alphabetical order: one in each. */
export const relayedTo = (rfcId: string) =>
  Effect.map(outbox, (mails) =>
    mails
      .filter(({ mail }) => mail.messageId === rfcId)
      .map(({ envelope }) => envelope.to.join(" and "))
      .sort(),
  )

export const lastMailTo = (address: string) =>
  Effect.flatMap(mailsTo(address), (mails) => {
    const last = mails.at(-1)
    return last === undefined ? Effect.dieMessage(`no mail to ${address}`) : Effect.succeed(last)
  })
