/** Messages and queries for the search benchmark: words as frequent as those of a language, the n-th at one in n. */
import { randomUUID } from "node:crypto"
import { type AccountId, type MailboxId, MessageId, ThreadId, timestamp } from "@mailroom/domain"
import type { MessageRecord } from "@mailroom/engine"

const VOCABULARY = 50_000
/** Words of a text: with the spaces between them some 1.2 kB. */
const TEXT_WORDS = 180
const SUBJECT_WORDS = 6

/** The same numbers in every run (xorshift). */
const randomFrom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4_294_967_296
  }
}

const random = randomFrom(20_260_301)

/** The word of a rank, from 1: the more frequent, the shorter. */
export const wordOf = (rank: number): string => `w${rank.toString(36)}`

/** Ranks by Zipf's law. */
const rank = (): number => Math.floor(VOCABULARY ** random())

const words = (count: number): string => Array.from({ length: count }, () => wordOf(rank())).join(" ")

/** A UUID, version 7, of an instant. */
const idAt = (instant: number): string => {
  const time = instant.toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

export const aMessageAt = (accountId: AccountId, mailboxId: MailboxId, instant: number): MessageRecord => {
  const id = MessageId.make(idAt(instant))
  const bodyText = words(TEXT_WORDS)
  return {
    accountId,
    content: {
      id,
      mailboxId,
      direction: "INBOUND",
      deliveredTo: null,
      calendar: null,
      messageId: `<${id}@sender.example>`,
      inReplyTo: null,
      references: [],
      fromAddress: `${wordOf(rank())}@sender.example`,
      fromName: null,
      toAddresses: ["agent@mailroom.example"],
      ccAddresses: [],
      bccAddresses: [],
      replyTo: null,
      subject: words(SUBJECT_WORDS),
      bodyText,
      bodyHtml: null,
      extractedText: bodyText,
      hasAttachments: false,
      attachmentsDropped: false,
      attachmentsDroppedReason: null,
      automated: false,
      authentication: null,
      codes: [],
      links: [],
      createdAt: timestamp(instant),
      receivedAt: timestamp(instant),
      attachments: [],
    },
    headers: {},
    threadId: ThreadId.make(idAt(instant)),
    status: "RECEIVED",
    gate: null,
    labels: [],
    readAt: null,
    sentAt: null,
    createdAt: instant,
    dedupKey: null,
    rawId: null,
    automaticTurn: false,
    claim: null,
  }
}

/** Three words of about these ranks. */
const three = (lowest: number): string =>
  [0, 1, 2].map((n) => wordOf(Math.floor(lowest * (1 + random())) + n)).join(" ")

/** Queries of a kind; each call gives another. */
export const kinds: Readonly<Record<string, () => string>> = {
  "three frequent words": () => three(3),
  "three words": () =>
    `${wordOf(5 + Math.floor(random() * 10))} ${wordOf(40 + Math.floor(random() * 60))} ${three(200).split(" ")[0] ?? ""}`,
  "three rare words": () => three(5_000),
  "a phrase": () => `"${wordOf(1 + Math.floor(random() * 5))} ${wordOf(1 + Math.floor(random() * 5))}"`,
  "a beginning": () => `${wordOf(36 * (1 + Math.floor(random() * 35)))}*`,
}
