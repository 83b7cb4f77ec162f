/** The tables of limits in docs/specification: each value comes from the constant that the code uses. */
import {
  ATTACHMENT_MAX_BYTES,
  ATTACHMENTS_MAX_BYTES,
  ATTACHMENTS_MAX_COUNT,
  CHECKOUT_TTL,
  DOWNLOAD_URL_TTL,
  EVENT_BODY_MAX_LENGTH,
  EVENT_LOG_PAGE_DEFAULT,
  EVENT_LOG_PAGE_MAX,
  EVENT_RETENTION,
  IDEMPOTENCY_TTL,
  HEADER_ADDRESS_MAX_LENGTH,
  HEADER_ADDRESSES_MAX,
  HEADER_ADDRESSES_MAX_LENGTH,
  HEADER_TEXT_MAX_LENGTH,
  LIST_BODY_MAX_LENGTH,
  MESSAGE_MAX_BYTES,
  MESSAGES_PAGE_DEFAULT,
  MESSAGES_PAGE_MAX,
  NAMES_RESERVED_FOR,
  RECEIVED_MAX_COUNT,
  RECIPIENTS_MAX_COUNT,
  REPLAY_MAX_EVENTS,
  REPLAY_TTL,
  SLUG_CHECKS_PER_MINUTE_PER_IP,
  STREAM_HEARTBEAT,
  STREAM_LIFETIME,
  STREAMS_MAX_PER_ACCOUNT,
  SUBJECT_MAX_LENGTH,
  THREAD_SUBJECT_WINDOW,
  THREADING_MAX_IDS,
  THREADS_MAX,
  WAITS_MAX_PER_ACCOUNT,
  TRIAL_DURATION,
  TRIAL_RECEIVES,
  TRIAL_SENDS,
  API_KEYS_MAX_PER_ACCOUNT,
  WEBHOOK_MAX_FAILED_DELIVERIES,
  WEBHOOK_MAX_HEADERS,
  WEBHOOK_RETRY_DELAYS,
  WEBHOOK_RETRY_JITTER,
  WEBHOOK_TIMEOUT,
  WEBHOOKS_MAX_PER_ACCOUNT,
} from "@mailroom/domain"
import { Duration } from "effect"
import type { RowId } from "../rows/index.js"

interface DocumentedLimit {
  readonly what: string
  readonly value: string
  readonly rows: ReadonlyArray<RowId>
}

const limit = (what: string, value: string | number, ...rows: ReadonlyArray<RowId>): DocumentedLimit => ({
  what,
  value: typeof value === "number" ? value.toLocaleString("en-US") : value,
  rows,
})

const MB = 1024 * 1024

/** Binary units, with the exact number: `25 MB (26,214,400 bytes)`. */
export const bytes = (count: number): string => {
  const text = count >= 1024 * MB ? `${count / (1024 * MB)} GB` : `${count / MB} MB`
  return `${text} (${count.toLocaleString("en-US")} bytes)`
}

