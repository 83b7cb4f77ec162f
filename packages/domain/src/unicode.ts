/** Text from outside: normal forms in linear time, and cuts between characters. Has no imports, because parser threads load it. */

/** Marks on one character that are kept: as many as in the Stream-Safe Text Format (UAX #15 §13). No language has ten. */
const MARKS_MAX = 30

/**
 * The characters that normalization orders or composes with those before them: marks, the halfwidth voiced marks of
 * Japanese, which NFKC and NFKD make marks of, and the one vowel of Kirat Rai that composes with itself.
 */
const MARK = String.raw`[\p{M}\uff9e\uff9f\u{16d67}]`

const LONG_RUN = new RegExp(`(${MARK}{${MARKS_MAX}})${MARK}+`, "gu")

/**
 * The text in a normal form of UAX #15, with at most 30 marks in a row; more are left out. Normalization puts the marks of a
 * character into order in quadratic time: 256 kB of them take 17 s.
 */
export const normalForm = (text: string, form: "NFC" | "NFD" | "NFKC" | "NFKD"): string =>
  text.replace(LONG_RUN, "$1").normalize(form)

/** The first `max` UTF-16 units, without splitting a surrogate pair. */
export const truncated = (text: string, max: number): string => {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}
