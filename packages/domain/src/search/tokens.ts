/**
 * The words of a text, as the search index and the search query see them: one function for both, so that they agree.
 *
 * Case, diacritics and width are folded: `Ärger`, `arger` and `ＡＲＧＥＲ` are one token. Scripts that put no spaces
 * between words (Chinese, Japanese, Korean with its particles, Thai, Lao, Khmer, Burmese) give one token per character,
 * and a word of them is searched as a phrase. A dictionary would cut `北京大学` differently beside other characters, and
 * differently in another version of ICU, while the index stays.
 */
import { normalForm, truncated } from "../unicode.js"

/** UTF-16 units of a token at most; what is longer is cut. No word is, but base64 and hashes are. */
export const TOKEN_MAX_LENGTH = 64

/**
 * Marks that a reader may leave out: accents, Hebrew points, Arabic vowels and the stretching tatweel. Marks of other
 * scripts are letters of their own right (a Thai vowel, a kana's voicing) and stay.
 */
const OPTIONAL_MARKS = new RegExp(
  String.raw`[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+`,
  "g",
)

/** Characters that nobody sees and that join nothing: soft hyphens, joiners, directions, variation selectors, tags. */
const INVISIBLE = new RegExp(
  String.raw`[\u00ad\u034f\u061c\u180e\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\u{e0000}-\u{e01ef}]+`,
  "gu",
)

/** The emoji modifiers: a thumb of any colour is a thumb. */
const SKIN_TONES = /[\u{1f3fb}-\u{1f3ff}]/gu

/** The inside of a character class: scripts that put no spaces between words. */
export const SPACELESS =
  "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmr}\\p{sc=Mymr}"

/** One token of a script without spaces, with its marks; one emoji; or a run of letters and digits of other scripts. */
const TOKEN = new RegExp(
  [
    `(?=[\\p{L}\\p{N}])[${SPACELESS}]\\p{M}*`,
    "[\\p{Extended_Pictographic}\\p{Regional_Indicator}]",
    `(?:(?![${SPACELESS}])[\\p{L}\\p{N}\\p{M}])+`,
  ].join("|"),
  "gu",
)

const CHARACTER = new RegExp(`^(?:[${SPACELESS}]|\\p{Extended_Pictographic}|\\p{Regional_Indicator})`, "u")

/** Whether a token is one character of a script without spaces, or one emoji: no longer token begins with it. */
export const isCharacter = (token: string): boolean => CHARACTER.test(token)

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text)

/** A text with its spelling folded. Upper case first: it turns `ß` into `SS` and the dotless `ı` into `I`. */
const folded = (text: string): string =>
  normalForm(
    normalForm(text, "NFKD")
      .replace(OPTIONAL_MARKS, "")
      .replace(INVISIBLE, "")
      .replace(SKIN_TONES, "")
      .toUpperCase()
      .toLowerCase()
      .replaceAll("ς", "σ"),
    "NFKC",
  )

/** The tokens of a text, in their order. Takes time linear in the length of the text. */
export const tokensOf = (text: string): ReadonlyArray<string> => {
  const found = isAscii(text) ? text.toLowerCase().match(/[a-z0-9]+/g) : folded(text).match(TOKEN)
  return found === null ? [] : found.map((token) => truncated(token, TOKEN_MAX_LENGTH))
}
