/** `MailSpool`, the accept stage: judges recipients, and stores accepted mail durably, many mails in one commit. */
import { MADE_HERE, mailboxAddress, RawMailId, totalBytes } from "@mailroom/domain"
import { Array, Effect, Layer } from "effect"
import { BlobDrafts, makeReservedKeys } from "../blobs/BlobDrafts.js"
import { Ids } from "../ids/Ids.js"
import { Blobs } from "../ports/Blobs.js"
import {
  type IncomingMail,
  MailSpool,
  type RecipientRequest,
  type RecipientVerdict,
} from "../ports/MailSpool.js"
import { MailboxStore, type RecipientFacts } from "../ports/stores/MailboxStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { BounceProcessor } from "../reports/BounceProcessor.js"
import { type LogFields, logLines } from "../mailLog.js"
import { Metrics } from "../metrics.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { type AcceptedMail, InboundQueue } from "./InboundQueue.js"
import { MailLoad } from "./MailLoad.js"
import { sizeOf } from "./rawContent.js"
import { RoleAddresses } from "./RoleAddresses.js"
import { SenderScreening } from "./SenderScreening.js"

const judge = (facts: RecipientFacts | undefined): RecipientVerdict => {
  if (facts === undefined) return { kind: "unknown" }
  if (facts.status === "suspended" || facts.accountSuspended) return { kind: "suspended" }
  return { kind: facts.provisioned ? "accepted" : "not provisioned" }
}

/**
 * Judges recipients, in their order. `isReportAddress`: that of `BounceProcessor`; these addresses take mail without a mailbox.
 * `roles`: the verdicts on role addresses (`RoleAddresses`). `refused`: the requests whose sender the mailbox refuses
 * (`SenderScreening`).
 */
export const judgeRecipients = (
  requests: ReadonlyArray<RecipientRequest>,
  found: ReadonlyArray<RecipientFacts>,
  isReportAddress: (address: string) => boolean,
  roles: ReadonlyMap<string, RecipientVerdict>,
  refused: ReadonlySet<RecipientRequest>,
): ReadonlyArray<RecipientVerdict> => {
  const facts = new Map(found.map((one) => [one.fullAddress, one]))
  return requests.map((request) => {
    if (isReportAddress(request.to)) return { kind: "accepted" }
    const verdict = roles.get(request.to) ?? judge(facts.get(mailboxAddress(request.to)))
    return verdict.kind === "accepted" && refused.has(request) ? { kind: "blocked" } : verdict
  })
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
    const mailLoad = yield* MailLoad
    const queue = yield* InboundQueue
    const bounces = yield* BounceProcessor
    const roles = yield* RoleAddresses
    const screening = yield* SenderScreening
    const blobDrafts = yield* BlobDrafts
    const { commit } = yield* UnitOfWork
    const nextKey = yield* makeReservedKeys("raw/")

    const store = Effect.fnUntraced(function* (incoming: ReadonlyArray<IncomingMail>) {
      const mails = Array.zipWith(incoming, yield* ids.uuids(incoming.length), (mail, rawId): StoredMail => ({
        ...mail,
        rawId: RawMailId.make(rawId, MADE_HERE),
        sizeBytes: sizeOf(mail.content),
      }))
      yield* rawMails.insert(
        mails.map(({ rawId, content, envelope }) => ({ id: rawId, content, createdAt: envelope.receivedAt })),
      )
      const withinShare = yield* queue.enqueue(mails)
      yield* blobDrafts.end(blobKeysOf(mails))
      const sizeBytes = totalBytes(mails)
      return { mails, sizeBytes, withinShare }
    })

    return MailSpool.of({
      recipients: Effect.fnUntraced(function* (requests) {
        const addresses = requests.map(({ to }) => to)
        const found = yield* mailboxes.recipients([...new Set(addresses.map(mailboxAddress))])
        const judged = yield* roles.judge(addresses, hasMailbox(found))
        const refused = yield* screening.refused(requests, found)
        return judgeRecipients(requests, found, bounces.isReportAddress, judged, refused)
      }),
      stage: Effect.fnUntraced(function* (content) {
        const key = yield* nextKey
        const { sizeBytes } = yield* blobs.put(key, content)
        return { kind: "blob", key, sizeBytes }
      }),
      discard: (content) => blobDrafts.discard(blobKeysOf([{ content }])),
      accept: (mails) =>
        Effect.flatMap(commit(store(mails)), (stored) =>
          Effect.all(
            [
              mailLoad.accepted({ ...stored, mails: stored.mails.length }),
              Metrics.mailsAccepted(stored.mails.length),
              logLines("mail accepted", stored.mails, acceptedFields),
            ],
            { discard: true },
          ),
        ),
    })
  }),
)
