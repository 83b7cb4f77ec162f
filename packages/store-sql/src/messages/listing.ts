/**
 * The content of a message as lists show it, stored as JSON text (docs/decisions/0005). Most often `extractedText` is the
 * whole body without the white space around it. Then it is not stored; `bodyText` is the last member instead, and
 * `extractedText` is derived from it when the message is read.
 */
import { cutForList, type MessageContent, wholeText } from "@mailroom/domain"

const BODY = ',"bodyText":'
const EXTRACTED = ',"extractedText":'
/** Members that listings of earlier versions do not have. */
const LATER_MEMBERS = [',"deliveredTo":', ',"calendar":', ',"trust":', ',"spam":']

/** Whether a text is only white space that JSON writes as itself or as `\n`, `\r` or `\t`. */
const isSpace = (text: string): boolean => /^[ \n\r\t]*$/.test(text)

/** Whether `extracted` is the whole body except for such white space. */
const isWhole = (body: string, extracted: string): boolean => {
  if (wholeText(body) !== extracted) return false
  const start = body.length - body.trimStart().length
  return isSpace(body.slice(0, start)) && isSpace(body.slice(start + extracted.length))
}

export interface Listing {
  readonly listing: string
  /** whether bodies were cut for the list */
  readonly truncated: boolean
}

export const listingOf = (whole: MessageContent): Listing => {
  const { content, truncated } = cutForList(whole)
  const { bodyText, extractedText } = content
  if (truncated) return { listing: JSON.stringify({ ...content, truncated }), truncated }
  if (bodyText === null || extractedText === null || !isWhole(bodyText, extractedText))
    return { listing: JSON.stringify(content), truncated }
  // `JSON.stringify` omits members that are undefined.
  const others = JSON.stringify({ ...content, bodyText: undefined, extractedText: undefined })
  return { listing: `${others.slice(0, -1)}${BODY}${JSON.stringify(bodyText)}}`, truncated }
}

const backslashesBefore = (text: string, end: number): number => {
  let count = 0
  while (text[end - 1 - count] === "\\") count += 1
  return count
}

/** Trims white space inside a JSON string, without parsing it. */
const trimmed = (json: string): string => {
  let start = 1
  let end = json.length - 1
  for (;;) {
    if (json[start] === " ") start += 1
    else if (json[start] === "\\" && "nrt".includes(json.charAt(start + 1))) start += 2
    else break
  }
  while (end > start) {
    if (json[end - 1] === " ") end -= 1
    else if ("nrt".includes(json.charAt(end - 1)) && backslashesBefore(json, end - 1) % 2 === 1) end -= 2
    else break
  }
  return `"${json.slice(start, end)}"`
}

/**
 * The JSON object of a listing without its closing brace, so that members can be appended. Adds a derived `extractedText`,
 * and the members that listings of earlier versions do not have.
 */
export const openItem = (listing: string): string => {
  const open = listing.slice(0, -1)
  // Inside a JSON string quotes are escaped, so these texts match only as members.
  const later = LATER_MEMBERS.map((member) => (listing.includes(member) ? "" : `${member}null`)).join("")
  if (listing.includes(EXTRACTED)) return `${open}${later}`
  const body = open.slice(open.lastIndexOf(BODY) + BODY.length)
  return `${open}${EXTRACTED}${trimmed(body)}${later}`
}
