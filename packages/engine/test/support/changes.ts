/** Changes records directly, as the operator, other processes or time would. */
import {
  type AccountRecord,
  DomainId,
  type DomainRecord,
  type MailboxRecord,
  SuppressionId,
} from "@mailroom/domain"
import {
  AccountStore,
  Administration,
  DomainStore,
  MailboxStore,
  SigningKeys,
  SuppressionStore,
} from "@mailroom/engine"
import { Clock, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { as, type Owner } from "./owners.js"

export const changeAccount = (owner: Owner, change: Partial<AccountRecord>) =>
  Effect.gen(function* () {
    const { account } = yield* as(owner)
    const accounts = yield* AccountStore
    yield* accounts.save({ ...account, ...change })
  })

export const suspendAccount = (owner: Owner) =>
  Effect.gen(function* () {
    const { account } = yield* as(owner)
    const administration = yield* Administration
    yield* administration.suspendAccount(account.id, "spam")
  })

export const unsuspendAccount = (owner: Owner) =>
  Effect.gen(function* () {
    const { account } = yield* as(owner)
    const administration = yield* Administration
    yield* administration.unsuspendAccount(account.id)
  })

export const changeMailbox = (owner: Owner, change: Partial<MailboxRecord>) =>
  Effect.gen(function* () {
    const mailboxes = yield* MailboxStore
    for (const mailbox of yield* mailboxes.lock([owner.mailboxId]))
      yield* mailboxes.save({ ...mailbox, ...change })
  })

/** A custom domain that is not checked. */
export const addDomain = (owner: Owner, domain: string, status: DomainRecord["status"] = "VERIFIED") =>
  Effect.gen(function* () {
    const { account } = yield* as(owner)
    const domains = yield* DomainStore
    const now = yield* Clock.currentTimeMillis
    const id = DomainId.make(randomUUID())
    const key = yield* Effect.flatMap(SigningKeys, ({ generate }) => generate)
    yield* Effect.orDie(
      domains.insert({
        id,
        accountId: account.id,
        domain,
        status,
        dkimSelector: key.selector,
        dkimPublicKey: key.publicKey,
        sealedDkimKey: key.sealedKey,
        nextDkimSelector: null,
        nextDkimPublicKey: null,
        nextSealedDkimKey: null,
        mxState: "MISSING",
        spfState: "MISSING",
        dkimState: "MISSING",
        dmarcState: "MISSING",
        wrongSince: null,
        nextCheckAt: null,
        createdAt: now,
        updatedAt: now,
      }),
    )
    return id
  })

export const suppress = (owner: Owner, email: string) =>
  Effect.gen(function* () {
    const { account } = yield* as(owner)
    const suppressions = yield* SuppressionStore
    const createdAt = yield* Clock.currentTimeMillis
    const id = SuppressionId.make(randomUUID())
    yield* suppressions.insert({ id, accountId: account.id, email, reason: "MANUAL", createdAt })
  })
