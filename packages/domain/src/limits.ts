/**
 * Every limit of the service, once. Each names the section it comes from: "spec" is the interface specification,
 * "decisions" the page beside it. Bytes are binary (25 MB = 26,214,400), durations are milliseconds.
 */
import { DAY, HOUR, MINUTE, SECOND } from "./time.js"

const KB = 1024
const MB = 1024 * KB
export const GB = 1024 * MB

/** spec, Size limits */
export const SUBJECT_MAX_LENGTH = 998
/** spec, Size limits: one attachment */
export const ATTACHMENT_MAX_BYTES = 25 * MB
/** decisions §5: all attachments of one message */
export const ATTACHMENTS_MAX_BYTES = 25 * MB
/** decisions §5: one encoded message; §6: the SMTP SIZE */
export const MESSAGE_MAX_BYTES = 40 * MB
/** spec, Size limits: inbound attachments a message; decisions §5: outbound too */
export const ATTACHMENTS_MAX_COUNT = 20
/** decisions §5: `to` of a send */
export const RECIPIENTS_MAX_COUNT = 50
/** decisions §2: a body inside a list is cut here */
export const LIST_BODY_MAX_LENGTH = 64 * KB
/** docs/decisions/0038, 0049: raw mail up to this size is a row of the database, and keeps its files in it */
export const INLINE_MAX_BYTES = 256 * KB
/** docs/decisions/0006: a body inside an event is cut here */
export const EVENT_BODY_MAX_LENGTH = 1 * MB

/** docs/decisions/0045: answers up to this size, in bytes, are not counted while their clients read them */
export const SMALL_ANSWER_MAX_BYTES = 256 * KB
/** docs/decisions/0045: what a download counts for while it is read; it holds a piece of the file, never all of it */
export const DOWNLOAD_COUNTS_BYTES = 2 * MB
/** docs/decisions/0045: unread answers of one account, and of one process, in bytes; one answer alone may be larger */
export const UNREAD_MAX_BYTES_PER_ACCOUNT = 64 * MB
export const UNREAD_MAX_BYTES = 256 * MB

/** spec, Size limits: messages list page */
export const MESSAGES_PAGE_MAX = 100
export const MESSAGES_PAGE_DEFAULT = 50
/** decisions §4: suppressions list page */
export const SUPPRESSIONS_PAGE_MAX = 100
export const SUPPRESSIONS_PAGE_DEFAULT = 50
/** spec, Size limits: threads list */
export const THREADS_MAX = 50

/** Requests for help an hour and account, and the longest message of one, in characters. */
export const SUPPORT_REQUESTS_PER_HOUR = 10
export const SUPPORT_MESSAGE_MAX_LENGTH = 20_000

/** longest display name of a mailbox, in characters */
export const DISPLAY_NAME_MAX_LENGTH = 255

/** spec, Event stream 5 */
export const REPLAY_MAX_EVENTS = 100
export const REPLAY_TTL = 1 * HOUR
/** spec, Event stream 1 */
export const STREAMS_MAX_PER_ACCOUNT = 5
/** spec, Event stream 2 */
export const STREAM_HEARTBEAT = 30 * SECOND
/** spec, Event stream 3 */
export const STREAM_LIFETIME = 4.5 * MINUTE

/** decisions §4: how long the answer under an `Idempotency-Key` is replayed, from the key's first use */
export const IDEMPOTENCY_TTL = 24 * HOUR

/** spec, Size limits: download URL validity */
export const DOWNLOAD_URL_TTL = 24 * HOUR
/** spec, Size limits: checkout link validity */
export const CHECKOUT_TTL = 24 * HOUR
/** An open checkout is handed out again as long as it is open for this much longer; then a new one is made. */
export const CHECKOUT_REUSE_MIN = 12 * HOUR

/** spec, Send limits: trial */
export const TRIAL_DURATION = 3 * DAY
export const TRIAL_SENDS = 10
export const TRIAL_RECEIVES = 10

