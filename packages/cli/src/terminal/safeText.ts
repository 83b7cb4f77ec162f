/**
 * Text of strangers for a terminal. Control characters in a mail could move the cursor, rewrite what was printed before, or
 * make the terminal type commands; characters that turn the direction of writing could show another file name or address.
 */

/** C0 and C1 control characters and DEL, except for tab and line feed. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Overrides, embeddings and isolates of the writing direction, and tag characters, which nobody sees. */
const INVISIBLE = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu

const withoutControls = (text: string): string => text.replace(CONTROLS, "").replace(INVISIBLE, "")

/** Text of several lines, such as a body: line feeds and tabs stay. */
export const safeText = (text: string): string => withoutControls(text.replace(/\r\n?/g, "\n"))

/** Text on one line, such as a subject: line breaks and tabs become spaces. */
export const safeLine = (text: string): string =>
  withoutControls(text.replace(/[\r\n\t\u0085\u2028\u2029]+/g, " "))

/** JSON on one line or several. What JSON leaves as it is and terminals obey is written as `\u009b`. */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
