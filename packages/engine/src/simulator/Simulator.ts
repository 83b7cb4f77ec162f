/**
 * Writes the reactions of the simulator to a mail (`spec: simulator.delivered`; docs/decisions/0069). They are mails to its return
 * path, as other servers send them, and go through the inbound queue to the code that reads those.
 */
import {
  type Instant,
  type MessageId,
  type SimulatedReaction,
  simulatedReactions,
  simulatedReport,
  simulatorBehaviour,
  simulatorDomain,
} from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { MimeComposer } from "../ports/MimeComposer.js"
import { Settings } from "../ports/Settings.js"

/** Bytes of a header that a report encloses. */
const HEADER_MAX_BYTES = 32 * 1024

/** A mail to a recipient of the simulator. */
export interface SimulatedMail {
  readonly recipient: string
  readonly returnPath: string
  readonly messageId: MessageId
  /** Message-ID, with angle brackets */
  readonly rfcId: string
  readonly references: ReadonlyArray<string>
  readonly subject: string
  /** the mailbox that sends it */
  readonly sender: string
  /** whether it says that a machine wrote it */
  readonly automated: boolean
  readonly sentAt: Instant
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
    readonly react: (mail: SimulatedMail) => Effect.Effect<ReadonlyArray<Reaction>>
  }
>() {
  static readonly layer = Layer.effect(
    Simulator,
    Effect.gen(function* () {
      const composer = yield* MimeComposer
      const { platformDomain } = yield* Settings

      /** An automatic answer (RFC 3834 §3.1). */
      const answer = (
        { recipient, returnPath, rfcId, references, subject, sender }: SimulatedMail,
        at: Instant,
      ) =>
        composer.compose({
          // The local part of a return path is unique to the message and the recipient.
          messageId: `<auto-reply.${localPartOf(returnPath)}@${simulatorDomain(platformDomain)}>`,
          date: at,
          from: { address: recipient, name: "Simulator" },
          to: [sender],
          cc: [],
          replyTo: null,
          subject: `Auto: ${subject}`,
          text: "I am out of office. This is an automatic answer of the simulator.",
          html: null,
          calendar: null,
          inReplyTo: rfcId,
          references: [...references, rfcId],
          headers: {},
          autoSubmitted: "auto-replied",
          listUnsubscribe: null,
          attachments: [],
        })

      const write = (mail: SimulatedMail, kind: SimulatedReaction["kind"], at: Instant) => {
        if (kind === "auto-reply") return answer(mail, at)
        const { recipient, returnPath, messageId, sentAt, raw } = mail
        const reported = {
          recipient,
          returnPath,
          envelopeId: messageId,
          header: headerOf(raw),
          sentAt,
          platformDomain,
        }
        return Effect.succeed(new TextEncoder().encode(simulatedReport(kind, reported, at)))
      }

      return {
        react: (mail) => {
          const behaviour = simulatorBehaviour(mail.recipient, platformDomain)
          return Effect.forEach(
            behaviour === null ? [] : simulatedReactions(behaviour, mail.automated),
            ({ kind, after }) =>
              Effect.map(write(mail, kind, mail.sentAt + after), (bytes): Reaction => ({
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
