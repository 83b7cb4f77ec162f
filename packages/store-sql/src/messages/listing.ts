/**
 * The content of a message as lists show it, as JSON text (docs/decisions/0005). What somebody wrote is the whole body
 * most often, but for white space around it: then it is not stored a second time, and the body stands last.
 */
import { cutForList, type MessageContent, wholeText } from "@mailroom/domain"

const BODY = ',"bodyText":'
const EXTRACTED = ',"extractedText":'

/** What JSON writes as it is, or as `\n`, `\r` or `\t`. */
const isSpace = (text: string): boolean => /^[ \n\r\t]*$/.test(text)

/** Whether `extracted` is all of the body but for such space. */
const isWhole = (body: string, extracted: string): boolean => {
  if (wholeText(body) !== extracted) return false
  const start = body.length - body.trimStart().length
  return isSpace(body.slice(0, start)) && isSpace(body.slice(start + extracted.length))
}

export interface Listing {
  readonly listing: string
  /** whether bodies were cut for it */
  readonly truncated: boolean
}

export const listingOf = (whole: MessageContent): Listing => {
  const { content, truncated } = cutForList(whole)
  const { bodyText, extractedText } = content
  if (truncated) return { listing: JSON.stringify({ ...content, truncated }), truncated }
  if (bodyText === null || extractedText === null || !isWhole(bodyText, extractedText))
    return { listing: JSON.stringify(content), truncated }
  // Members that are undefined are left out.
  const others = JSON.stringify({ ...content, bodyText: undefined, extractedText: undefined })
  return { listing: `${others.slice(0, -1)}${BODY}${JSON.stringify(bodyText)}}`, truncated }
}

const backslashesBefore = (text: string, end: number): number => {
  let count = 0
  while (text[end - 1 - count] === "\\") count += 1
  return count
}

/** A JSON string without the space at its ends. */
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

/** The listing as JSON text with everything in it, left open for more members. */
export const openItem = (listing: string): string => {
  const open = listing.slice(0, -1)
  // Within a JSON string a quote has a backslash in front: both are found only where they are members.
  if (listing.includes(EXTRACTED)) return open
  const body = open.slice(open.lastIndexOf(BODY) + BODY.length)
  return `${open}${EXTRACTED}${trimmed(body)}`
}
