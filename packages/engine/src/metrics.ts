/** What the service counts for its operator (decisions §4, `/metrics`): since the process started, no names, no secrets. */
import { Effect, Metric } from "effect"

const counter = (name: string, description: string) =>
  Metric.counter(`mailroom_${name}_total`, { description, incremental: true })

const mailsAccepted = counter("mails_accepted", "mails answered with 250")
const messagesReceived = counter("messages_received", "messages delivered into mailboxes")
const messagesGated = counter("messages_gated", "messages delivered above an inbound limit, hidden")
const messagesSent = counter("messages_sent", "messages the relay or a mailbox inside took")
const deliveryAttempts = counter("webhook_attempts", "attempts to deliver an event to a webhook")
const jobsFailed = counter("job_failures", "failed tries of background work")
const driftsFound = counter(
  "drifts_found",
  "counts that did not equal their rows, found by the nightly check",
)
const streamsOpen = Metric.gauge("mailroom_event_streams_open", { description: "event streams open now" })

export const Metrics = {
  mailsAccepted: (count: number) => Metric.incrementBy(mailsAccepted, count),
  messagesReceived: (visible: number, gated: number) =>
    Effect.zipRight(
      Metric.incrementBy(messagesReceived, visible + gated),
      Metric.incrementBy(messagesGated, gated),
    ),
  messageSent: Metric.increment(messagesSent),
  deliveryAttempt: Metric.increment(deliveryAttempts),
  jobFailed: Metric.increment(jobsFailed),
  driftFound: Metric.increment(driftsFound),
  streamOpened: Metric.modify(streamsOpen, 1),
  streamClosed: Metric.modify(streamsOpen, -1),
}
