/** Messages and queries for the search benchmark: words as frequent as those of a language, the n-th at one in n. */
import { type AccountId, type MailboxId, MessageId, timestamp } from "@mailroom/domain"
import type { MessageRecord } from "@mailroom/engine"
import { aMessage, idAt } from "./harness/records.js"

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

export const aMessageAt = (accountId: AccountId, mailboxId: MailboxId, instant: number): MessageRecord => {
  const id = MessageId.make(idAt(instant))
  const bodyText = words(TEXT_WORDS)
  return aMessage(
    accountId,
    {
      id,
      mailboxId,
      direction: "INBOUND",
      deliveredTo: null,
      calendar: null,
      trust: null,
      spam: null,
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
    instant,
  )
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
