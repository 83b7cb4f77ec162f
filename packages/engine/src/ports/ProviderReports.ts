/** What a mail provider reports over HTTP, where the relay is one (SES, Postmark, another). */
import type { InvalidSignature, MailReport } from "@mailroom/domain"
import { Context, type Effect } from "effect"

/** One request of a provider, as it came. */
export interface ProviderNotice {
  /** names in lower case */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** The provider that this service sends through, if there is one that reports. */
export class ProviderReports extends Context.Tag("@mailroom/ProviderReports")<
  ProviderReports,
  {
    /** its name in the address of the webhook: `ses`, `postmark`, `generic`; null when there is none */
    readonly provider: string | null
    /**
     * What the notice says about mails of ours: each with the return path it was sent with. Empty when it is about
     * something else. `InvalidSignature`: it does not prove that the provider wrote it, or cannot be read.
     */
    readonly read: (notice: ProviderNotice) => Effect.Effect<ReadonlyArray<MailReport>, InvalidSignature>
  }
>() {}
