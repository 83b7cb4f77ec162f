/**
 * A report about a sent mail: a delivery report (RFC 3464), a feedback report (RFC 5965) or a provider's webhook. Plain
 * values, because they cross a thread boundary.
 */

/**
 * `delivered`: another server accepted it; `delayed`: it is still being tried; `bounced`: it will not arrive;
 * `complained`: the reader reported it as spam; `unsubscribed`: the reader wants no more mail of the account; `opted-out`:
 * the reader wants no more mail of the mailbox that sent it.
 */
export type Outcome = "delivered" | "delayed" | "bounced" | "complained" | "unsubscribed" | "opted-out"

export interface RecipientReport {
  /**
   * The addresses that the report may be about, lower-case: first the address we sent to (Original-Recipient), then the
   * one it was forwarded to (Final-Recipient). Empty when the report names no address.
   */
  readonly addresses: ReadonlyArray<string>
  readonly outcome: Outcome
  /** enhanced status code such as `5.1.1` (RFC 3463); null when the report has none */
  readonly status: string | null
  /** the diagnostic text on one line, at most 500 characters; null when the report has none */
  readonly diagnostic: string | null
  /** whether the address is permanently invalid, if the reporter itself says so */
  readonly permanent: boolean | null
}

export interface MailReport {
  /** one for each reported recipient */
  readonly recipients: ReadonlyArray<RecipientReport>
  /**
   * The return path of the reported mail, if the report names it (Original-Mail-From, or the Return-Path of the
   * enclosed mail); else null.
   */
  readonly returnPath: string | null
}
