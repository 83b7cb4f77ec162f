/** Plan changes, further mailboxes, and cancellations by the payment provider. */
import { type BillingPeriod, type MailboxId, type Plan, serviceActor } from "@mailroom/domain"
import { Billing, Mailboxes, PlanChanges, Transactions } from "@mailroom/engine"
import { Clock, Effect } from "effect"
import { addDomain } from "./changes.js"
import { as, type Owner } from "./owners.js"

export const changePlan = (owner: Owner, plan: Plan, period?: BillingPeriod) =>
  Effect.gen(function* () {
    const billing = yield* Billing
    return yield* billing.changePlan(yield* as(owner), { plan, period })
  })

export const portal = (owner: Owner) =>
  Effect.gen(function* () {
    const billing = yield* Billing
    return yield* billing.portal(yield* as(owner))
  })

/** Lapses the account: the payment provider ends its subscription. */
export const lapses = (owner: Owner) =>
  Effect.gen(function* () {
    const { account } = yield* as(owner)
    const plans = yield* PlanChanges
    const { run } = yield* Transactions
    yield* run(plans.apply(account, { kind: "lapsed" }, yield* Clock.currentTimeMillis, serviceActor))
  })

/** Creates further mailboxes, oldest first. */
export const addMailboxes = (owner: Owner, count: number) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    const names = Array.from({ length: count }, (_, n) => `box-${n + 2}`)
    return yield* Effect.forEach(names, (localPart) =>
      Effect.flatMap(as(owner), (principal) =>
        mailboxes.create(principal, { localPart, displayName: null, domainId: null }),
      ),
    )
  })

/** Creates further mailboxes and returns the last. */
export const lastOf = (owner: Owner, count: number) =>
  Effect.flatMap(addMailboxes(owner, count), (made) => Effect.fromNullable(made.at(-1)))

/** Creates a mailbox on a new custom domain. */
export const mailboxAt = (owner: Owner, domain: string) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    const domainId = yield* addDomain(owner, domain)
    return yield* mailboxes.create(yield* as(owner), { localPart: "hello", displayName: null, domainId })
  })

export const mailboxesOf = (owner: Owner) =>
  Effect.flatMap(Mailboxes, ({ list }) => Effect.flatMap(as(owner), list))

/** Changes the status of a mailbox as its owner. */
export const setStatus = (owner: Owner, id: MailboxId, status: "ACTIVE" | "paused") =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    yield* mailboxes.update(yield* as(owner), id, { displayName: undefined, status })
  })
