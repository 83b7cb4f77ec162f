/** Random messages and random queries for the search index, the same in every run: many scripts, few words of each. */
import {
  AttachmentId,
  type AttachmentRecord,
  parseSearchQuery,
  searchedFactsOf,
  searchedTokens,
  type SearchQuery,
  ThreadId,
  timestamp,
} from "@mailroom/domain"
import type { MessageRecord, SearchDocument, StoredText } from "@mailroom/engine"
import { Either } from "effect"
import type { RealMail } from "./realMail.js"
import { aMessage, anAttachment, newId, NOON, type Owner } from "./records.js"

/** A generator of numbers from 0 to below 1 (mulberry32). */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Chinese, Japanese, Korean, Thai, Arabic with vowels, Hebrew, Turkish i, combining marks, emoji, full width, mixed directions. */
const WORDS =
  "invoice Invoices inventory due overdue payment re the and a of 2026 2026-03-01 e-mail R&D O'Neil x1 ACME acme.dev ada@acme.dev " +
  "Ärger arger ARGER A\u0308rger İstanbul istanbul ISTANBUL ısparta Isparta straße STRASSE ﬁnance finance ＡＢＣ abc " +
  "北京大学 北京 大学 京都 東京都 カタカナ ｶﾀｶﾅ がくせい 학생은 학생 สวัสดีครับ สวัสดี ราคา فاتورة فَاتُورَة فــاتورة חשבון חֶשְׁבּוֹן " +
  "Ελλάς ΕΛΛΑΣ ελλασ счёт счет नमस्ते 👍 👍🏽 👨‍👩‍👧 🇩🇪 🎉 \u202efdp.exe\u202c \u2067שלום\u2069 soft\u00adhyphen zero\u200bwidth ½ ① x² — …"

const words = WORDS.split(" ")

const queryWords = [...words, "in*", "inv*", "du*", "Är*", "ist*", "сч*", "فات*", "2026*", "nothing"]

const labels = ["todo", "done", "a,b", '"', "\\", "größe", "", "half \ud83d", "nul \0"]
const names = ["Ada Lovelace", "Grace Hopper", "田中", "Zoë", null]
const addresses = ["ada@acme.dev", "grace@navy.mil", "billing@acme.dev", "info@北京.cn"]
const files = ["invoice.pdf", "Übersicht 2026.xlsx", "请求.docx", "meeting.ics"]

/** Messages are made at one of so many milliseconds: some have the same time. */
const TIMES = 400

/** Half of the messages have what real mails say, if there are any. */
export const randomMessages = (
  owners: ReadonlyArray<Owner>,
  count: number,
  random: () => number,
  mails: ReadonlyArray<RealMail> = [],
): ReadonlyArray<MessageRecord> => {
  const pick = <A>(from: ReadonlyArray<A>, unless: A): A => from[Math.floor(random() * from.length)] ?? unless
  const text = (most: number) =>
    Array.from({ length: Math.floor(random() * most) }, () => pick(words, "a")).join(
      random() < 0.1 ? "" : " ",
    )
  const threads = Array.from({ length: 10 }, () => ThreadId.make(newId()))
  const [first] = owners
  if (first === undefined) throw new Error("messages need an owner")
  return Array.from({ length: count }, () => {
    const createdAt = NOON + Math.floor(random() * TIMES) * 1_000
    const isInbound = random() < 0.7
    const hasFile = random() < 0.2
    return aMessage(pick(owners, first), {
      createdAt,
      threadId: pick(threads, ThreadId.make(newId())),
      labels: random() < 0.5 ? [] : [pick(labels, "todo"), pick(labels, "done")],
      readAt: random() < 0.5 ? NOON : null,
      status: isInbound ? "RECEIVED" : random() < 0.1 ? "SENDING" : "SENT",
      gate: isInbound && random() < 0.1 ? "INBOUND_LIMIT_EXCEEDED" : null,
      content: {
        direction: isInbound ? "INBOUND" : "OUTBOUND",
        subject: text(6),
        fromName: pick(names, null),
        fromAddress: pick(addresses, "ada@acme.dev"),
        toAddresses: [pick(addresses, "ada@acme.dev")],
        ccAddresses: random() < 0.2 ? [pick(addresses, "ada@acme.dev")] : [],
        bodyText: random() < 0.9 ? text(40) : null,
        bodyHtml:
          random() < 0.5 ? `<p title="due">${text(20)}</p><style>due</style> &amp; <b>${text(3)}` : null,
        automated: random() < 0.2,
        codes: random() < 0.1 ? [{ code: "123456", context: "code 123456" }] : [],
        links: random() < 0.2 ? [{ url: "https://acme.dev", text: "acme" }] : [],
        hasAttachments: hasFile,
        attachments: hasFile
          ? [
              {
                id: AttachmentId.make(newId()),
                messageId: null,
                filename: pick(files, "invoice.pdf"),
                contentType: "application/octet-stream",
                sizeBytes: 1,
                contentId: null,
                createdAt: timestamp(createdAt),
              },
            ]
          : [],
        ...(mails.length > 0 && random() < 0.5 ? pick<Partial<RealMail>>(mails, {}) : {}),
      },
    })
  })
}

