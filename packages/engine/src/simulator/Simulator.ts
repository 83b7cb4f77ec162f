/**
 * Writes the reactions of the simulator to a mail (`spec: simulator.delivered`; docs/decisions/0069). They are mails to
 * its return path, as other servers send them, and go through the inbound queue to the code that reads those.
 */
import {
  type Instant,
  type SimulatedReaction,
  simulatedReactions,
  simulatedReport,
  simulatorBehaviour,
  simulatorDomain,
} from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { MimeComposer } from "../ports/MimeComposer.js"
import { Settings } from "../ports/Settings.js"
import { isAutoReply, type Outgoing } from "../sending/outgoing.js"

/** Bytes of a header that a report encloses. */
const HEADER_MAX_BYTES = 32 * 1024

/** The mail of a message to one recipient of the simulator. */
export interface SimulatedMail {
  readonly recipient: string
  readonly returnPath: string
  readonly raw: Uint8Array
}

/** A mail that a recipient of the simulator causes. */
export interface Reaction {
  /** envelope sender: empty, so that nobody answers it (RFC 3834 §3.3, RFC 3464 §2) */
  readonly from: ""
  readonly to: readonly [returnPath: string]
  /** milliseconds after the send */
  readonly after: number
  readonly bytes: Uint8Array
}

/** The header of a mail, with the line end of its last line. */
const headerOf = (raw: Uint8Array): string => {
  // A copy: text cannot be decoded in shared memory.
  const start = new TextDecoder().decode(raw.slice(0, HEADER_MAX_BYTES))
  const end = start.indexOf("\r\n\r\n")
  return start.slice(0, (end === -1 ? start.lastIndexOf("\r\n") : end) + 2)
}

const localPartOf = (address: string): string => address.slice(0, address.lastIndexOf("@"))

export class Simulator extends Context.Tag("@mailroom/Simulator")<
  Simulator,
  {
    /** The reactions of the recipient, in their order; none for an address that is not one of the simulator. */
    readonly react: (outgoing: Outgoing, mail: SimulatedMail) => Effect.Effect<ReadonlyArray<Reaction>>
  }
>() {
  static readonly layer = Layer.effect(
    Simulator,
    Effect.gen(function* () {
      const composer = yield* MimeComposer
      const { platformDomain } = yield* Settings

      /** An automatic answer (RFC 3834 §3.1). */
      const answer = (
        { rfcId, reply, body, mailbox }: Outgoing,
        { recipient, returnPath }: SimulatedMail,
        at: Instant,
      ) =>
        composer.compose({
          // The local part of a return path is unique to the message and the recipient.
          messageId: `<auto-reply.${localPartOf(returnPath)}@${simulatorDomain(platformDomain)}>`,
          date: at,
          from: { address: recipient, name: "Simulator" },
          to: [mailbox.fullAddress],
          cc: [],
          replyTo: [],
          subject: `Auto: ${body.subject}`,
          text: "I am out of office. This is an automatic answer of the simulator.",
          html: null,
          calendar: null,
          inReplyTo: rfcId,
          references: [...(reply?.links.references ?? []), rfcId],
          headers: {},
          autoSubmitted: "auto-replied",
          listUnsubscribe: null,
          attachments: [],
        })

      const write = (
        outgoing: Outgoing,
        mail: SimulatedMail,
        kind: SimulatedReaction["kind"],
        at: Instant,
      ) => {
        if (kind === "auto-reply") return answer(outgoing, mail, at)
        const { recipient, returnPath, raw } = mail
        const { id: envelopeId, now: sentAt } = outgoing
        const reported = { recipient, returnPath, envelopeId, header: headerOf(raw), sentAt, platformDomain }
        return Effect.succeed(new TextEncoder().encode(simulatedReport(kind, reported, at)))
      }

      return {
        react: (outgoing, mail) => {
          const behaviour = simulatorBehaviour(mail.recipient, platformDomain)
          return Effect.forEach(
            behaviour === null ? [] : simulatedReactions(behaviour, isAutoReply(outgoing)),
            ({ kind, after }) =>
              Effect.map(write(outgoing, mail, kind, outgoing.now + after), (bytes): Reaction => ({
                from: "",
                to: [mail.returnPath],
                after,
                bytes,
              })),
          )
        },
      }
    }),
  )
}
