/** What a mail provider reports over HTTP, where the relay is one (SES, Postmark, another). */
import type { InvalidInput, InvalidSignature, MailReport, ProviderUnavailable } from "@mailroom/domain"
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
    /** Header fields that a mail carries along so that the provider can name its return path, which it replaces. */
    readonly headersFor: (returnPath: string) => Readonly<Record<string, string>>
    /**
     * What the notice says about mails of ours: each with the return path it was sent with, or what of it the provider
     * brings back. Empty when it is about something else; a notice that asks for something, as to confirm that we want
     * them, has it done. Providers repeat themselves and keep no order. `InvalidSignature`: it does not prove that
     * the provider wrote it; `InvalidInput`: the provider wrote it, and it cannot be read; `ProviderUnavailable`: the
     * provider has to be asked, and does not answer.
     */
    readonly read: (
      notice: ProviderNotice,
    ) => Effect.Effect<ReadonlyArray<MailReport>, InvalidInput | InvalidSignature | ProviderUnavailable>
  }
>() {}