/** spec, Rate limits */
/** a client may ask this many times as often as it may sign up: refusals are free, and nobody guesses names for long */
export const SIGNUP_ATTEMPTS_MULTIPLE = 6
export const SLUG_CHECKS_PER_MINUTE_PER_IP = 30
/** docs/decisions/0045: a site (IPv4 /24, IPv6 /56) may do this many times what one host (IPv4 address, IPv6 /64) may */
export const SITE_MULTIPLE = 10
/** docs/decisions/0045: counts of windows that started longer ago are removed; no window is longer */
export const RATE_LIMIT_KEPT_FOR = 1 * DAY

/** decisions §4: how long the link in a verification mail works; a new one is a request away */
export const VERIFICATION_TTL = 7 * DAY
/** a dashboard session */
export const SESSION_TTL = 7 * DAY
/** an owner's password, in characters; NIST SP 800-63B §5.1.1.2 */
export const PASSWORD_MIN_LENGTH = 8
export const PASSWORD_MAX_LENGTH = 256
/** docs/decisions/0014: how long the link that sets a new password works */
export const PASSWORD_RESET_TTL = 1 * HOUR
/** docs/decisions/0014: how often an owner can be sent another link of one kind */
export const LINKS_PER_HOUR = 5
/** docs/decisions/0045: links asked for by one address in an hour, for all emails together */
export const LINKS_PER_HOUR_PER_IP = 30
/** docs/decisions/0014: wrong passwords for one email from one address, before the next try has to wait */
export const WRONG_PASSWORDS_MAX = 10
export const WRONG_PASSWORDS_WINDOW = 15 * MINUTE
/** docs/decisions/0045: wrong passwords from one address in the same window, for all emails together */
export const WRONG_PASSWORDS_PER_IP_MAX = 50
/**
 * docs/decisions/0045: wrong passwords for one email from all networks that never signed in to its account, in the same
 * window and in a day; NIST SP 800-63B §5.2.2 allows 100 in a row
 */
export const WRONG_PASSWORDS_OF_STRANGERS_MAX = 20
export const WRONG_PASSWORDS_OF_STRANGERS_PER_DAY = 100
/** docs/decisions/0045: a network from which nobody signed in to an account for this long is unknown to it again */
export const SIGN_IN_NETWORK_TTL = 90 * DAY
/** docs/decisions/0045: passwords checked or hashed at once, waiting for it in all, and waiting from one site */
export const PASSWORD_WORK_AT_ONCE = 4
export const PASSWORD_WORK_WAITING_MAX = 64
export const PASSWORD_WORK_WAITING_PER_SITE = 16
/** docs/decisions/0014: how long a mail of the service's own is tried while the relay is away */
export const SYSTEM_MAIL_TRIED_FOR = 3 * DAY
/** docs/decisions/0014: how long the page of an expired checkout goes on saying so */
export const CHECKOUT_KEPT_FOR = 30 * DAY
/** decisions §3: a deleted account's slug and email stay taken */
export const NAMES_RESERVED_FOR = 30 * DAY

/** decisions §7: wait before attempt 2, 3, …; the attempt after the last one does not happen */
export const WEBHOOK_RETRY_DELAYS = [1 * MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR] as const
/** decisions §7: ±10 % */
export const WEBHOOK_RETRY_JITTER = 0.1
/** decisions §7: one attempt */
export const WEBHOOK_TIMEOUT = 15 * SECOND
/** decisions §7: deliveries in a row that used up all attempts, before the webhook is FAILED */
export const WEBHOOK_MAX_FAILED_DELIVERIES = 10
/** decisions §7: custom headers of one webhook */
export const WEBHOOK_MAX_HEADERS = 10
/** docs/decisions/0016 */
export const WEBHOOKS_MAX_PER_ACCOUNT = 100
/** docs/decisions/0016: how long the secret before still signs */
export const WEBHOOK_SECRET_OVERLAP = 24 * HOUR
/** decisions §4: a page of deliveries, a page of the event log */
export const DELIVERIES_PAGE_MAX = 100
export const DELIVERIES_PAGE_DEFAULT = 50
export const EVENT_LOG_PAGE_MAX = 100
export const EVENT_LOG_PAGE_DEFAULT = 50
/** decisions §4: how long the log holds an event; a finished delivery is kept as long */
export const EVENT_RETENTION = 30 * DAY