const plural = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? "" : "s"}`

/** Milliseconds in words: days from two days on, else the largest unit that is whole or has one decimal. */
const duration = (millis: number): string => {
  const length = Duration.millis(millis)
  if (millis < 60_000) return plural(Duration.toSeconds(length), "second")
  if (millis < 3_600_000) return plural(Duration.toMinutes(length), "minute")
  const hours = Duration.toHours(length)
  return hours <= 24 ? plural(hours, "hour") : plural(Duration.toDays(length), "day")
}

const characters = (count: number): string => `${count.toLocaleString("en-US")} characters`

export const limitTables: Readonly<Record<string, ReadonlyArray<DocumentedLimit>>> = {
  trial: [
    limit("sends in the trial", TRIAL_SENDS),
    limit("received messages that are visible in the trial", TRIAL_RECEIVES),
    limit("duration of the trial", duration(TRIAL_DURATION)),
  ],
  rates: [
    limit(
      "signups an hour per client address; `X-RateLimit-Remaining` counts down",
      "5, unless the operator sets another number",
      "limits.rate.signup",
    ),
    limit("slug checks a minute per client address", SLUG_CHECKS_PER_MINUTE_PER_IP, "limits.rate.check-slug"),
    limit("open event streams of an account", STREAMS_MAX_PER_ACCOUNT, "limits.rate.streams"),
    limit("requests of an account that wait for a message", WAITS_MAX_PER_ACCOUNT),
  ],
  sizes: [
    limit(
      "one attachment, sent, uploaded or received",
      bytes(ATTACHMENT_MAX_BYTES),
      "limits.size.attachment",
      "decisions.sizes.attachment",
      "decisions.values.attachment-bytes",
    ),
    limit(
      "all attachments of a sent message together",
      bytes(ATTACHMENTS_MAX_BYTES),
      "limits.size.message",
      "decisions.sizes.attachments",
    ),
    limit("a sent message, encoded", bytes(MESSAGE_MAX_BYTES), "decisions.sizes.message"),
    limit("SIZE of the SMTP server", bytes(MESSAGE_MAX_BYTES)),
    limit("attachments of a sent message", ATTACHMENTS_MAX_COUNT, "decisions.body.attachments-20"),
    limit("attachments kept of a received message", ATTACHMENTS_MAX_COUNT, "limits.size.inbound-attachments"),
    limit("addresses in each of `to`, `cc` and `bcc` of a send", RECIPIENTS_MAX_COUNT),
    limit("a subject", characters(SUBJECT_MAX_LENGTH), "limits.size.subject"),
    limit("a body in a list, before it is cut", characters(LIST_BODY_MAX_LENGTH)),
    limit("a body in an event, before it is cut", characters(EVENT_BODY_MAX_LENGTH)),
    limit("Received headers of a mail", RECEIVED_MAX_COUNT),
    limit("addresses kept of each of To, Cc and Reply-To of a received mail", HEADER_ADDRESSES_MAX),
    limit("these addresses together", characters(HEADER_ADDRESSES_MAX_LENGTH)),
    limit("one such address; a longer one is left out", characters(HEADER_ADDRESS_MAX_LENGTH)),
    limit("ids kept of References: the first, and the newest", THREADING_MAX_IDS),
    limit("subject, display name and Content-ID kept of a received mail", characters(HEADER_TEXT_MAX_LENGTH)),
    limit(
      "`limit` of the list of messages",
      `1 to ${MESSAGES_PAGE_MAX}, ${MESSAGES_PAGE_DEFAULT} by default`,
      "limits.size.page",
    ),
    limit("`limit` of the event log", `1 to ${EVENT_LOG_PAGE_MAX}, ${EVENT_LOG_PAGE_DEFAULT} by default`),
    limit("threads in the list of a mailbox, which has no pages", THREADS_MAX, "limits.size.threads"),
    limit("active API keys of an account", API_KEYS_MAX_PER_ACCOUNT),
    limit("webhooks of an account", WEBHOOKS_MAX_PER_ACCOUNT),
    limit("custom headers of a webhook", WEBHOOK_MAX_HEADERS),
  ],
  periods: [
    limit("a presigned download link is valid", duration(DOWNLOAD_URL_TTL), "limits.size.download"),
    limit("a checkout link is valid", duration(CHECKOUT_TTL), "limits.size.checkout"),
    limit("an `Idempotency-Key` is remembered", duration(IDEMPOTENCY_TTL)),
    limit("the event log keeps an event", duration(EVENT_RETENTION)),
    limit("slug and email of a deleted account stay taken", duration(NAMES_RESERVED_FOR)),
    limit("a thread accepts answers by their subject alone", duration(THREAD_SUBJECT_WINDOW)),
  ],
  stream: [
    limit("open streams of an account", STREAMS_MAX_PER_ACCOUNT),
    limit("heartbeat interval", duration(STREAM_HEARTBEAT)),
    limit("life of a connection, about", duration(STREAM_LIFETIME)),
    limit("events in the replay buffer", REPLAY_MAX_EVENTS, "limits.size.replay-events"),
    limit("age of events in the replay buffer", duration(REPLAY_TTL), "limits.size.replay-hour"),
  ],
  webhooks: [
    limit("delays before the next attempt", WEBHOOK_RETRY_DELAYS.map(duration).join(", ")),
    limit("jitter of each delay", `±${WEBHOOK_RETRY_JITTER * 100}%`),
    limit("timeout of an attempt", duration(WEBHOOK_TIMEOUT)),
    limit("failed deliveries in a row before the webhook is FAILED", WEBHOOK_MAX_FAILED_DELIVERIES),
  ],
}
