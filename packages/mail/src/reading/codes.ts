/**
 * Finds one-time codes. A number, or a mix of letters and digits, is a code when a word for it is in the same line or one
 * nearby, and no nearer word says that it is something else (an order, a price, a postal code).
 */
import { ofAll, ofOtherNumbers, singleSpaced } from "./phrases.js"

export interface Code {
  /** as a user types it: digits without spaces and dashes, groups of letters and digits with them */
  readonly code: string
  /** the sentence or line with the code */
  readonly context: string
}

const MAX_CODES = 5
const MAX_CONTEXT = 200
/** Lines and characters that are read of a text: codes are near the beginning. */
const MAX_LINES = 1_000
const MAX_LENGTH = 100_000
const MAX_LINE = 2_000
const MAX_CANDIDATES = 20
/** Lines above and below in which a word may name a code that is alone on its line. */
const LINES_ABOVE = 3
const LINES_BELOW = 1
const FAR = 120

const word = String.raw`[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{Nd}_]`
const candidates = [
  // 123456, 123 456, 123-456, 1234 5678; G-123456
  String.raw`(?:[A-Z]{1,3}-)?(?:\p{Nd}{3}[ -]\p{Nd}{3}|\p{Nd}{4}[ -]\p{Nd}{4}|\p{Nd}{4,8})`,
  // 1 2 3 4 5 6 or 1 2 3 - 4 5 6, each in a box
  String.raw`\p{Nd}(?: (?:[-–] )?\p{Nd}){3,7}`,
  // AB12-CD34, ABCD-EFGH-IJKL
  String.raw`(?=[A-Za-z-]{0,20}\d)[A-Za-z\d]{3,6}(?:-[A-Za-z\d]{3,6}){1,3}`,
  String.raw`[A-Z]{3,6}(?:-[A-Z]{3,6}){1,3}`,
  // X7K9Q2, HKQZPT
  String.raw`(?=[A-Za-z]{0,9}\d)[A-Za-z\d]{4,10}`,
  String.raw`[A-Z]{5,8}`,
]
const candidate = new RegExp(
  String.raw`(?<!${word}|[@#$€£¥₹₽+&=/\\.,-](?=\S)|[\p{L}\p{Nd}]['’]|\p{Nd}[ ().:-])(?:${candidates.join("|")})` +
    String.raw`(?!${word}|[-/\\@%‰°€$£¥₹₽=&]|[.,:'’](?=[\p{L}\p{Nd}])|\.\.| ?(?:[€$£¥₹₽%]|(?:eur|EUR|usd|USD|gbp|GBP|kr)\b|zł|руб|грн|円|元|원)| \p{Nd}{2})`,
  "gu",
)

/** A quick test: a line without a match has no candidate. */
const mayHold = /\p{Nd}|[A-ZＡ-Ｚ]{3}/u

const named = new RegExp(ofAll("code"), "gu")
const other = new RegExp(ofOtherNumbers(), "gu")
const currency = /(?:[$€£¥₹₽]|\b(?:eur|usd|gbp|chf|sek|nok|dkk|pln|czk|huf|rs|inr|rmb|cny|jpy)\.?) ?$/i
const linksAndAddresses = /https?:\/\/[^\s<>]+|[^\s<>@]{1,64}@[^\s<>@]{1,255}/gi

interface Span {
  readonly start: number
  readonly end: number
}

/** `pattern` is global and never matches empty text. Not `matchAll`, which makes a new RegExp for each call. */
const spansOf = (pattern: RegExp, text: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  pattern.lastIndex = 0
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text))
    spans.push({ start: found.index, end: pattern.lastIndex })
  return spans
}

/** A line with the words for a code and for other numbers in it. Words for a code within the latter do not count. */
interface ReadLine {
  readonly text: string
  readonly names: ReadonlyArray<Span>
  readonly others: ReadonlyArray<Span>
}

/** Blanks links and addresses, and makes full-width letters narrow. Keeps the length. */
const plain = (line: string): string => {
  const text = singleSpaced(
    line.replace(/[０-９Ａ-Ｚａ-ｚ]/gu, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0)),
  )
  return /@|:\/\//.test(text) ? text.replace(linksAndAddresses, (found) => " ".repeat(found.length)) : text
}

const withNames = (text: string): ReadLine => {
  const lower = text.toLowerCase()
  const seen = lower.length === text.length ? lower : text
  const others = spansOf(other, seen)
  const within = (span: Span) => others.some(({ start, end }) => start <= span.start && span.end <= end)
  return { text, others, names: spansOf(named, seen).filter((span) => !within(span)) }
}

const distance = (span: Span, at: Span): number =>
  span.end <= at.start ? at.start - span.end : Math.max(0, span.start - at.end)