/** decisions §6: more Received headers than this is a loop */
export const RECEIVED_MAX_COUNT = 50
/** decisions §5: how long a thread stays open for an answer that carries no headers to thread by */
export const THREAD_SUBJECT_WINDOW = 30 * DAY
/** how many ids of one message take part in threading: the first, and the newest of a References chain */
export const THREADING_MAX_IDS = 200
/** how much of a subject tells conversations apart, in characters: it is part of an index */
export const BASE_SUBJECT_MAX_LENGTH = 400
/** docs/decisions/0017: the References of an answer, in characters; servers refuse longer header fields */
export const REFERENCES_MAX_LENGTH = 16 * KB
/** docs/decisions/0031: recipients from which on a mail tells how to get no more of it */
export const BULK_RECIPIENTS = 10
/** docs/decisions/0032: automatic turns of one thread in an hour, before it is cut */
export const LOOP_TURNS_MAX = 10
/**
 * docs/decisions/0032: automatic turns of a mailbox with one correspondent in an hour, in all threads together, before
 * they are cut: more than of a thread, because some machines begin a thread for everything they tell
 */
export const CORRESPONDENT_TURNS_MAX = 30
export const LOOP_WINDOW = 1 * HOUR
/** docs/decisions/0032: an answer that comes sooner was not written by a person */
export const MACHINE_ANSWERS_WITHIN = 10 * SECOND
/**
 * docs/decisions/0042: from then on a blob that no row names is removed. Longer than the end of a send is tried, which may
 * bring the row
 */
export const BLOB_DRAFT_KEPT_FOR = 2 * HOUR
/**
 * docs/decisions/0042: for so long after its reservation a key may be used for mail that arrives. What is left of
 * `BLOB_DRAFT_KEPT_FOR` is longer than a mail takes to arrive and to be accepted
 */
export const BLOB_KEY_USABLE_FOR = 1 * HOUR
/** docs/decisions/0042: how long the end of a send is tried again while the store is away */
export const SEND_END_TRIED_FOR = 1 * HOUR
/** docs/decisions/0042: so long the client waits for that, before the answer is that nobody knows */
export const SEND_END_AWAITED_FOR = 2 * SECOND
/** decisions §2, UNKNOWN: a send recorded this long ago whose end nobody wrote down; relaying takes 30 s at most */
export const UNKNOWN_AFTER = 10 * MINUTE

/** docs/decisions/0015: how often a domain that has not FAILED is looked up */
export const DOMAIN_CHECK_INTERVAL = 5 * MINUTE
/** docs/decisions/0015: -10 %, so that domains do not come due together for ever */
export const DOMAIN_CHECK_JITTER = 0.1
/** docs/decisions/0015: without a check that found all required records right */
export const DOMAIN_FAILS_AFTER = 72 * HOUR
/** docs/decisions/0015: how often, and for how long, a FAILED domain is still looked up */
export const DOMAIN_RECHECK_INTERVAL = 1 * DAY
export const DOMAIN_RECHECKS_FOR = 30 * DAY
/** docs/decisions/0020: pages of the operator's lists */
export const ADMIN_PAGE_MAX = 100
export const ADMIN_PAGE_DEFAULT = 50
/** docs/decisions/0020: an account search that finds more has to be narrowed */
export const ADMIN_MATCHES_MAX = 1000
/** docs/decisions/0020: the operator's numbers are counted so far */
export const STATS_COUNTED_TO = 100_000 as const
/** docs/decisions/0044: when the nightly comparison of counts with their rows begins, after midnight UTC, at the earliest */
export const CHECK_AFTER_MIDNIGHT = 2 * HOUR
/** docs/decisions/0044: and how much later at most, so that installations do not all begin together */
export const CHECK_JITTER = 2 * HOUR
