/**
 * Extracts from a body: the text that the author wrote, without quotes and signature; one-time codes; links. Every step
 * takes linear time and reads a bounded length, because mail can be hostile.
 */
// A deep import: a worker thread has a heap of its own, and all of the domain is most of it.
import { isAnswerSubject, isForwardSubject } from "@mailroom/domain/threads/subjectPrefix"
import type { ParsedMail } from "@mailroom/domain/messages/ParsedMail"
import { type Code, codesIn } from "./codes.js"
import { contentReasons } from "./contentReasons.js"
import { type HtmlText, htmlText } from "./html.js"
import { type MailKind, type NewLines, newLines } from "./history.js"
import { type Line, plainLines } from "./lines.js"
import { type Link, linksOfHtml, linksOfText, ranked } from "./links.js"
import { withoutSignature } from "./signature.js"

export interface Body {
  /** the parts of the mail, decoded */
  readonly text: string | null
  readonly html: string | null
  readonly subject: string
  /** whether the header says that the mail is a reply; without it, the subject and the marks tell */
  readonly isReply?: boolean
  /** display name of the author */
  readonly author?: string
  /** whether text and HTML are alternatives, which should say the same */
  readonly areAlternatives?: boolean
}

export interface Reading {
  /** the text of the HTML, for a mail that has no text part; null when it has one, or no body */
  readonly textOfHtml: string | null
  readonly extractedText: string | null
  readonly codes: ReadonlyArray<Code>
  readonly links: ReadonlyArray<Link>
  readonly contentReasons: ParsedMail["contentReasons"]
}

const textOf = (lines: ReadonlyArray<Line>): string =>
  lines
    .map(({ text }) => text)
    .join("\n")
    .trim()

interface Part extends NewLines {
  readonly lines: ReadonlyArray<Line>
  readonly rest: string
}

const partOf = (lines: ReadonlyArray<Line>, rest: string, kind: MailKind): Part => ({
  lines,
  rest,
  ...newLines(lines, kind),
})

/** Runs of new lines, which quotes separate. */
const runsOf = ({ lines, isNew, forwardedFrom }: Part): ReadonlyArray<ReadonlyArray<Line>> => {
  const found: Array<Array<Line>> = []
  for (const [at, line] of lines.slice(0, forwardedFrom).entries()) {
    if (isNew[at] !== true) continue
    if (at === 0 || isNew[at - 1] !== true) found.push([])
    found.at(-1)?.push(line)
  }
  return found
}

/** Removes signatures, except in a forwarded mail. */
const written = (part: Part): string =>
  [...runsOf(part).map((run) => run.slice(0, withoutSignature(run))), part.lines.slice(part.forwardedFrom)]
    .map(textOf)
    .filter((text) => text !== "")
    .join("\n\n")

/** The whole text when the author wrote nothing new. */
const extractedText = (part: Part): string => {
  const { lines, isNew, rest } = part
  // The text beyond the limits continues as its last analyzed line.
  if (rest !== "" && isNew.at(-1) === true)
    return `${textOf(lines.filter((_, at) => isNew[at]))}\n${rest.trim()}`
  const text = written(part)
  return text === "" ? textOf(lines) : text
}

const shown = ({ lines, isNew }: Part): ReadonlyArray<string> =>
  lines.filter((_, at) => isNew[at]).map(({ text }) => text)

const linksOf = (html: HtmlText | null, ofHtml: Part | null, ofText: Part | null): ReadonlyArray<Link> => {
  const first = html === null || ofHtml === null ? [] : linksOfHtml(html, ofHtml.isNew)
  return ranked(first.length > 0 || ofText === null ? first : linksOfText(ofText.lines, ofText.isNew))
}

export const readingOf = ({
  text,
  html,
  subject,
  isReply = false,
  author = "",
  areAlternatives = false,
}: Body): Reading => {
  const kind: MailKind = {
    isReply: isReply || isAnswerSubject(subject),
    isForward: isForwardSubject(subject),
  }
  const page = html === null ? null : htmlText(html)
  const plain = text === null ? null : plainLines(text)
  const ofText = plain === null ? null : partOf(plain.lines, plain.rest, kind)
  const ofHtml = page === null ? null : partOf(page.lines, "", kind)
  const texts = [ofText, ofHtml].filter((part) => part !== null)
  const read = texts.map(extractedText)
  return {
    textOfHtml: text === null && page !== null ? textOf(page.lines) : null,
    extractedText: read.find((one) => one !== "") ?? (texts.length === 0 ? null : ""),
    codes: codesIn(
      subject,
      texts.map((part) => shown(part)),
    ),
    links: linksOf(page, ofHtml, ofText),
    contentReasons: contentReasons({
      labels: [subject, author],
      text,
      html: page?.looks ?? null,
      areAlternatives,
    }),
  }
}
