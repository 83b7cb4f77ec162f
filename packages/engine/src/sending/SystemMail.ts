/** Sends the mails that the service itself writes. */
import {
  outcomeOf,
  RawMailId,
  type RelayRefused,
  type RelayUnavailable,
  type RelayUncertain,
  serviceAddress,
  SYSTEM_MAIL_ENDS_WITHIN,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { SigningKeys } from "../domains/SigningKeys.js"
import { Ids } from "../ids/Ids.js"
import { insideEnvelope } from "../inbound/authentication.js"
import { InboundQueue } from "../inbound/InboundQueue.js"
import { logLine } from "../mailLog.js"
import { MailSigner } from "../ports/MailSigner.js"
import { type MailDraft, MimeComposer } from "../ports/MimeComposer.js"
import { Settings } from "../ports/Settings.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { MailRouter } from "./MailRouter.js"

export class SystemMail extends Context.Tag("@mailroom/SystemMail")<
  SystemMail,
  {
    /** Sends one mail through the relay, or to a mailbox of this service. An address of the simulator takes it silently. */
    readonly send: (mail: {
      readonly to: string
      readonly subject: string
      readonly text: string
      /** Reply-To; null: none */
      readonly replyTo?: string | null
      readonly attachments?: MailDraft["attachments"]
    }) => Effect.Effect<void, RelayRefused | RelayUnavailable | RelayUncertain>
  }
>() {
  static readonly layer = Layer.effect(
    SystemMail,
    Effect.gen(function* () {
      const composer = yield* MimeComposer
      const keys = yield* SigningKeys
      const signer = yield* MailSigner
      const router = yield* MailRouter
      const rawMails = yield* RawMailStore
      const queue = yield* InboundQueue
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork
      const { platformDomain } = yield* Settings
      const from = serviceAddress(platformDomain)

      const deliverInside = Effect.fnUntraced(function* (
        to: ReadonlyArray<string>,
        raw: Uint8Array,
        now: number,
      ) {
        const rawId = RawMailId.make(yield* ids.uuid)
        yield* rawMails.insert([{ id: rawId, content: { kind: "inline", bytes: raw }, createdAt: now }])
        const envelope = insideEnvelope("", to, platformDomain, now)
        yield* queue.enqueue([{ rawId, envelope, sizeBytes: raw.length }])
      })

      return {
        send: Effect.fn("SystemMail.send")(function* ({
          to,
          subject,
          text,
          replyTo = null,
          attachments = [],
        }) {
          const now = yield* Clock.currentTimeMillis
          const composed = yield* composer.compose({
            messageId: `<${yield* ids.uuid}@${platformDomain}>`,
            date: now,
            from: { address: from, name: "Mailroom" },
            to: [to],
            cc: [],
            replyTo: replyTo === null ? [] : [replyTo],
            subject,
            text,
            html: null,
            calendar: null,
            inReplyTo: null,
            references: [],
            headers: {},
            autoSubmitted: "auto-generated",
            listUnsubscribe: null,
            attachments,
          })
          const raw = yield* signer.sign(composed, yield* keys.ofPlatform)
          const routed = yield* router.route("", [to])
          yield* outcomeOf(
            yield* router.relay(
              routed.outside,
              () => Effect.succeed({ envelope: { from, envelopeId: null }, raw }),
              { from },
              SYSTEM_MAIL_ENDS_WITHIN,
            ),
          )
          if (routed.inside.length === 0) return
          yield* commit(deliverInside(routed.inside, raw, now))
          yield* logLine("mail sent", { from, to: routed.inside, answer: "delivered inside" })
        }),
      }
    }),
  )
}
