/**
 * What became of a mail that left, as somebody else tells it: a delivery report (RFC 3464), a feedback report
 * (RFC 5965), a provider's webhook (decisions §6). Plain values: they cross a thread boundary.
 */

/**
 * `delivered`: somebody else took it, for good; `delayed`: it is still being tried; `bounced`: it will not arrive;
 * `complained`: its reader called it spam; `unsubscribed`: its reader wants no more.
 */
export type Outcome = "delivered" | "delayed" | "bounced" | "complained" | "unsubscribed"

export interface RecipientReport {
  /**
   * The addresses it may be about, lower-case, the one we wrote to first if the report tells it (Original-Recipient),
   * then the one it became on its way (Final-Recipient). Empty when the report names nobody.
   */
  readonly addresses: ReadonlyArray<string>
  readonly outcome: Outcome
  /** enhanced status code such as `5.1.1` (RFC 3463); null when none was given */
  readonly status: string | null
  /** what the other side said, in its words, on one line, at most 500 characters; null when it said nothing */
  readonly diagnostic: string | null
  /** of a bounce, when the reporter itself says so: whether the address is bad for good */
  readonly permanent: boolean | null
}

export interface MailReport {
  /** one for each recipient it speaks of */
  readonly recipients: ReadonlyArray<RecipientReport>
  /**
   * The return path of the mail it is about, where the report itself names it (Original-Mail-From, or the Return-Path
   * of the mail it encloses); null when not.
   */
  readonly returnPath: string | null
}
