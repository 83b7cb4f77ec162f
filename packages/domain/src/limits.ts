/**
 * Every limit of the service. Bytes are binary (25 MB = 26,214,400), durations are milliseconds. The tables in
 * docs/specification are generated from these constants.
 */
import { DAY, HOUR, MINUTE, SECOND } from "./durations.js"

const KB = 1024
const MB = 1024 * KB
export const GB = 1024 * MB

/** characters (spec: limits.size.subject) */
export const SUBJECT_MAX_LENGTH = 998
/** one attachment (spec: limits.size.attachment) */
export const ATTACHMENT_MAX_BYTES = 25 * MB
/** all attachments of a sent message (spec: decisions.sizes.attachments) */
export const ATTACHMENTS_MAX_BYTES = 25 * MB
/** an encoded message, and the SIZE of the SMTP server (spec: decisions.sizes.message, decisions.smtp.size) */
export const MESSAGE_MAX_BYTES = 40 * MB
/** attachments of a message, inbound and outbound (spec: limits.size.inbound-attachments) */
export const ATTACHMENTS_MAX_COUNT = 20
/** addresses in `to` of a send (spec: decisions.body.to), in `cc`, and in `bcc`; each has this limit of its own */
export const RECIPIENTS_MAX_COUNT = 50
/** characters of a body in a list (spec: decisions.message.truncated) */
export const LIST_BODY_MAX_LENGTH = 64 * KB
/** docs/decisions/0038, 0049: raw mail up to this size is stored in the database, and its attachments in it */
export const INLINE_MAX_BYTES = 256 * KB
/** docs/decisions/0006: characters of a body in an event */
export const EVENT_BODY_MAX_LENGTH = 1 * MB
/** docs/decisions/0039: bytes of an event above which a webhook delivery of it waits for memory */
export const LARGE_EVENT_BYTES = 256 * KB
/** docs/decisions/0039: memory for deliveries of large events, of a process and of an account; a single one may take more */
export const LARGE_DELIVERIES_MAX_BYTES = 96 * MB
export const LARGE_DELIVERIES_MAX_BYTES_PER_ACCOUNT = 32 * MB

/** docs/decisions/0045: responses up to this size are not counted as unread */
export const SMALL_ANSWER_MAX_BYTES = 256 * KB
/** docs/decisions/0021: larger responses that an account has stored for repetitions of its requests, together */
export const LARGE_ANSWERS_MAX_BYTES = 64 * MB
/** docs/decisions/0045: what a running download counts as unread; it holds a piece of the file in memory */
export const DOWNLOAD_COUNTS_BYTES = 2 * MB
/** docs/decisions/0045: maximal unread responses of an account, and of a process; a single response may be larger */
export const UNREAD_MAX_BYTES_PER_ACCOUNT = 64 * MB
export const UNREAD_MAX_BYTES = 256 * MB

/** page of the list of messages (spec: limits.size.page) */
export const MESSAGES_PAGE_MAX = 100
export const MESSAGES_PAGE_DEFAULT = 50
/** page of the list of all threads (spec: lists.threads.page) */
export const THREADS_PAGE_MAX = 100
export const THREADS_PAGE_DEFAULT = 50
/** labels of a message, and labels that a list can ask for (spec: lists.labels.max) */
export const LABELS_MAX = 20
/** page of the list of suppressions */
export const SUPPRESSIONS_PAGE_MAX = 100
export const SUPPRESSIONS_PAGE_DEFAULT = 50
/** page of an allow list or a block list */
export const LIST_ENTRIES_PAGE_MAX = 100
export const LIST_ENTRIES_PAGE_DEFAULT = 50
/** entries of all allow and block lists of an account (spec: senders.lists.max) */
export const LIST_ENTRIES_MAX = 5_000
/** characters of the reason of an entry */
export const LIST_REASON_MAX_LENGTH = 500
/** labels of the domain in a wildcard entry; bounds how many entries can match one address */
export const LIST_WILDCARD_LABELS_MAX = 10
/** page of the list of threads of a mailbox (spec: limits.size.threads) */
export const THREADS_MAX = 50

