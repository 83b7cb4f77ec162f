/** The accept stage: judging recipients and making mail durable, many at one commit (decisions §6). */
import { normalizeAddress, RawMailId, withoutTag } from "@mailroom/domain"
import { Array, Effect, Layer } from "effect"
import { Ids } from "../ids/Ids.js"
import { Blobs } from "../ports/Blobs.js"
import { type IncomingMail, Reception, type RecipientVerdict } from "../ports/Reception.js"
import { MailboxStore, type RecipientFacts } from "../ports/stores/MailboxStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { ReturnedMail } from "../reports/ReturnedMail.js"
import { Metrics } from "../metrics.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { InboundQueue } from "./InboundQueue.js"
import { Intake } from "./Intake.js"
import { sizeOf } from "./rawContent.js"

const judge = (facts: RecipientFacts | undefined): RecipientVerdict => {
  if (facts === undefined) return { kind: "unknown" }
  if (facts.status === "suspended" || facts.accountSuspended) return { kind: "suspended" }
  return { kind: facts.provisioned ? "accepted" : "not provisioned" }
}

/** `Reception` over the stores. */
export const receptionLayer = Layer.effect(
  Reception,
  Effect.gen(function* () {
    const mailboxes = yield* MailboxStore
    const rawMails = yield* RawMailStore
    const blobs = yield* Blobs
    const ids = yield* Ids
    const intake = yield* Intake
    const queue = yield* InboundQueue
    const returned = yield* ReturnedMail
    const { commit } = yield* UnitOfWork

    const store = Effect.fnUntraced(function* (incoming: ReadonlyArray<IncomingMail>) {
      const mails = Array.zipWith(incoming, yield* ids.uuids(incoming.length), (mail, rawId) => ({
        ...mail,
        rawId: RawMailId.make(rawId),
        sizeBytes: sizeOf(mail.content),
      }))
      yield* rawMails.insert(
        mails.map(({ rawId, content, envelope }) => ({ id: rawId, content, createdAt: envelope.receivedAt })),
      )
      yield* queue.enqueue(mails)
    })

    return Reception.of({
      recipients: (addresses) => {
        const plain = addresses.map((address) => withoutTag(normalizeAddress(address)))
        return Effect.map(mailboxes.recipients([...new Set(plain)]), (found) => {
          const facts = new Map(found.map((one) => [one.fullAddress, one]))
          return Array.zipWith(addresses, plain, (address, mailbox) =>
            returned.isExpected(address) ? { kind: "accepted" } : judge(facts.get(mailbox)),
          )
        })
      },
      stage: Effect.fnUntraced(function* (content) {
        const key = `raw/${yield* ids.uuid}`
        const { sizeBytes } = yield* blobs.put(key, content)
        return { kind: "blob", key, sizeBytes }
      }),
      discard: (content) => (content.kind === "blob" ? blobs.remove([content.key]) : Effect.void),
      accept: (mails) =>
        commit(store(mails)).pipe(
          Effect.zipRight(intake.accepted(mails.length)),
          Effect.zipRight(Metrics.mailsAccepted(mails.length)),
        ),
    })
  }),
)
