/** Reports over HTTP by the mail provider whose relay this service uses (SES, Postmark, another). */
import type { InvalidInput, InvalidSignature, MailReport, ProviderUnavailable } from "@mailroom/domain"
import { Context, type Effect } from "effect"

/** A webhook request of the provider. */
export interface ProviderNotice {
  /** names in lower case */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

export class ProviderReports extends Context.Tag("@mailroom/ProviderReports")<
  ProviderReports,
  {
    /** name in the path of the webhook: `ses`, `postmark`, `generic`; null: no provider */
    readonly provider: string | null
    /**
     * Header fields for a mail with this return path. The provider replaces return paths, and repeats the fields in
     * reports.
     */
    readonly headersFor: (returnPath: string) => Readonly<Record<string, string>>
    /**
     * The reports in a notice, each with the return path of its mail or the part of it that the provider repeats. Empty
     * for a notice about something else. Confirms a subscription of notices where the notice asks for that. Providers
     * repeat notices and keep no order.
     *
     * `InvalidSignature`: the notice does not prove that the provider wrote it. `InvalidInput`: it is authentic but
     * cannot be read. `ProviderUnavailable`: verifying or confirming it needs the provider, which does not answer.
     */
    readonly read: (
      notice: ProviderNotice,
    ) => Effect.Effect<ReadonlyArray<MailReport>, InvalidInput | InvalidSignature | ProviderUnavailable>
  }
>() {}