/** page of the lists of drafts and of reviews */
export const DRAFTS_PAGE_MAX = 100
export const DRAFTS_PAGE_DEFAULT = 50
/** drafts of an account, in any state (spec: drafts.limit) */
export const DRAFTS_MAX_PER_ACCOUNT = 1000
/** characters of a draft's `clientId` (spec: drafts.client-id) */
export const CLIENT_ID_MAX_LENGTH = 200
/** how far ahead `sendAt` may be (spec: drafts.schedule.ahead) */
export const SCHEDULE_MAX_AHEAD = 90 * DAY
/** docs/decisions/0066: how long a REJECTED or FAILED draft is kept */
export const ENDED_DRAFT_KEPT_FOR = 30 * DAY
/**
 * docs/decisions/0066: delay before attempt 2, 3, … of a scheduled send while the relay is unavailable; after the last of
 * them the draft is FAILED
 */
export const SCHEDULED_SEND_DELAYS = [
  1 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  1 * HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
] as const
/** docs/decisions/0066: the mail about new reviews waits this long, so that it names all of one burst */
export const REVIEW_NOTICE_AFTER = 30 * SECOND
/** docs/decisions/0066: the shortest time between two mails about new reviews */
export const REVIEW_NOTICES_APART = 15 * MINUTE
/** docs/decisions/0066: reviews that such a mail names */
export const REVIEW_NOTICE_NAMES = 10
/** characters of the reason of a rejection */
export const REJECTION_REASON_MAX_LENGTH = 2000

/** support requests an hour and account, and characters of a request */
export const SUPPORT_REQUESTS_PER_HOUR = 10
export const SUPPORT_MESSAGE_MAX_LENGTH = 20_000

/** hours until a review that nobody decided rejects the send (spec: mailboxes.policies.limits) */
export const REVIEW_TTL_HOURS_DEFAULT = 72
export const REVIEW_TTL_HOURS_MAX = 168

/** longest display name of a mailbox, in characters */
export const DISPLAY_NAME_MAX_LENGTH = 255

/** spec: events.stream.rule-5-buffer */
export const REPLAY_MAX_EVENTS = 100
export const REPLAY_TTL = 1 * HOUR
/** spec: events.stream.rule-1 */
export const STREAMS_MAX_PER_ACCOUNT = 5
/** spec: events.stream.rule-2 */
export const STREAM_HEARTBEAT = 30 * SECOND
/** spec: events.stream.rule-3 */
export const STREAM_LIFETIME = 4.5 * MINUTE

/** how long a response is replayed, from the first use of its `Idempotency-Key` (spec: decisions.idempotency.day) */
export const IDEMPOTENCY_TTL = 24 * HOUR

/** spec: limits.size.download */
export const DOWNLOAD_URL_TTL = 24 * HOUR
/** spec: limits.size.checkout */
export const CHECKOUT_TTL = 24 * HOUR
/** An open checkout is returned again while it is valid for at least this long; else a new one is created. */
export const CHECKOUT_REUSE_MIN = 12 * HOUR

/** the trial (spec: decisions.trial.starts) */
export const TRIAL_DURATION = 3 * DAY
export const TRIAL_SENDS = 10
export const TRIAL_RECEIVES = 10

/** attempts to sign up for each allowed signup: refused attempts are free, but not without limit */
export const SIGNUP_ATTEMPTS_MULTIPLE = 6
/** spec: limits.rate.check-slug */
export const SLUG_CHECKS_PER_MINUTE_PER_IP = 30
/** docs/decisions/0045: a site (IPv4 /24, IPv6 /56) has this many times the limit of a host (IPv4 address, IPv6 /64) */
export const SITE_MULTIPLE = 10
/** docs/decisions/0045: counts of older windows are removed; no window is longer */
export const RATE_LIMIT_KEPT_FOR = 1 * DAY

/** validity of the link in a verification mail */
export const VERIFICATION_TTL = 7 * DAY
/** validity of a dashboard session */
export const SESSION_TTL = 7 * DAY
/** an owner's password, in characters; NIST SP 800-63B §5.1.1.2 */
export const PASSWORD_MIN_LENGTH = 8
export const PASSWORD_MAX_LENGTH = 256
/** docs/decisions/0014: validity of the link that sets a new password */
export const PASSWORD_RESET_TTL = 1 * HOUR
/** docs/decisions/0014: links of one kind that an owner can request in an hour */
export const LINKS_PER_HOUR = 5
/** docs/decisions/0045: links requested from one address in an hour, for all emails together */
export const LINKS_PER_HOUR_PER_IP = 30
/** docs/decisions/0014: wrong passwords for one email from one address within the window */
export const WRONG_PASSWORDS_MAX = 10
export const WRONG_PASSWORDS_WINDOW = 15 * MINUTE
/** docs/decisions/0045: wrong passwords from one address in the same window, for all emails together */
export const WRONG_PASSWORDS_PER_IP_MAX = 50
/**
 * docs/decisions/0045: wrong passwords for one email from all networks unknown to its account, in the same window
 * and in a day; NIST SP 800-63B §5.2.2 allows 100 in a row
 */
