/** The custom domain that a mailbox sends from (spec, Domain status). */
import type { DomainRecord, DomainStatus, MailboxRecord } from "@mailroom/domain"
import { Effect, Option } from "effect"
import type { DomainStore } from "../ports/stores/DomainStore.js"

/** None on the platform domain, which needs no look-up, and when it is gone. */
export const senderDomain = (
  domains: typeof DomainStore.Service,
  { accountId, domainId }: Pick<MailboxRecord, "accountId" | "domainId">,
): Effect.Effect<Option.Option<DomainRecord>> =>
  domainId === null ? Effect.succeedNone : domains.byId(accountId, domainId)

/** null on the platform domain; a domain that is gone is as bad as one that failed. */
export const statusForSender = (
  { domainId }: Pick<MailboxRecord, "domainId">,
  domain: Option.Option<DomainRecord>,
): DomainStatus | null =>
  domainId === null
    ? null
    : Option.match(domain, { onNone: () => "FAILED" as const, onSome: ({ status }) => status })
