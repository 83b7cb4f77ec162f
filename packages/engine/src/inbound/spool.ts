/** `MailSpool`, the accept stage: judges recipients, and stores accepted mail durably, many mails in one commit. */
import { mailboxAddress, RawMailId } from "@mailroom/domain"
import { Array, Effect, Layer } from "effect"
import { BlobDrafts, makeReservedKeys } from "../blobs/BlobDrafts.js"
import { Ids } from "../ids/Ids.js"
import { Blobs } from "../ports/Blobs.js"
import { type IncomingMail, MailSpool, type RecipientVerdict } from "../ports/MailSpool.js"
import { MailboxStore, type RecipientFacts } from "../ports/stores/MailboxStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { BounceProcessor } from "../reports/BounceProcessor.js"
import { type LogFields, logLines } from "../mailLog.js"
import { Metrics } from "../metrics.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { type AcceptedMail, InboundQueue } from "./InboundQueue.js"
import { AcceptRate } from "./AcceptRate.js"
import { sizeOf } from "./rawContent.js"
import { RoleAddresses } from "./RoleAddresses.js"

const judge = (facts: RecipientFacts | undefined): RecipientVerdict => {
  if (facts === undefined) return { kind: "unknown" }
  if (facts.status === "suspended" || facts.accountSuspended) return { kind: "suspended" }
  return { kind: facts.provisioned ? "accepted" : "not provisioned" }
}

/**
 * Judges recipients, in their order. `isReportAddress`: that of `BounceProcessor`; these addresses take mail without a mailbox.
 * `roles`: the verdicts on role addresses (`RoleAddresses`).
 */
export const judgeRecipients = (
  addresses: ReadonlyArray<string>,
  found: ReadonlyArray<RecipientFacts>,
  isReportAddress: (address: string) => boolean,
  roles: ReadonlyMap<string, RecipientVerdict>,
): ReadonlyArray<RecipientVerdict> => {
  const facts = new Map(found.map((one) => [one.fullAddress, one]))
  return addresses.map((address) =>
    isReportAddress(address)
      ? { kind: "accepted" }
      : (roles.get(address) ?? judge(facts.get(mailboxAddress(address)))),
  )
}

/** Returns a function that tells whether one of the mailboxes has an address. */
export const hasMailbox = (found: ReadonlyArray<RecipientFacts>): ((address: string) => boolean) => {
  const addresses = new Set(found.map(({ fullAddress }) => fullAddress))
  return (address) => addresses.has(address)
}

const blobKeysOf = (mails: ReadonlyArray<Pick<IncomingMail, "content">>): ReadonlyArray<string> =>
  mails.flatMap(({ content }) => (content.kind === "blob" ? [content.key] : []))

/** A mail with its bytes, the id of its row and its size. */
type StoredMail = IncomingMail & AcceptedMail

const acceptedFields = ({ rawId, sizeBytes, envelope }: StoredMail): LogFields => ({
  rawId,
  from: envelope.from,
  to: envelope.to,
  bytes: sizeBytes,
  client: envelope.remoteAddress,
  helo: envelope.helo,
  tls: envelope.tls,
})

export const mailSpoolLayer = Layer.effect(
  MailSpool,
  Effect.gen(function* () {
    const mailboxes = yield* MailboxStore
    const rawMails = yield* RawMailStore
    const blobs = yield* Blobs
    const ids = yield* Ids
    const acceptRate = yield* AcceptRate
    const queue = yield* InboundQueue
    const bounces = yield* BounceProcessor
    const roles = yield* RoleAddresses
    const drafts = yield* BlobDrafts
    const { commit } = yield* UnitOfWork
    const nextKey = yield* makeReservedKeys("raw/")

    const store = Effect.fnUntraced(function* (incoming: ReadonlyArray<IncomingMail>) {
      const mails = Array.zipWith(incoming, yield* ids.uuids(incoming.length), (mail, rawId): StoredMail => ({
        ...mail,
        rawId: RawMailId.make(rawId),
        sizeBytes: sizeOf(mail.content),
      }))
      yield* rawMails.insert(
        mails.map(({ rawId, content, envelope }) => ({ id: rawId, content, createdAt: envelope.receivedAt })),
      )
      const withinShare = yield* queue.enqueue(mails)
      yield* drafts.named(blobKeysOf(mails))
      const sizeBytes = mails.reduce((sum, mail) => sum + mail.sizeBytes, 0)
      return { mails, sizeBytes, withinShare }
    })

    return MailSpool.of({
      recipients: Effect.fnUntraced(function* (addresses) {
        const found = yield* mailboxes.recipients([...new Set(addresses.map(mailboxAddress))])
        const judged = yield* roles.judge(addresses, hasMailbox(found))
        return judgeRecipients(addresses, found, bounces.isReportAddress, judged)
      }),
      stage: Effect.fnUntraced(function* (content) {
        const key = yield* nextKey
        const { sizeBytes } = yield* blobs.put(key, content)
        return { kind: "blob", key, sizeBytes }
      }),
      discard: (content) => drafts.discard(blobKeysOf([{ content }])),
      accept: (mails) =>
        Effect.flatMap(commit(store(mails)), (stored) =>
          Effect.all(
            [
              acceptRate.accepted({ ...stored, mails: stored.mails.length }),
              Metrics.mailsAccepted(stored.mails.length),
              logLines("mail accepted", stored.mails, acceptedFields),
            ],
            { discard: true },
          ),
        ),
    })
  }),
)
