/** The accept stage: judging recipients and making mail durable, many at one commit (decisions §6). */
import { normalizeAddress, RawMailId, withoutTag } from "@mailroom/domain"
import { Deferred, Effect, Exit, Layer, Queue } from "effect"
import { Ids } from "../ids/Ids.js"
import { Blobs } from "../ports/Blobs.js"
import { type Envelope, type RawContent, Reception } from "../ports/Reception.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { announce, UnitOfWork } from "../UnitOfWork.js"

/** How many mails one commit makes durable. */
const GROUP_MAX = 64

interface Waiting {
  readonly envelope: Envelope
  readonly content: RawContent
  readonly durable: Deferred.Deferred<void>
}

/** One turn of the event loop: sockets that are ready hand over their mails, and these share the commit. */
const turnOfTheLoop = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** `Reception` over the stores. */
export const receptionLayer = Layer.scoped(
  Reception,
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const mailboxes = yield* MailboxStore
    const rawMails = yield* RawMailStore
    const blobs = yield* Blobs
    const ids = yield* Ids
    const { commit } = yield* UnitOfWork
    const waiting = yield* Queue.unbounded<Waiting>()

    const store = Effect.fnUntraced(function* (group: Iterable<Waiting>) {
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
    })

    const commitGroup = Effect.gen(function* () {
      const first = yield* Queue.take(waiting)
      yield* turnOfTheLoop
      const group = [first, ...(yield* Queue.takeUpTo(waiting, GROUP_MAX - 1))]
      const exit = yield* Effect.exit(commit(store(group)))
      for (const { durable } of group) Deferred.unsafeDone(durable, Exit.asVoid(exit))
    })
    yield* Effect.forkScoped(Effect.forever(commitGroup))

    return Reception.of({
      recipient: Effect.fnUntraced(function* (address) {
        const [mailbox] = yield* mailboxes.byAddresses([withoutTag(normalizeAddress(address))])
        if (mailbox === undefined) return { kind: "unknown" }
        if (mailbox.status === "suspended") return { kind: "suspended" }
        const account = yield* Effect.flatten(accounts.byId(mailbox.accountId)).pipe(
          Effect.catchTag("NoSuchElementException", () => Effect.succeed(null)),
        )
        if (account === null) return { kind: "unknown" }
        if (account.suspendedAt !== null) return { kind: "suspended" }
        return { kind: mailbox.provisioned ? "accepted" : "not provisioned" }
      }),
      stage: Effect.fnUntraced(function* (content) {
        const key = `raw/${yield* ids.uuid}`
        const { sizeBytes } = yield* blobs.put(key, content)
        return { kind: "blob", key, sizeBytes }
      }),
      discard: (content) => (content.kind === "blob" ? blobs.remove([content.key]) : Effect.void),
      accept: Effect.fnUntraced(function* (envelope, content) {
        const durable = yield* Deferred.make<void>()
        yield* Queue.offer(waiting, { envelope, content, durable })
        yield* Deferred.await(durable)
      }),
    })
  }),
)
