/** How many columns of a terminal a text takes. */

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** East Asian wide and full-width characters (Unicode Standard Annex 11), and emoji that are shown as pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\ufe0f|[\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

/** Characters without a place of their own: marks, and format characters such as the zero-width space. */
const ZERO = /^[\p{Mark}\p{Cf}]+$/u

const widthOfGrapheme = (grapheme: string): number => {
  if (ZERO.test(grapheme)) return 0
  return WIDE.test(grapheme) ? 2 : 1
}

/** The columns of a line without control characters. */
export const widthOf = (text: string): number => {
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += widthOfGrapheme(segment)
  return width
}

/** A text that takes `width` columns at most; what is cut ends with `…`. */
export const cut = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  let taken = ""
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    const next = used + widthOfGrapheme(segment)
    if (next > width - 1) break
    taken += segment
    used = next
  }
  return `${taken}…`
}
