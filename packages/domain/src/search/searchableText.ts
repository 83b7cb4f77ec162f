/** What of a message is searched: the words of each field, and its facts. Every index is built from it. */
import type { Direction, HeaderMap, MessageContent } from "../messages/Message.js"
import { textOf } from "../messages/textOf.js"
import type { ThreadId } from "../ids.js"
import type { Instant } from "../time.js"
import type { SearchedMessage } from "./evaluate.js"
import type { SearchedPart, SearchedState, SearchField } from "./SearchQuery.js"
import { truncated } from "../unicode.js"
import { tokensOf } from "./tokens.js"

/** UTF-16 units of the text of a mail that are searched (256 kB). */
export const SEARCHED_BODY_MAX_LENGTH = 256 * 1024
/** UTF-16 units of the text inside the attachments of a mail, all together, that are searched (256 kB). */
export const SEARCHED_FILES_MAX_LENGTH = 256 * 1024
/** UTF-16 units of any other field that are searched: the addresses of some 500 recipients. */
export const SEARCHED_FIELD_MAX_LENGTH = 16 * 1024

/** The part of a stored message that search reads. */
export interface SearchableContent extends Pick<
  MessageContent,
  | "subject"
  | "fromAddress"
  | "fromName"
  | "toAddresses"
  | "ccAddresses"
  | "bccAddresses"
  | "bodyText"
  | "bodyHtml"
  | "direction"
  | "automated"
> {
  readonly attachments: ReadonlyArray<{ readonly filename: string; readonly contentType: string }>
  readonly codes: ReadonlyArray<unknown>
  readonly links: ReadonlyArray<unknown>
  /** the invitation; null or absent when none was read */
  readonly calendar?: unknown
}

/** A message as search reads it from the store. */
export interface SearchableMessage {
  readonly content: SearchableContent
  readonly headers: HeaderMap
  /** the kept texts of its attachments, in the order of their ids; `SEARCHED_FILES_MAX_LENGTH` of them count */
  readonly fileTexts: ReadonlyArray<string>
  readonly threadId: ThreadId
  readonly labels: ReadonlyArray<string>
  readonly readAt: Instant | null
  readonly createdAt: Instant
  /** bytes of the raw mail; 0 when none is stored */
  readonly sizeBytes: number
}

/** The text of a mail that is searched. */
export const searchedBody = (bodies: Pick<SearchableContent, "bodyText" | "bodyHtml">): string =>
  truncated(textOf(bodies) ?? "", SEARCHED_BODY_MAX_LENGTH)

const headerText = (headers: HeaderMap, name: string): string => {
  const value = headers[name] ?? ""
  return truncated(typeof value === "string" ? value : value.join(" "), SEARCHED_FIELD_MAX_LENGTH)
}

/** The header field, which has the names, and the addresses that it lacks. */
const recipientsText = (header: string, addresses: ReadonlyArray<string>): string => {
  const written = header.toLowerCase()
  return [header, ...addresses.filter((address) => !written.includes(address.toLowerCase()))].join(" ")
}

/** The text of each field that is searched. `to` has the blind copies of a sent message too. */
export const searchedTexts = (
  content: SearchableContent,
  headers: HeaderMap,
): Readonly<Record<SearchField, string>> => {
  const cut = (text: string): string => truncated(text, SEARCHED_FIELD_MAX_LENGTH)
  return {
    subject: cut(content.subject),
    from: cut(`${content.fromName ?? ""} ${content.fromAddress}`),
    to: cut(recipientsText(headerText(headers, "to"), [...content.toAddresses, ...content.bccAddresses])),
    cc: cut(recipientsText(headerText(headers, "cc"), content.ccAddresses)),
    body: searchedBody(content),
    filename: cut(content.attachments.map(({ filename }) => filename).join(" ")),
  }
}

/**
 * Stands before the text of each file among the tokens of `body`. No text has this token, so no phrase goes from the mail
 * into a file, or from one file into the next.
 */
const FILE_START = "¦"

const fileTokens = (fileTexts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const tokens: Array<string> = []
  let left = SEARCHED_FILES_MAX_LENGTH
  for (const text of fileTexts) {
    if (left === 0) break
    const searched = truncated(text, left)
    left -= searched.length
    tokens.push(FILE_START)
    for (const token of tokensOf(searched)) tokens.push(token)
  }
  return tokens
}

/** The tokens of each field that is searched. `body` has the text of the mail, then that of its files. */
export const searchedTokens = (
  content: SearchableContent,
  headers: HeaderMap,
  fileTexts: ReadonlyArray<string> = [],
): Readonly<Record<SearchField, ReadonlyArray<string>>> => {
  const texts = searchedTexts(content, headers)
  return {
    subject: tokensOf(texts.subject),
    from: tokensOf(texts.from),
    to: tokensOf(texts.to),
    cc: tokensOf(texts.cc),
    body: fileTexts.length === 0 ? tokensOf(texts.body) : [...tokensOf(texts.body), ...fileTokens(fileTexts)],
    filename: tokensOf(texts.filename),
  }
}

/** What a message has (`has:`). An invitation is a calendar that was read, or a calendar file. */
export const searchedPartsOf = ({
  attachments,
  codes,
  links,
  calendar = null,
}: SearchableContent): ReadonlySet<SearchedPart> => {
  const parts: Array<SearchedPart> = []
  if (attachments.length > 0) parts.push("attachment")
  if (codes.length > 0) parts.push("code")
  if (links.length > 0) parts.push("link")
  if (
    calendar !== null ||
    attachments.some(
      ({ filename, contentType }) =>
        contentType.toLowerCase().startsWith("text/calendar") || filename.toLowerCase().endsWith(".ics"),
    )
  )
    parts.push("invite")
  return new Set(parts)
}

/** The facts of a message that never change, which an index stores with its words. */
export interface SearchedFacts {
  readonly has: ReadonlySet<SearchedPart>
  readonly automated: boolean
  readonly direction: Direction
}

export const searchedFactsOf = (content: SearchableContent): SearchedFacts => ({
  has: searchedPartsOf(content),
  automated: content.automated,
  direction: content.direction,
})

/** A message as the reference evaluator takes it. */
export const searchedMessageOf = (message: SearchableMessage): SearchedMessage => {
  const { content } = message
  const states: Array<SearchedState> = [message.readAt === null ? "unread" : "read"]
  if (content.automated) states.push("automated")
  return {
    tokens: searchedTokens(content, message.headers, message.fileTexts),
    labels: message.labels,
    threadId: message.threadId,
    has: searchedPartsOf(content),
    is: new Set(states),
    direction: content.direction,
    createdAt: message.createdAt,
    sizeBytes: message.sizeBytes,
  }
}