export const WRONG_PASSWORDS_OF_STRANGERS_MAX = 20
export const WRONG_PASSWORDS_OF_STRANGERS_PER_DAY = 100
/** docs/decisions/0045: a network is unknown to an account again after this long without a sign-in */
export const SIGN_IN_NETWORK_TTL = 90 * DAY
/** docs/decisions/0045: password hashes computed at once, waiting in all, and waiting from one site */
export const PASSWORD_WORK_AT_ONCE = 4
export const PASSWORD_WORK_WAITING_MAX = 64
export const PASSWORD_WORK_WAITING_PER_SITE = 16
/** docs/decisions/0014: how long the service's own mail is retried while the relay is unavailable */
export const SYSTEM_MAIL_TRIED_FOR = 3 * DAY
/** docs/decisions/0014: how long the page of an expired checkout still answers */
export const CHECKOUT_KEPT_FOR = 30 * DAY
/** how long slug and email of a deleted account stay taken (spec: decisions.deleted-reserved) */
export const NAMES_RESERVED_FOR = 30 * DAY

/** delay before attempt 2, 3, …; there is no attempt after the last delay (spec: decisions.retry.schedule) */
export const WEBHOOK_RETRY_DELAYS = [1 * MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR] as const
/** ±10 % (spec: decisions.retry.schedule) */
export const WEBHOOK_RETRY_JITTER = 0.1
/** timeout of an attempt */
export const WEBHOOK_TIMEOUT = 15 * SECOND
/** deliveries in a row that used all attempts, before the webhook is FAILED (spec: decisions.retry.ten) */
export const WEBHOOK_MAX_FAILED_DELIVERIES = 10
/** custom headers of a webhook (spec: decisions.webhook.headers-10) */
export const WEBHOOK_MAX_HEADERS = 10
/** active keys of an account (docs/decisions/0065) */
export const API_KEYS_MAX_PER_ACCOUNT = 500
/** how long a revoked key is listed: as long as the audit trail has its revocation (spec: keys.audit.kept) */
export const REVOKED_KEY_KEPT_FOR = 400 * DAY
/** docs/decisions/0016 */
export const WEBHOOKS_MAX_PER_ACCOUNT = 100
/** docs/decisions/0016: how long the previous secret still signs */
export const WEBHOOK_SECRET_OVERLAP = 24 * HOUR
/** pages of deliveries and of the event log */
export const DELIVERIES_PAGE_MAX = 100
export const DELIVERIES_PAGE_DEFAULT = 50
export const EVENT_LOG_PAGE_MAX = 100
export const EVENT_LOG_PAGE_DEFAULT = 50
/** how long the log keeps an event, and a finished delivery is kept */
export const EVENT_RETENTION = 30 * DAY

/** a mail with more Received headers is in a loop (spec: decisions.smtp.loop) */
export const RECEIVED_MAX_COUNT = 50
/** inactivity after which a thread accepts no answers by subject (spec: decisions.threading.subject-window) */
export const THREAD_SUBJECT_WINDOW = 30 * DAY
/** ids of one message that take part in threading: the first, and the newest of a References chain */
export const THREADING_MAX_IDS = 200
/**
 * what a message keeps of the header of a mail, which may have a megabyte of each; its raw mail has all of it
 * (docs/specification/resources.md): characters of one address, addresses of one field, and characters of these together
 */
export const HEADER_ADDRESS_MAX_LENGTH = 998
export const HEADER_ADDRESSES_MAX = 1_000
export const HEADER_ADDRESSES_MAX_LENGTH = 64 * KB
/**
 * the same: characters of a subject, a display name and a Content-ID. Threads and the filter `subject` read as many of subjects
 * that earlier versions stored whole (spec: lists.filters.subject)
 */