export interface RandomFile {
  readonly record: AttachmentRecord
  readonly text: string
}

/** Files with texts for some of the messages, in the order of their ids; two for a few of them. */
export const randomFiles = (
  messages: ReadonlyArray<MessageRecord>,
  random: () => number,
): ReadonlyArray<RandomFile> => {
  const pick = () => words[Math.floor(random() * words.length)] ?? ""
  return messages.flatMap(({ accountId, content }) => {
    const kind = random()
    return Array.from({ length: kind < 0.1 ? 2 : kind < 0.3 ? 1 : 0 }, () => ({
      record: anAttachment(accountId, { mailboxId: content.mailboxId, messageId: content.id }),
      text: Array.from({ length: Math.floor(random() * 30) }, pick).join(" "),
    }))
  })
}

/** The message as the store reads it for the index. */
export const textOf = (
  { content, ...message }: MessageRecord,
  fileTexts: ReadonlyArray<string> = [],
): StoredText => ({
  id: content.id,
  accountId: message.accountId,
  mailboxId: content.mailboxId,
  content,
  headers: message.headers,
  threadId: message.threadId,
  labels: message.labels,
  readAt: message.readAt,
  createdAt: message.createdAt,
  sizeBytes: 0,
  fileTexts,
})

/** `revision`: that of the queue, 0 for a message that did not change since it was stored. */
export const documentOf = ({
  revision = 0,
  ...text
}: StoredText & { readonly revision?: number }): SearchDocument => ({
  id: text.id,
  revision,
  accountId: text.accountId,
  mailboxId: text.mailboxId,
  createdAt: text.createdAt,
  sizeBytes: text.sizeBytes,
  facts: searchedFactsOf(text.content),
  tokens: searchedTokens(text.content, text.headers, text.fileTexts),
})

/** A query as clients write them. `threads` are ids that `thread:` names, and `more` are words beside those of the random messages. */
export const randomQuery = (
  random: () => number,
  threads: ReadonlyArray<ThreadId>,
  more: ReadonlyArray<string>,
): string => {
  const pick = (from: ReadonlyArray<string>): string => from[Math.floor(random() * from.length)] ?? ""
  const word = () => pick(more.length > 0 && random() < 0.5 ? more : queryWords)
  const moment = () => timestamp(NOON + Math.floor(random() * TIMES) * 1_000)
  const simple: ReadonlyArray<() => string> = [
    word,
    word,
    word,
    word,
    () => `"${word()} ${word()}"`,
    () => `${pick(["subject", "from", "to", "cc", "body", "filename"])}:${word()}`,
    () => `${pick(["subject", "body"])}:(${word()} OR ${word()})`,
    () => pick(addresses),
    () => `label:"${pick(labels.filter((label) => !/["\0\ud83d]/.test(label) && label !== ""))}"`,
    () => `thread:${pick(threads)}`,
    () => `has:${pick(["attachment", "code", "link", "invite"])}`,
    () => `is:${pick(["unread", "read", "automated"])}`,
    () => `in:${pick(["inbound", "outbound"])}`,
    () => `${pick(["before", "after"])}:${moment()}`,
    () => pick(["larger:0", "smaller:1k", "larger:1k"]),
  ]
  const condition = (depth: number): string => {
    const one = (simple[Math.floor(random() * simple.length)] ?? word)()
    const kind = random()
    if (depth >= 3 || kind < 0.55) return one
    if (kind < 0.7) return `-${condition(depth + 1)}`
    if (kind < 0.85) return `(${condition(depth + 1)} OR ${condition(depth + 1)})`
    return `(${condition(depth + 1)} ${condition(depth + 1)})`
  }
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => condition(0)).join(" ")
}

/** Queries that parse, as text and as tree. */
export const randomQueries = (
  count: number,
  random: () => number,
  threads: ReadonlyArray<ThreadId>,
  more: ReadonlyArray<string>,
): ReadonlyArray<{ readonly text: string; readonly query: SearchQuery }> => {
  const made: Array<{ readonly text: string; readonly query: SearchQuery }> = []
  while (made.length < count) {
    const text = randomQuery(random, threads, more)
    const query = parseSearchQuery(text)
    if (Either.isRight(query)) made.push({ text, query: query.right })
  }
  return made
}
