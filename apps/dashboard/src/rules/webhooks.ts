/** Webhooks and their deliveries in words. */
import type { Delivery, EventKind, Webhook } from "@mailroom/client"
import type { Tone } from "./tones.js"

const GROUPS = ["Received mail", "Sent mail", "Conversations", "Reviews", "Sending health"] as const

/** The group and the label of each kind of event. */
const words: Readonly<Record<EventKind, readonly [group: (typeof GROUPS)[number], label: string]>> = {
  "message.received": ["Received mail", "A mail arrived"],
  "message.quarantined": ["Received mail", "A mail was quarantined"],
  "message.sent": ["Sent mail", "A mail left"],
  "message.delivered": ["Sent mail", "It was delivered"],
  "message.bounced": ["Sent mail", "It bounced"],
  "message.complaint": ["Sent mail", "It was reported as spam"],
  "thread.taken_over": ["Conversations", "A person took over a conversation"],
  "thread.released": ["Conversations", "It was released to the agents"],
  "draft.review_requested": ["Reviews", "A send waits for approval"],
  "draft.approved": ["Reviews", "It was approved"],
  "draft.rejected": ["Reviews", "It was rejected"],
  "draft.expired": ["Reviews", "Nobody decided in time"],
  "draft.withdrawn": ["Reviews", "It was changed or deleted before a decision"],
  "draft.failed": ["Reviews", "A scheduled or approved mail could not leave"],
  "mailbox.sending_warning": ["Sending health", "A mailbox comes near its limits"],
  "mailbox.sending_stopped": ["Sending health", "The sending of a mailbox was stopped"],
}

const isEventKind = (text: string): text is EventKind => Object.hasOwn(words, text)

/** Every kind of event. */
export const eventKinds: ReadonlyArray<EventKind> = Object.keys(words).filter(isEventKind)

interface EventGroup {
  readonly label: string
  readonly kinds: ReadonlyArray<{ readonly kind: EventKind; readonly label: string }>
}

/** Every kind of event, by subject. */
export const eventGroups: ReadonlyArray<EventGroup> = GROUPS.map((group) => ({
  label: group,
  kinds: eventKinds.flatMap((kind) => (words[kind][0] === group ? [{ kind, label: words[kind][1] }] : [])),
}))

export interface StateWords {
  readonly tone: Tone
  readonly label: string
  readonly text: string
}

export const webhookState = ({
  status,
  failureCount,
}: Pick<Webhook, "status" | "failureCount">): StateWords => {
  switch (status) {
    case "PAUSED":
      return {
        tone: "neutral",
        label: "Paused",
        text: "Events that happen now are not delivered later. Deliveries that waited go on when you start it.",
      }
    case "FAILED":
      return {
        tone: "bad",
        label: "Stopped",
        text: "Too many deliveries in a row failed, so Mailroom stopped trying. Mend the receiver, send a test event, and start it again.",
      }
    case "ACTIVE":
      return failureCount > 0
        ? {
            tone: "warn",
            label: "Failing",
            text: `The last ${failureCount === 1 ? "delivery" : `${failureCount} deliveries`} used all attempts. After more of them Mailroom stops this webhook.`,
          }
        : {
            tone: "good",
            label: "Active",
            text: "Every new event is posted at once, and tried again when it fails.",
          }
  }
}

const STATUS_HINTS: Readonly<Record<number, string>> = {
  400: "The receiver does not understand the request.",
  401: "The receiver wants other credentials: set them as headers of the webhook.",
  403: "The receiver refuses the request. A firewall may be in front of it.",
  404: "Nothing is at this address. Check the path of the URL.",
  405: "The receiver takes no POST at this address.",
  408: "The receiver was too slow.",
  410: "The address is gone.",
  413: "The receiver takes no body of this size.",
  429: "The receiver has too many requests.",
}

/** What the receiver answered to the last attempt, in words. */
export const answerText = ({
  status,
  attempts,
  responseStatus,
  lastError,
}: Pick<Delivery, "status" | "attempts" | "responseStatus" | "lastError">): string => {
  if (attempts === 0) return "Not tried yet."
  if (responseStatus === null) return lastError === null ? "No answer came." : `No answer came: ${lastError}`
  if (status === "DELIVERED") return `The receiver took it with ${responseStatus}.`
  const hint =
    STATUS_HINTS[responseStatus] ??
    (responseStatus >= 500
      ? "The receiver has a fault."
      : responseStatus >= 300 && responseStatus < 400
        ? "Redirects are not followed: use the final URL."
        : "Only 200 to 299 count as success.")
  return `The receiver answered ${responseStatus}. ${hint}`
}

export const deliveryState = ({
  status,
  attempts,
}: Pick<Delivery, "status" | "attempts">): Pick<StateWords, "tone" | "label"> => {
  switch (status) {
    case "DELIVERED":
      return { tone: "good", label: "Delivered" }
    case "FAILED":
      return { tone: "bad", label: "Failed" }
    case "PENDING":
      return attempts === 0 ? { tone: "neutral", label: "Waiting" } : { tone: "warn", label: "Retrying" }
  }
}

/** Deliveries can start again only at an active webhook. */
export const mayRedeliver = ({ status }: Pick<Webhook, "status">): boolean => status === "ACTIVE"

/** Header lines such as `X-Team: billing`, one a line; null when a line is no header. */
export const headersFrom = (text: string): Readonly<Record<string, string>> | null => {
  const headers: Record<string, string> = {}
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue
    const colon = line.indexOf(":")
    const name = line.slice(0, Math.max(colon, 0)).trim()
    const value = line.slice(colon + 1).trim()
    if (colon < 1 || !/^[!#$%&'*+\-.^_`|~\w]+$/.test(name) || value === "") return null
    headers[name] = value
  }
  return headers
}