export const HEADER_TEXT_MAX_LENGTH = 4 * KB
/** characters of a base subject; it is part of an index */
export const BASE_SUBJECT_MAX_LENGTH = 400
/** docs/decisions/0017: characters of the References of a reply; servers refuse longer header fields */
export const REFERENCES_MAX_LENGTH = 16 * KB
/** docs/decisions/0031: number of recipients from which a mail that is not `bulk` carries List-Unsubscribe too */
export const UNSUBSCRIBE_RECIPIENTS = 10
/** docs/decisions/0032: automatic messages of one thread in an hour, before the loop is cut */
export const LOOP_TURNS_MAX = 10
/**
 * docs/decisions/0032: automatic messages between a mailbox and one correspondent in an hour, over all threads. Higher
 * than for a thread, because some machines begin a thread for every notification
 */
export const CORRESPONDENT_TURNS_MAX = 30
export const LOOP_WINDOW = 1 * HOUR
/** docs/decisions/0032: a faster answer was not written by a person */
export const MACHINE_ANSWERS_WITHIN = 10 * SECOND
/**
 * docs/decisions/0042: a blob without a row is removed after this long. Longer than `SEND_END_TRIED_FOR`, because the end
 * of a send may still write the row
 */
export const BLOB_DRAFT_KEPT_FOR = 2 * HOUR
/**
 * docs/decisions/0042: inbound mail may use a reserved blob key for this long. The rest of `BLOB_DRAFT_KEPT_FOR` is
 * longer than receiving and accepting a mail takes
 */
export const BLOB_KEY_USABLE_FOR = 1 * HOUR
/** docs/decisions/0042: how long recording the end of a send is retried while the database is unavailable */
export const SEND_END_TRIED_FOR = 1 * HOUR
/** docs/decisions/0042: how long the client waits for that, before it gets `SEND_UNCERTAIN` */
export const SEND_END_AWAITED_FOR = 2 * SECOND
/**
 * docs/decisions/0042: the transactions with the relay for one message begin within this time, three at a time. A relay that
 * answers is done with all recipients long before
 */
export const RELAYED_WITHIN = 5 * MINUTE
/**
 * docs/decisions/0042: the transactions of one message end within this time. RFC 5321 §4.5.3.2.6 gives a relay 10 minutes for its
 * reply to a mail; but a client that submits the mail waits as long for ours (`SUBMISSION_AWAITED_FOR`)
 */
export const RELAYING_ENDS_WITHIN = 8.5 * MINUTE
/**
 * docs/decisions/0021: how long an `Idempotency-Key` stays in use without an end of its request. Longer than a send, of which relaying
 * takes the most; a key stays in use for so long after its process died
 */
export const IDEMPOTENCY_LEASE = RELAYING_ENDS_WITHIN + 1.5 * MINUTE
/** docs/decisions/0042: `RELAYING_ENDS_WITHIN` of a mail of the service itself. Less than the lease of the job that sends it */
export const SYSTEM_MAIL_ENDS_WITHIN = 1 * MINUTE
/** a send without a recorded end becomes UNKNOWN after this long; relaying has ended by then (`RELAYING_ENDS_WITHIN`) */
export const UNKNOWN_AFTER = 10 * MINUTE

/** docs/decisions/0073: the header of a mail that is submitted by SMTP; a longer one is refused */
export const SUBMITTED_HEADER_MAX_BYTES = 256 * KB
/** docs/decisions/0073: raw bytes of large submitted mails that one process reads and sends at the same time, half of them of one account */
export const SUBMISSIONS_AT_ONCE_BYTES = 80 * MB
/** docs/decisions/0076: raw bytes of imported mails that one process parses at the same time, half of them of one account */
export const IMPORTS_AT_ONCE_BYTES = 80 * MB
/** docs/decisions/0076: milliseconds that the imports of an account may be ahead of its share, before 429 */
export const IMPORTS_AHEAD_MAX = 2 * SECOND
/**
 * docs/decisions/0073: how long a submission waits for a reply of the service. Clients wait 10 minutes for the reply to a mail
 * (RFC 5321 §4.5.3.2.6); relaying has ended by then (`RELAYING_ENDS_WITHIN`)
 */
export const SUBMISSION_AWAITED_FOR = 9 * MINUTE

