/** Claiming and waiting, as tests do it. */
import { anyArrival, type MailboxId, MessageId, type WaitFilter } from "@mailroom/domain"
import { type Claimed, type ClaimRequest, Claims, type WaitRequest, Waits } from "@mailroom/engine"
import { Effect } from "effect"
import { as, type Owner } from "./owners.js"
import { asPerson } from "./threads.js"

/** Claims the oldest free message of an owner's default mailbox. */
export const claim = (owner: Owner, over: Partial<ClaimRequest> & { readonly mailboxId?: MailboxId } = {}) =>
  Effect.gen(function* () {
    const claims = yield* Claims
    const { mailboxId = owner.mailboxId, ...request } = over
    return yield* claims.oldest(yield* as(owner), mailboxId, {
      leaseSeconds: 60,
      filter: null,
      timeoutSeconds: 0,
      stopped: Effect.never,
      ...request,
    })
  })

/** The subject of the message that was claimed; null for none. */
export const subjectOf = (claimed: Pick<Claimed, "message"> | null) =>
  claimed?.message.content.subject ?? null

/** The message of a claim. */
export const targetOf = ({ message: { content } }: Claimed) => ({
  mailboxId: content.mailboxId,
  id: MessageId.make(content.id),
})

/** Ends a claim. */
export const end = (owner: Owner, claimed: Claimed, state: "RELEASED" | "COMPLETED" = "COMPLETED") =>
  Effect.gen(function* () {
    const claims = yield* Claims
    return yield* claims.end(yield* as(owner), targetOf(claimed), claimed.token, state)
  })

/** The owner takes a claimed message back at the dashboard. */
export const takeBack = (owner: Owner, claimed: Claimed) =>
  Effect.gen(function* () {
    const claims = yield* Claims
    yield* claims.takeBack(yield* asPerson(owner), targetOf(claimed))
  })

/** Waits for an inbound message of an owner's default mailbox. */
export const wait = (
  owner: Owner,
  { filter, ...over }: Partial<Omit<WaitRequest, "filter">> & { readonly filter?: Partial<WaitFilter> } = {},
) =>
  Effect.gen(function* () {
    const waits = yield* Waits
    return yield* waits.wait(yield* as(owner), {
      mailboxId: owner.mailboxId,
      filter: { ...anyArrival, direction: "INBOUND", ...filter },
      from: "now",
      timeoutSeconds: 30,
      stopped: Effect.never,
      ...over,
    })
  })
