/** Whether the domain that a mailbox sends from is its account's own (spec, Domain status). */
import type { DomainStatus, MailboxRecord } from "@mailroom/domain"
import { Effect, Option } from "effect"
import type { DomainStore } from "../ports/stores/DomainStore.js"

/** null on the platform domain, which needs no look-up; a domain that is gone is as bad as one that failed. */
export const senderDomainStatus = (
  domains: typeof DomainStore.Service,
  { accountId, domainId }: Pick<MailboxRecord, "accountId" | "domainId">,
): Effect.Effect<DomainStatus | null> =>
  domainId === null
    ? Effect.succeed(null)
    : Effect.map(
        domains.byId(accountId, domainId),
        Option.match({ onNone: () => "FAILED" as const, onSome: ({ status }) => status }),
      )
