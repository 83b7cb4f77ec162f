/** The accept stage: judging recipients and making mail durable, many at one commit (decisions §6). */
import { normalizeAddress, RawMailId, withoutTag } from "@mailroom/domain"
import { Effect, Layer } from "effect"
import { Ids } from "../ids/Ids.js"
import { Blobs } from "../ports/Blobs.js"
import { type Envelope, type RawContent, Reception, type RecipientVerdict } from "../ports/Reception.js"
import { MailboxStore, type RecipientFacts } from "../ports/stores/MailboxStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { announce, UnitOfWork } from "../UnitOfWork.js"
import { inGroups, moment, turnOfTheLoop } from "./inGroups.js"

/** How many mails one commit makes durable. */
const MAILS_MAX = 64
/** How many recipients one look-up judges. */
const RECIPIENTS_MAX = 64

interface Accepting {
  readonly envelope: Envelope
  readonly content: RawContent
}

const judge = (facts: RecipientFacts | undefined): RecipientVerdict => {
  if (facts === undefined) return { kind: "unknown" }
  if (facts.status === "suspended" || facts.accountSuspended) return { kind: "suspended" }
  return { kind: facts.provisioned ? "accepted" : "not provisioned" }
}

/** `Reception` over the stores. */
export const receptionLayer = Layer.scoped(
  Reception,
  Effect.gen(function* () {
    const mailboxes = yield* MailboxStore
    const rawMails = yield* RawMailStore
    const blobs = yield* Blobs
    const ids = yield* Ids
    const { commit } = yield* UnitOfWork

    const store = Effect.fnUntraced(function* (group: ReadonlyArray<Accepting>) {
      const mails = yield* Effect.forEach(group, ({ envelope, content }) =>
        Effect.zipWith(ids.uuid, ids.uuid, (id, rawId) => ({
          id,
          rawId: RawMailId.make(rawId),
          envelope,
          content,
        })),
      )
      yield* rawMails.insert(
        mails.map(({ rawId, content, envelope }) => ({ id: rawId, content, createdAt: envelope.receivedAt })),
      )
      yield* rawMails.enqueue(mails)
      yield* announce("mail")
      return group.map(() => null)
    })

    const accept = yield* inGroups<Accepting, null>({
      max: MAILS_MAX,
      // A lone sender never waits: only where the last group had company is there a pause for this one to find some.
      gather: (lastSize) => (lastSize > 1 ? moment : turnOfTheLoop),
      work: (group) => commit(store(group)),
    })

    const recipient = yield* inGroups<string, RecipientVerdict>({
      max: RECIPIENTS_MAX,
      gather: () => turnOfTheLoop,
      work: (addresses) =>
        Effect.map(mailboxes.recipients([...new Set(addresses)]), (found) => {
          const facts = new Map(found.map((one) => [one.fullAddress, one]))
          return addresses.map((address) => judge(facts.get(address)))
        }),
    })

    return Reception.of({
      recipient: (address) => recipient(withoutTag(normalizeAddress(address))),
      stage: Effect.fnUntraced(function* (content) {
        const key = `raw/${yield* ids.uuid}`
        const { sizeBytes } = yield* blobs.put(key, content)
        return { kind: "blob", key, sizeBytes }
      }),
      discard: (content) => (content.kind === "blob" ? blobs.remove([content.key]) : Effect.void),
      accept: (envelope, content) => Effect.asVoid(accept({ envelope, content })),
    })
  }),
)