const nearest = (spans: ReadonlyArray<Span>, at: Span): number =>
  Math.min(Number.POSITIVE_INFINITY, ...spans.map((span) => distance(span, at)))

/** Whether a word close before a number says that it is something else. */
const isOther = (line: ReadLine, at: Span): boolean => {
  if (currency.test(line.text.slice(Math.max(0, at.start - 6), at.start))) return true
  const before = nearest(
    line.others.filter(({ end }) => end <= at.start),
    at,
  )
  return before <= 25 && before < nearest(line.names, at)
}

const typed = (found: string): string => {
  const digits = found.replace(/^[A-Za-z]{1,3}-(?=[\p{Nd} -]+$)/u, "")
  return /^[\p{Nd} –-]+$/u.test(digits) ? digits.replace(/[ –-]/g, "") : found
}

/** Whether a line is from a patch or log of git: its numbers are hashes and modes. */
const isOfGit = (line: string): boolean =>
  /^\s?(?:index [0-9a-f]{4,64}\.\.|diff --git |(?:old|new|new file|deleted file) mode \d|commit [0-9a-f]{7,64}\b|@@ |Merge: [0-9a-f]{7})/.test(
    line,
  )

const isYear = (code: string): boolean => /^(?:19|20)\d\d$/.test(code)
/** 20240131 */
const isDate = (code: string): boolean => /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/.test(code)

/** null for text that has not the shape of a code. Letters without digits may be a word, and need a stronger hint. */
const shapeOf = (code: string): "digits" | "mixed" | "letters" | null => {
  if (/^\p{Nd}{4,8}$/u.test(code)) return "digits"
  const bare = code.replaceAll("-", "")
  const hasDigit = /\d/.test(bare)
  const isUpper = bare === bare.toUpperCase()
  if (hasDigit && /[A-Za-z]/.test(bare)) return "mixed"
  if (hasDigit) return code.split("-").every((group) => group.length <= 4) ? "digits" : null
  return isUpper ? "letters" : null
}

