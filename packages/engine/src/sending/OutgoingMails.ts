/**
 * Composes and signs the mails of a message: one for all recipients, or one for each where they differ. Also writes the
 * reactions of recipients of the simulator.
 */
import {
  type DomainRecord,
  hasManyRecipients,
  INLINE_MAX_BYTES,
  MESSAGE_MAX_BYTES,
  RawMailId,
  recipientsOf,
  SizeExceeded,
  writtenRecipient,
} from "@mailroom/domain"
import { Context, Effect, Layer, Option, Stream } from "effect"
import { BlobDrafts } from "../blobs/BlobDrafts.js"
import { SigningKeys } from "../domains/SigningKeys.js"
import { Ids } from "../ids/Ids.js"
import { sizeOf } from "../inbound/rawContent.js"
import { MailSigner } from "../ports/MailSigner.js"
import { MimeComposer } from "../ports/MimeComposer.js"
import { ProviderReports } from "../ports/ProviderReports.js"
import type { RawContent } from "../ports/MailSpool.js"
import { ReturnPaths } from "../reports/ReturnPaths.js"
import { Simulator } from "../simulator/Simulator.js"
import { Unsubscribes } from "../suppressions/Unsubscribes.js"
import type { OutgoingMail, Routed } from "./MailRouter.js"
import type { OutgoingFiles } from "./OutgoingAttachments.js"
import { addresseesOf, draftOf, type ForRecipient, type Outgoing } from "./outgoing.js"
import type { InsideMail } from "./SendOutcomes.js"

export interface PreparedMail {
  /** the mail to record with the message; a large one is in the blob store already */
  readonly raw: { readonly id: RawMailId; readonly content: RawContent }
  /** the mails for recipients in this service: the recorded one, or a copy for each where they differ */
  readonly inside: ReadonlyArray<InsideMail>
  /** the mails that recipients of the simulator cause: reports to their return paths, and answers */
  readonly simulated: ReadonlyArray<InsideMail>
  /** composes the mail for a recipient outside */
  readonly mailFor: (recipient: string) => Effect.Effect<OutgoingMail>
  /** the blobs that rows of the recorded message refer to: its new attachments, and a large raw mail */
  readonly blobKeys: ReadonlyArray<string>
  /** Removes the blobs of the mails, but not those of the attachments. Only for a message that was kept as a draft. */
  readonly discardMails: Effect.Effect<void>
  /** Removes all blobs written for this send. Only for a message that was certainly not recorded. */
  readonly discard: Effect.Effect<void>
}

const keyOf = ({ content }: { readonly content: RawContent }): ReadonlyArray<string> =>
  content.kind === "blob" ? [content.key] : []

/** The recorded mail of several recipients has no field of a single recipient. */
const forAll = (outgoing: Outgoing): ForRecipient => ({
  addressees: addresseesOf(outgoing),
  unsubscribe: null,
  headers: {},
})

export class OutgoingMails extends Context.Tag("@mailroom/OutgoingMails")<
  OutgoingMails,
  {
    /**
     * Composes and signs the mail, its copies for the recipients inside this service, and the reactions of the simulator.
     * `domain`: the sender's custom domain. A failure removes the blobs that this call and `files` wrote. `SizeExceeded`
     * above 40 MB encoded.
     */
    readonly prepare: (
      outgoing: Outgoing,
      files: OutgoingFiles,
      domain: Option.Option<DomainRecord>,
      routed: Routed,
    ) => Effect.Effect<PreparedMail, SizeExceeded>
  }
