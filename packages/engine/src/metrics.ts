/** What the service counts for its operator (decisions §4, `/metrics`): since the process started, no names, no secrets. */
import { Effect, Metric, MetricBoundaries } from "effect"

const counter = (name: string, description: string) =>
  Metric.counter(`mailroom_${name}_total`, { description, incremental: true })

const mailsAccepted = counter("mails_accepted", "mails answered with 250")
const mailsRefused = counter("mails_refused", "recipients and mails refused over SMTP, by reply")
/** seconds */
const deliverySeconds = Metric.histogram(
  "mailroom_delivery_seconds",
  MetricBoundaries.fromIterable([0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600]),
  "from the 250 to the message in the mailbox",
)
const messagesReceived = counter("messages_received", "messages delivered into mailboxes")
const messagesGated = counter("messages_gated", "messages delivered above an inbound limit, hidden")
const messagesSent = counter("messages_sent", "messages the relay or a mailbox inside took")
const relayAnswers = counter("relay_answers", "what the relay answered to mails, by outcome and reply code")
/** seconds */
const relaySeconds = Metric.histogram(
  "mailroom_relay_seconds",
  MetricBoundaries.fromIterable([0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]),
  "from handing a mail to the relay until its answer, other tries included",
)
const mailReports = counter("mail_reports", "what became of mail that left, by outcome")
const signIns = counter("sign_ins", "tries to sign in, by outcome")
const deliveryAttempts = counter(
  "webhook_attempts",
  "attempts to deliver an event to a webhook, by the class of the answer",
)
/** seconds */
const webhookSeconds = Metric.histogram(
  "mailroom_webhook_delivery_seconds",
  MetricBoundaries.fromIterable([0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3600, 36_000]),
  "from an event until its webhook answered 2xx, retries included",
)
const streamsOpened = counter("event_streams_opened", "event streams opened")
const jobsFailed = counter("job_failures", "failed tries of background work")
const driftsFound = counter(
  "drifts_found",
  "counts that did not equal their rows, found by the nightly check",
)
const streamsOpen = Metric.gauge("mailroom_event_streams_open", { description: "event streams open now" })

/** A counter with labels whose values come from small sets: one metric for each combination that occurs. */
const labelled = (metric: typeof mailsAccepted, ...names: ReadonlyArray<string>) => {
  const known = new Map<string, typeof mailsAccepted>()
  return (...values: ReadonlyArray<string>): Effect.Effect<void> => {
    const key = values.join(" ")
    const tagged =
      known.get(key) ??
      names.reduce((one, name, index) => Metric.tagged(one, name, values[index] ?? ""), metric)
    known.set(key, tagged)
    return Metric.increment(tagged)
  }
}

export type RelayOutcome = "sent" | "refused" | "unavailable" | "uncertain"

const countRelayAnswer = labelled(relayAnswers, "outcome", "code")

export const Metrics = {
  /** `reply`: the code and the enhanced code, such as `550 5.1.1` */
  mailRefused: labelled(mailsRefused, "reply"),
  /** `millis`: from the 250 on */
  deliveredAfter: (millis: number) => Metric.update(deliverySeconds, millis / 1000),
  /** `code`: three digits, or `none` where the relay said nothing; `millis`: how long its answer took */
  relayAnswered: (outcome: RelayOutcome, code: string, millis: number) =>
    Effect.zipRight(Metric.update(relaySeconds, millis / 1000), countRelayAnswer(outcome, code)),
  mailReported: labelled(mailReports, "outcome"),
  signIn: labelled(signIns, "outcome"),
  mailsAccepted: (count: number) => Metric.incrementBy(mailsAccepted, count),
  messagesReceived: (visible: number, gated: number) =>
    Effect.zipRight(
      Metric.incrementBy(messagesReceived, visible + gated),
      Metric.incrementBy(messagesGated, gated),
    ),
  messageSent: Metric.increment(messagesSent),
  /** `answer`: `2xx` to `5xx`, or `unreachable` */
  deliveryAttempt: labelled(deliveryAttempts, "answer"),
  /** `millis`: from the event on */
  webhookDeliveredAfter: (millis: number) => Metric.update(webhookSeconds, millis / 1000),
  jobFailed: Metric.increment(jobsFailed),
  driftFound: Metric.increment(driftsFound),
  streamOpened: Effect.zipRight(Metric.increment(streamsOpened), Metric.modify(streamsOpen, 1)),
  streamClosed: Metric.modify(streamsOpen, -1),
}