/** How a word for a code precedes a number: `directly` as in "code: 123456", with a `word` between as in "code is 123456". */
const saidBefore = (line: ReadLine, at: Span): "directly" | "word" | null => {
  const between = line.names
    .filter(({ end }) => end <= at.start && at.start - end <= 24)
    .map(({ end }) => line.text.slice(end, at.start))
  if (between.some((text) => /^[^\p{L}]*$/u.test(text) || /[:：]\s?["'“«(*]?$/u.test(text))) return "directly"
  return between.some((text) => /^[^\p{L}]*\p{L}{1,7}[^\p{L}]*$/u.test(text)) ? "word" : null
}

/** Whether a colon is between the word for a code and the number: in the line, or at the end of the line above. */
const isAnnounced = (
  lines: ReadonlyArray<ReadLine>,
  index: number,
  line: ReadLine,
  at: Span,
  isAlone: boolean,
): boolean => {
  const colon = /^[^\p{L}\p{Nd}]{0,4}[:：]/u
  if (
    line.names.some(
      ({ end }) => end <= at.start && colon.test(line.text.slice(end, at.start)) && at.start - end <= 8,
    )
  )
    return true
  const above = lines[index - 1]
  return isAlone && above !== undefined && above.names.length > 0 && /[:：]\s*$/.test(above.text)
}

/** "is" in languages that put it between the word for a code and the code, and an opening quote. */
const equals = /^(?: (?:is|ist|lautet|est|es|é|è|este|är|er|je|είναι) |\s?[是为為は]\s?)["'“‘„«(*]?$/iu
/** The end of a clause, after a closing quote. */
const clauseEnd = /^["'”’“»)*]?\s?(?:[.,;!。，！]|$)/u

/** Whether the number is all that the clause says of the code, as in "Your code is 2024." */
const isStated = (line: ReadLine, at: Span): boolean =>
  clauseEnd.test(line.text.slice(at.end)) &&
  line.names.some(
    ({ end }) => end <= at.start && at.start - end <= 12 && equals.test(line.text.slice(end, at.start)),
  )

interface Found {
  readonly code: string
  readonly context: string
  readonly score: number
}

const sentenceAround = (text: string, at: Span): string => {
  const before = text.slice(0, at.start)
  const start = Math.max(
    ...[". ", "! ", "? ", "。", "！", "？"].map(
      (end) => before.lastIndexOf(end) + end.length * Number(before.includes(end)),
    ),
    0,
  )
  const after = text.slice(at.end).search(/[.!?] |[。！？]/)
  const sentence = text.slice(start, after === -1 ? text.length : at.end + after + 1).trim()
  if (sentence.length <= MAX_CONTEXT) return sentence
  const from = Math.max(0, Math.min(at.start - MAX_CONTEXT / 2, text.length - MAX_CONTEXT))
  return text.slice(from, from + MAX_CONTEXT).trim()
}

const judged = (lines: ReadonlyArray<ReadLine>, index: number, line: ReadLine, at: Span): Found | null => {
  const found = line.text.slice(at.start, at.end)
  const code = typed(found)
  const shape = shapeOf(code)
  if (shape === null || isOther(line, at)) return null
  const isAlone = /^[\s\p{P}]*$/u.test(line.text.slice(0, at.start) + line.text.slice(at.end))
  const said = saidBefore(line, at)
  const gap = nearest(line.names, at)
  const namesAbove = lines
    .slice(Math.max(0, index - LINES_ABOVE), index)
    .findLast(({ names }) => names.length > 0)
  const below = lines.slice(index + 1, index + 1 + LINES_BELOW).some(({ names }) => names.length > 0)
  const isBeside = isAlone && (namesAbove !== undefined || below)
  if (gap > FAR && !isBeside) return null
  const isCertain = said === "directly" || isBeside
  if (isDate(code) && !isCertain) return null
  if (isYear(code) && !isStated(line, at) && !isAnnounced(lines, index, line, at, isAlone)) return null
  if (shape === "letters" && !(isCertain && code.length >= 5)) return null
  if (shape === "mixed" && code !== code.toUpperCase() && !isCertain && said === null) return null
  const score =
    (said === null ? 0 : 40) +
    (isBeside ? 35 : 0) +
    (gap <= FAR ? 20 - Math.min(gap, 40) / 4 : 0) +
    (shape === "digits" ? (code.length === 6 ? 8 : 4) : shape === "mixed" ? 3 : 0)
  const context = isAlone && namesAbove !== undefined ? `${namesAbove.text.trim()} ${line.text.trim()}` : null
  return {
    code,
    score,
    context: context !== null && context.length <= MAX_CONTEXT ? context : sentenceAround(line.text, at),
  }
}

/** Digits of a code that is shown in boxes, one for each digit. */
const BOXES_MIN = 4
const BOXES_MAX = 8

const box = /^\s{0,20}(?:- )?(\p{Nd}|[-–])\s{0,20}$/u

/** Joins the digits of a code in boxes, which are lines of their own in HTML, to one line: `1 2 3 4 5 6`. */
const withBoxes = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const read: Array<string> = []
  let boxes: Array<string> = []
  const end = () => {
    const digits = boxes.filter((one) => /\p{Nd}/u.test(one)).length
    if (digits >= BOXES_MIN && digits <= BOXES_MAX) read.push(boxes.join(" "))
    else read.push(...boxes)
    boxes = []
  }
  for (const line of lines) {
    const found = box.exec(line)?.[1]
    if (found !== undefined) boxes.push(found)
    else {
      end()
      read.push(line)
    }
  }
  end()
  return read
}

const beginning = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const read: Array<string> = []
  let length = 0
  for (const line of lines) {
    if (read.length >= MAX_LINES || length >= MAX_LENGTH) break
    if (line === "") continue
    read.push(line.slice(0, MAX_LINE))
    length += Math.min(line.length, MAX_LINE)
  }
  return withBoxes(read)
}

const codesOf = (lines: ReadonlyArray<string>): ReadonlyArray<Found> => {
  const texts = beginning(lines)
  const spans = texts.map((text) =>
    mayHold.test(text) && !isOfGit(text) ? spansOf(candidate, plain(text)).slice(0, MAX_CANDIDATES) : [],
  )
  if (spans.every((of) => of.length === 0)) return []
  // Search words only in lines near a candidate: most lines are not.
  const isNear = (index: number) =>
    spans.slice(Math.max(0, index - LINES_BELOW), index + LINES_ABOVE + 1).some((of) => of.length > 0)
  const read = texts.map((text, index) =>
    isNear(index) ? withNames(plain(text)) : { text, names: [], others: [] },
  )
  return read.flatMap((line, index) =>
    (spans[index] ?? []).map((at) => judged(read, index, line, at)).filter((found) => found !== null),
  )
}

/** The codes of a mail, the most certain first; equals in order of appearance. */
export const codesIn = (
  subject: string,
  texts: ReadonlyArray<ReadonlyArray<string>>,
): ReadonlyArray<Code> => {
  const best = new Map<string, Found>()
  for (const lines of [[subject], ...texts])
    for (const found of codesOf(lines)) {
      const known = best.get(found.code)
      if (known === undefined || known.score < found.score) best.set(found.code, found)
    }
  return [...best.values()]
    .sort((one, next) => next.score - one.score)
    .slice(0, MAX_CODES)
    .map(({ code, context }) => ({ code, context }))
}
