/** The header fields that a mail keeps when a client submits it by SMTP (docs/decisions/0073). */

/**
 * Fields that say something about the mail and that no server acts on. Fields of a mail provider, such as X-SES-*, are not
 * among them: they would act on the operator's account there.
 */
const kept = new Set([
  "accept-language",
  "auto-submitted",
  "autocrypt",
  "autocrypt-gossip",
  "comments",
  "disposition-notification-to",
  "expires",
  "importance",
  "keywords",
  "list-archive",
  "list-help",
  "list-id",
  "list-owner",
  "list-post",
  "list-subscribe",
  "list-unsubscribe",
  "list-unsubscribe-post",
  "openpgp",
  "organization",
  "precedence",
  "priority",
  "sensitivity",
  "thread-index",
  "thread-topic",
  "user-agent",
  "x-mailer",
  "x-msmail-priority",
  "x-priority",
])

/** Begin of the fields that describe the body, which is sent as it was submitted (RFC 2045 §3). */
const OF_THE_BODY = "content-"
/** Begin of the fields that a send over HTTP may have (`CustomHeaders`). */
const CUSTOM = "x-custom-"

/** Whether a field is of the client's own, as in a send over HTTP. `name`: lower-case. */
export const isCustomField = (name: string): boolean => name.startsWith(CUSTOM)

/**
 * Whether a submitted mail keeps a field as it is. `name`: lower-case. The service writes From, To, Cc, Reply-To, Subject,
 * Date, Message-ID, In-Reply-To, References and MIME-Version itself, and drops all others.
 */
export const isKeptField = (name: string): boolean =>
  kept.has(name) || name.startsWith(OF_THE_BODY) || isCustomField(name)
