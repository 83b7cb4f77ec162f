/** The one account of an embedded Mailroom, with its domain. */
import type { DnsRecords, DomainId, Principal } from "@mailroom/domain"
import { Accounts, Domains } from "@mailroom/engine"
import { Context, Effect, Layer } from "effect"
import { atBorder, type MailroomFailure } from "./failures.js"

/** The name of the account in its store. Nobody sees it: addresses are on the domain. */
const SLUG = "embedded"

export class EmbeddedAccount extends Context.Tag("mailroom/EmbeddedAccount")<
  EmbeddedAccount,
  {
    /** the caller for the use cases of `mailroom/engine` */
    readonly principal: Principal
    readonly domain: string
    readonly domainId: DomainId
    /** what the DNS of the domain must say before mail comes from outside and is believed there */
    readonly dnsRecords: DnsRecords
  }
>() {
  /** Makes the account and its domain at the first start. */
  static readonly layer = (
    domain: string,
  ): Layer.Layer<EmbeddedAccount, MailroomFailure, Accounts | Domains> =>
    Layer.effect(
      EmbeddedAccount,
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const domains = yield* Domains
        const owner = { email: `postmaster@${domain}`, slug: SLUG, name: null }
        const principal = yield* accounts.adopt(owner)
        const adopted = yield* domains.adopt(principal, domain)
        return { principal, domain, domainId: adopted.domain.id, dnsRecords: adopted.dnsRecords }
      }).pipe(atBorder),
    )
}