/** docs/decisions/0015: interval of DNS checks of a domain that has not FAILED */
export const DOMAIN_CHECK_INTERVAL = 5 * MINUTE
/** docs/decisions/0015: -10 %, so that checks of domains spread out */
export const DOMAIN_CHECK_JITTER = 0.1
/** docs/decisions/0015: a domain becomes FAILED after this long without a successful check */
export const DOMAIN_FAILS_AFTER = 72 * HOUR
/** docs/decisions/0015: interval and duration of DNS checks of a FAILED domain */
export const DOMAIN_RECHECK_INTERVAL = 1 * DAY
export const DOMAIN_RECHECKS_FOR = 30 * DAY
/** docs/decisions/0020: pages of the operator's lists */
export const ADMIN_PAGE_MAX = 100
export const ADMIN_PAGE_DEFAULT = 50
/** docs/decisions/0020: an account search with more matches must be narrowed */
export const ADMIN_MATCHES_MAX = 1000
/** docs/decisions/0020: the operator's statistics count up to this number */
export const STATS_COUNTED_TO = 100_000 as const
/** The operator's examination: how long it compares counts at most, and how many wrong ones its answer has. */
export const DOCTOR_TIME = 10 * SECOND
export const DOCTOR_FINDINGS_MAX = 100
/** Warnings and errors of the log that a process keeps for the operator. */
export const LOGGED_ERRORS_MAX = 200
/** docs/decisions/0044: earliest start of the nightly check of counts, after midnight UTC */
export const CHECK_AFTER_MIDNIGHT = 2 * HOUR
/** docs/decisions/0044: maximal additional delay, so that installations do not start together */
export const CHECK_JITTER = 2 * HOUR

/** docs/decisions/0063: UTF-16 units of the text inside an attachment that are kept; a longer text is cut */
export const ATTACHMENT_TEXT_MAX_LENGTH = 2_000_000
/** docs/decisions/0063: UTF-16 units of one part of such a text */
export const ATTACHMENT_TEXT_PAGE_MAX = 500_000
export const ATTACHMENT_TEXT_PAGE_DEFAULT = 50_000
/** docs/decisions/0063: files read for their text at once in a process, and of one account */
export const DOCUMENTS_AT_ONCE = 2
export const DOCUMENTS_PER_ACCOUNT = 1
/** docs/decisions/0063: requests that wait for the text of a file, in a process and of one account */
export const DOCUMENTS_WAITING_MAX = 64
export const DOCUMENTS_WAITING_PER_ACCOUNT = 16
/** docs/decisions/0063: how long reading one file may take */
export const DOCUMENT_DEADLINE = 20 * SECOND
/** docs/decisions/0070: bytes from which on a file is read only when somebody asks for its text */
export const FILE_READ_ON_REQUEST_BYTES = 1 * MB
/** docs/decisions/0070: attempts to read a file in the background. One that ends with its process counts too. */
export const FILE_READ_ATTEMPTS = 3
/** docs/decisions/0063: bytes of a calendar that is read, and attendees of it that a message shows */
export const CALENDAR_MAX_BYTES = 256 * KB
export const CALENDAR_ATTENDEES_MAX = 200

/** spec: reputation.health.window; the last sends of a mailbox that its health is judged by */
export const SENDING_WINDOW = 1000
/** spec: reputation.health.minimum; with fewer sends a mailbox is neither warned nor stopped */
export const SENDING_WINDOW_MIN = 50
/** spec: reputation.health.deleted; milliseconds for which reports about a deleted message count */
export const REMOVED_SEND_KEPT_FOR = 10 * DAY
/** spec: reputation.health.bounces, reputation.health.complaints; more of 1,000 sends stop a mailbox, more than half warn */
export const HARD_BOUNCES_MAX_PER_MILLE = 100
export const COMPLAINTS_MAX_PER_MILLE = 5
/** docs/decisions/0068: how long the counters of an hour and of a day are kept */
export const METRICS_KEPT_FOR = { hour: 35 * DAY, day: 400 * DAY } as const
/** spec: reputation.metrics.range; hours of one response: 31 days */
export const METRICS_MAX_HOURS = 744
/** spec: reputation.metrics.range; the range without `from` */
export const METRICS_RANGE_DEFAULT = { hour: 1 * DAY, day: 30 * DAY } as const
