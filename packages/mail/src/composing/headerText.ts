/** Turns strings into header text, so that none can end its field or be decoded as something else. */
import { encodeWord } from "nodemailer/lib/mime-funcs"

/** Replaces line ends, also those that only some readers know, by a space, and drops other control characters. */
export const oneLine = (value: string): string =>
  value
    .replace(/[\r\n\u0085\u2028\u2029]+/g, " ")
    .replace(/[\0-\u001f\u007f-\u009f]/g, "")
    .replace(/\p{Surrogate}/gu, "\ufffd")

/** Whether folding can keep lines within 998 characters (RFC 5322 §2.1.1). */
export const isSendable = (value: string): boolean => !/[^ ]{900}/.test(value)

const isPlain = (value: string): boolean =>
  /^[\u0020-\u007e]*$/.test(value) &&
  isSendable(value) &&
  // Readers would decode plain text that looks like an encoded word.
  !value.includes("=?") &&
  // Folding does not keep runs of spaces.
  !/^ | {2}| $/.test(value)

/** An unstructured field (RFC 5322 §2.2.1): a subject, a custom header. */
export const unstructured = (value: string): string => {
  const line = oneLine(value)
  return isPlain(line) ? line : encodeWord(line, "B", 52)
}

/** An address without characters that could end it or start another one. */
export const plainAddress = (address: string): string =>
  oneLine(address).replace(/[\s()<>[\]:;\\,"\u200e\u200f\u202a-\u202e]/g, "")

/** Breaks up what looks like an encoded word, because many readers decode one even inside quotes. */
export const quotable = (text: string): string => text.replaceAll("=?", "= ?")

/** A display name; nodemailer quotes it. */
export const displayName = (name: string | null): string =>
  quotable(oneLine(name ?? "").replace(/\s+/g, " ")).trim()

/** A message id in angle brackets, without spaces and brackets inside. */
export const messageId = (id: string): string => `<${oneLine(id).replace(/[\s<>]/g, "")}>`