>() {
  static readonly layer = Layer.effect(
    OutgoingMails,
    Effect.gen(function* () {
      const composer = yield* MimeComposer
      const signer = yield* MailSigner
      const keys = yield* SigningKeys
      const returnPaths = yield* ReturnPaths
      const provider = yield* ProviderReports
      const unsubscribes = yield* Unsubscribes
      const simulator = yield* Simulator
      const blobDrafts = yield* BlobDrafts
      const ids = yield* Ids

      const keyFor = (domain: Option.Option<DomainRecord>) =>
        Option.match(domain, { onNone: () => keys.ofPlatform, onSome: keys.ofDomain })

      const store = Effect.fnUntraced(function* (bytes: Uint8Array) {
        const id = RawMailId.make(yield* ids.uuid)
        if (bytes.length <= INLINE_MAX_BYTES)
          return { id, content: { kind: "inline", bytes } satisfies RawContent }
        const key = `raw/${id}`
        const { sizeBytes } = yield* blobDrafts.put(key, Stream.make(bytes))
        return { id, content: { kind: "blob", key, sizeBytes } satisfies RawContent }
      })

      const prepare = Effect.fnUntraced(function* (
        outgoing: Outgoing,
        files: OutgoingFiles,
        domain: Option.Option<DomainRecord>,
        { inside, simulated }: Routed,
      ) {
        const { id: messageId, mailbox, body } = outgoing
        const recipients = recipientsOf(body)
        const [first = "", ...others] = recipients
        const isBulk = body.bulk === true
        // Such a mail differs by recipient, who unsubscribes with an address or a link of their own.
        const hasUnsubscribe = isBulk || hasManyRecipients(recipients)
        const targetOf = (recipient: string) => ({ messageId, recipient: recipients.indexOf(recipient) })
        const returnPathOf = (recipient: string) =>
          returnPaths.of("bounces", targetOf(recipient), mailbox.fullAddress)
        const unsubscribeOf = (recipient: string): ForRecipient["unsubscribe"] => {
          if (!hasUnsubscribe) return null
          const mailto = returnPaths.of(isBulk ? "optout" : "unsub", targetOf(recipient), mailbox.fullAddress)
          const url = isBulk ? unsubscribes.linkFor(mailbox.id, recipient) : null
          return { mailto, ...(url !== null && { url }) }
        }
        const shared = forAll(outgoing)
        const ownOf = (recipient: string): ForRecipient => ({
          addressees: isBulk ? { to: [writtenRecipient(body, recipient)], cc: [] } : shared.addressees,
          unsubscribe: unsubscribeOf(recipient),
          headers: provider.headersFor(returnPathOf(recipient)),
        })

        const key = yield* keyFor(domain)
        const compose = (own: ForRecipient) =>
          Effect.flatMap(composer.compose(draftOf(outgoing, files.bytes, own)), (mail) =>
            signer.sign(mail, key),
          )
        const bytes = yield* compose(others.length === 0 ? ownOf(first) : shared)
        if (bytes.length > MESSAGE_MAX_BYTES)
          return yield* new SizeExceeded({ what: "the encoded message", limitBytes: MESSAGE_MAX_BYTES })
        const bytesFor = (recipient: string) => {
          const own = ownOf(recipient)
          const isShared = !hasUnsubscribe && Object.keys(own.headers).length === 0
          return others.length === 0 || isShared ? Effect.succeed(bytes) : compose(own)
        }

        const raw = yield* store(bytes)
        const sender = { from: mailbox.fullAddress, after: 0 }
        const copies = yield* Effect.forEach(hasUnsubscribe ? inside : [], (recipient) =>
          Effect.map(Effect.flatMap(bytesFor(recipient), store), (copy) => ({
            ...sender,
            to: [recipient],
            raw: copy,
            sizeBytes: sizeOf(copy.content),
          })),
        )
        const recorded: InsideMail = { ...sender, to: inside, raw: null, sizeBytes: bytes.length }
        const reactions = yield* Effect.forEach(simulated, (recipient) =>
          Effect.flatMap(bytesFor(recipient), (mail) =>
            simulator.react(outgoing, { recipient, returnPath: returnPathOf(recipient), raw: mail }),
          ),
        )
        const reacting = yield* Effect.forEach(reactions.flat(), ({ bytes: mail, ...envelope }) =>
          Effect.map(store(mail), (stored) => ({ ...envelope, raw: stored, sizeBytes: mail.length })),
        )
        const blobKeys = [...files.ownBlobs, ...keyOf(raw)]
        const copyKeys = [...copies, ...reacting].flatMap((mail) => keyOf(mail.raw))
        return {
          raw,
          inside: hasUnsubscribe ? copies : inside.length === 0 ? [] : [recorded],
          simulated: reacting,
          mailFor: (recipient) =>
            Effect.map(bytesFor(recipient), (raw) => ({
              envelope: { from: returnPathOf(recipient), envelopeId: messageId },
              raw,
            })),
          blobKeys,
          discardMails: blobDrafts.discard([...keyOf(raw), ...copyKeys]),
          discard: blobDrafts.discard([...blobKeys, ...copyKeys]),
        } satisfies PreparedMail
      })

      return {
        prepare: (outgoing, files, domain, routed) =>
          prepare(outgoing, files, domain, routed).pipe(
            Effect.onError(() => blobDrafts.discard(files.ownBlobs)),
          ),
      }
    }),
  )
}
