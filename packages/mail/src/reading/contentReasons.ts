/**
 * Whether a mail hides something in its text (docs/specification/senders.md): text that people do not see, invisible
 * characters, or a text part that says something else than the HTML part. Takes linear time.
 */
import type { ContentReason } from "@mailroom/domain/trust/trustOf"
import { normalForm } from "@mailroom/domain/unicode"
import type { ShownText } from "./shownText.js"

/** Letters and digits of an honest preheader, which lists of mail show beside the subject. */
const PREHEADER_MAX = 300
/** Letters and digits that honest HTML hides elsewhere: reference numbers, labels for screen readers. */
const HIDDEN_MAX = 60
/** Characters of text that are compared. */
const COMPARED_MAX = 300_000
/** Zero-width characters in a row, of different kinds and in no regular order, that carry a message. */
const ZERO_WIDTH_RUN = 16
/** Longest pattern of the padding that newsletters put behind their preheader. */
const PADDING_PERIOD_MAX = 8
/** Variation selectors in a row: one of them belongs to the character before. */
const SELECTOR_RUN = 4
/** Words in a row of the text part, and the share of them that the HTML must lack. A shorter text is one such passage. */
const WINDOW = 20
const WINDOW_MIN = 8
const FOREIGN_SHARE = 0.8
/** Words that HTML with images must show so that a text part can be compared with it: images may show the others. */
const WITH_IMAGES_MIN = 20
/** Words of the longest text that only says that the mail is HTML. */
const STUB_MAX = 80

const wordPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu

const wordsOf = (text: string): ReadonlyArray<string> => {
  const compared = text.slice(0, COMPARED_MAX)
  return /^[\0-\u007f]*$/.test(compared)
    ? (compared.toLowerCase().match(/[a-z0-9]+/g) ?? [])
    : (normalForm(compared, "NFKC").toLowerCase().match(wordPattern) ?? [])
}

const lettersIn = (words: ReadonlyArray<string>): number => words.reduce((sum, { length }) => sum + length, 0)

/** Whether more text is hidden than honest mail hides. Text that people see elsewhere in the mail does not count. */
const hidesText = ({ shown, preheader, hidden }: ShownText): boolean => {
  if (preheader.length + hidden.length === 0) return false
  const before = wordsOf(preheader.join(""))
  const after = wordsOf(hidden.join(""))
  const counted = lettersIn(before) > PREHEADER_MAX ? [...before, ...after] : after
  if (lettersIn(counted) <= HIDDEN_MAX) return false
  const seen = new Set(wordsOf(shown.join("")))
  return lettersIn(counted.filter((word) => !seen.has(word))) > HIDDEN_MAX
}

/** England, Scotland and Wales: a black flag, two to six tag characters, and the tag that ends them (UTS #51 §C.1). */
const flags = /\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{2,6}\u{E007F}/gu
const tagCharacter = /[\u{E0000}-\u{E007F}]/u
const selectorRun = new RegExp(`[\\u{FE00}-\\u{FE0F}\\u{E0100}-\\u{E01EF}]{${SELECTOR_RUN}}`, "u")
/** Characters without width, except soft hyphens, which long words of honest mail have. */
const ZERO_WIDTH =
  "\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b-\\u200f\\u2060-\\u206f\\u3164\\ufeff"
const zeroWidthRuns = new RegExp(`[${ZERO_WIDTH}]{${ZERO_WIDTH_RUN},}`, "g")
/** A quick test, without which the others need not run: most mail has none of these. */
const unusual = new RegExp(`[${ZERO_WIDTH}\\ufe00-\\ufe0f]|\\udb40`)

/** Whether a run repeats a short pattern, as padding does. */
const isPadding = (run: string): boolean => {
  for (let period = 1; period <= PADDING_PERIOD_MAX; period++)
    if (run.slice(period) === run.slice(0, -period)) return true
  return false
}

const hasInvisibleMessage = (text: string): boolean => {
  if (!unusual.test(text)) return false
  return (
    tagCharacter.test(text.replace(flags, "")) ||
    selectorRun.test(text) ||
    (text.match(zeroWidthRuns) ?? []).some((run) => !isPadding(run))
  )
}

/** A text part in place of a text, such as "Your program cannot show HTML". */
const isStub = (text: string, words: ReadonlyArray<string>): boolean =>
  words.length <= STUB_MAX && /\bhtml\b|\bbrowser\b|https?:/i.test(text)

/** Text without addresses of pages and quoted lines, which differ between the parts. */
const comparable = (text: string): string =>
  text
    .slice(0, COMPARED_MAX)
    .replace(/(?:https?|mailto|cid):[^\s<>]+/gi, " ")
    .replace(/^>.*$/gm, "")

/** Whether the text part has a passage of which the HTML, with its hidden text, lacks nearly every word. */
const saysSomethingElse = (
  text: string,
  { shown, preheader, hidden, alternatives, hasImages }: ShownText,
): boolean => {
  const words = wordsOf(comparable(text))
  if (words.length < WINDOW_MIN || isStub(text, words)) return false
  const inHtml = wordsOf([shown.join(""), preheader.join(""), hidden.join(""), ...alternatives].join(" "))
  if (inHtml.length === 0 || (hasImages && inHtml.length < WITH_IMAGES_MIN)) return false
  const known = new Set(inHtml)
  const window = Math.min(WINDOW, words.length)
  const isForeign = words.map((word) => !known.has(word))
  let foreign = 0
  for (let at = 0; at < words.length; at++) {
    if (isForeign[at] === true) foreign += 1
    if (isForeign[at - window] === true) foreign -= 1
    if (at >= window - 1 && foreign >= window * FOREIGN_SHARE) return true
  }
  return false
}

/** The parts of a mail that may hide something. */
export interface ReadTexts {
  /** short texts of the header: subject, display name */
  readonly labels: ReadonlyArray<string>
  readonly text: string | null
  /** null without an HTML part */
  readonly html: ShownText | null
  /** whether the two are alternatives, which should say the same */
  readonly areAlternatives: boolean
}

export const contentReasons = ({
  labels,
  text,
  html,
  areAlternatives,
}: ReadTexts): ReadonlyArray<ContentReason> => {
  const seen = html === null ? "" : html.shown.join("")
  const concealed = html === null ? "" : [...html.preheader, ...html.hidden].join("")
  const reasons: Readonly<Record<ContentReason, () => boolean>> = {
    hidden_text: () => html !== null && hidesText(html),
    invisible_characters: () => [...labels, text ?? "", seen, concealed].some(hasInvisibleMessage),
    text_differs: () => areAlternatives && text !== null && html !== null && saysSomethingElse(text, html),
  }
  return (["hidden_text", "invisible_characters", "text_differs"] as const).filter((reason) =>
    reasons[reason](),
  )
}
