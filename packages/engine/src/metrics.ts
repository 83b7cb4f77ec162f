/** What the service counts for its operator (`/metrics`), since the process started. No name and no secret is in it. */
import { Effect, FiberRef, Metric, MetricBoundaries } from "effect"

/** Has `/metrics` show a metric from the start, with 0: a rate needs a value before the first event. */
export const shownFromStart = <M extends { readonly unsafeValue: (tags: []) => unknown }>(metric: M): M => {
  metric.unsafeValue([])
  return metric
}

const labelledCounter = (name: string, description: string) =>
  Metric.counter(`mailroom_${name}_total`, { description, incremental: true })
const counter = (name: string, description: string) => shownFromStart(labelledCounter(name, description))
const histogram = (name: string, bounds: ReadonlyArray<number>, description: string) =>
  shownFromStart(Metric.histogram(`mailroom_${name}`, MetricBoundaries.fromIterable(bounds), description))

const mailsAccepted = counter("mails_accepted", "mails answered with 250")
const mailsRefused = labelledCounter("mails_refused", "recipients and mails refused over SMTP, by reply")
/** seconds */
const deliverySeconds = histogram(
  "delivery_seconds",
  [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600],
  "from the 250 to the message in the mailbox",
)
const messagesReceived = counter("messages_received", "messages delivered into mailboxes")
const messagesGated = counter("messages_gated", "messages delivered above an inbound limit, hidden")
const messagesSent = counter("messages_sent", "messages the relay or a mailbox inside took")
const relayAnswers = labelledCounter(
  "relay_answers",
  "what the relay answered to mails, by outcome and reply code",
)
/** seconds */
const relaySeconds = histogram(
  "relay_seconds",
  [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  "from handing a mail to the relay until its answer, other tries included",
)
const mailReports = labelledCounter("mail_reports", "what became of mail that left, by outcome")
const submissions = labelledCounter(
  "submissions",
  "mails that clients submitted by SMTP, refused sign-ins and refused commands of submission, by reply",
)
const signIns = labelledCounter("sign_ins", "tries to sign in, by outcome")
const deliveryAttempts = labelledCounter(
  "webhook_attempts",
  "attempts to deliver an event to a webhook, by the class of the answer",
)
/** seconds */
const webhookSeconds = histogram(
  "webhook_delivery_seconds",
  [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3600, 36_000],
  "from an event until its webhook answered 2xx, retries included",
)
const streamsOpened = counter("event_streams_opened", "event streams opened")
const driftsFound = counter(
  "drifts_found",
  "counts that did not equal their rows, found by the nightly check",
)
const searchSkipped = counter(
  "search_skipped",
  "messages that cannot be indexed for search, and are left out",
)
const streamsOpen = shownFromStart(
  Metric.gauge("mailroom_event_streams_open", { description: "event streams open now" }),
)

/** Updates a metric with each of the values, in one step. */
const updateEach = <Type, In, Out>(
  metric: Metric.Metric<Type, In, Out>,
  values: ReadonlyArray<In>,
): Effect.Effect<void> =>
  Effect.map(FiberRef.get(FiberRef.currentMetricLabels), (labels) => {
    for (const value of values) metric.unsafeUpdate(value, labels)
  })

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

const workerFailures = Metric.counter("mailroom_worker_failures_total", {
  description: "failed rounds and tasks of background workers, by worker",
  incremental: true,
})
/** seconds */
const workerTaskSeconds = Metric.histogram(
  "mailroom_worker_task_seconds",
  MetricBoundaries.fromIterable([0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60]),
  "a task of a background worker, such as a batch of mail or a job, by worker",
)

/** The metrics of one background worker. `took`: milliseconds of one task. */
export const workerMetrics = (worker: string) => {
  const seconds = Metric.tagged(workerTaskSeconds, "worker", worker)
  const failures = shownFromStart(Metric.tagged(workerFailures, "worker", worker))
  return {
    failed: Metric.increment(failures),
    took: (millis: number) => Metric.update(seconds, millis / 1000),
  }
}

export const Metrics = {
  /** `reply`: the code and the enhanced code, such as `550 5.1.1` */
  mailRefused: labelled(mailsRefused, "reply"),
  /** One value for each mail: the milliseconds from the 250 on. */
  deliveredAfter: (millis: ReadonlyArray<number>) =>
    updateEach(
      deliverySeconds,
      millis.map((one) => one / 1000),
    ),
  /** `code`: three digits, or `none` where the relay said nothing; `millis`: how long its answer took */
  relayAnswered: (outcome: RelayOutcome, code: string, millis: number) =>
    Effect.zipRight(Metric.update(relaySeconds, millis / 1000), countRelayAnswer(outcome, code)),
  mailReported: labelled(mailReports, "outcome"),
  /** `reply`: as of `mailRefused` */
  submission: labelled(submissions, "reply"),
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
  searchSkipped: Metric.increment(searchSkipped),
  driftFound: Metric.increment(driftsFound),
  streamOpened: Effect.zipRight(Metric.increment(streamsOpened), Metric.modify(streamsOpen, 1)),
  streamClosed: Metric.modify(streamsOpen, -1),
}
