/** Strings as header text: every one of them stays on its line and says what it says. */
import { encodeWord } from "nodemailer/lib/mime-funcs"

/** What ends a line, or what some reader takes for its end, becomes a space; other controls are dropped. */
export const oneLine = (value: string): string =>
  value
    .replace(/[\r\n\u0085\u2028\u2029]+/g, " ")
    .replace(/[\0-\u001f\u007f-\u009f]/g, "")
    .replace(/\p{Surrogate}/gu, "\ufffd")

/** Whether folding can keep its lines within 998 characters (RFC 5322 §2.1.1). */
export const isSendable = (value: string): boolean => !/[^ ]{900}/.test(value)

const isPlain = (value: string): boolean =>
  /^[\u0020-\u007e]*$/.test(value) &&
  isSendable(value) &&
  // Plain text that looks like an encoded word would be read as what it encodes.
  !value.includes("=?") &&
  // Folding does not keep runs of spaces.
  !/^ | {2}| $/.test(value)

/** Unstructured text: a subject, a custom header. */
export const unstructured = (value: string): string => {
  const line = oneLine(value)
  return isPlain(line) ? line : encodeWord(line, "B", 52)
}

/** An address that names one mailbox, whatever it holds: nothing in it can end it or start another. */
export const plainAddress = (address: string): string =>
  oneLine(address).replace(/[\s()<>[\]:;\\,"\u200e\u200f\u202a-\u202e]/g, "")

/** Many readers decode an encoded word even inside quotes, so what looks like one is broken up. */
export const quotable = (text: string): string => text.replaceAll("=?", "= ?")

/** A display name, which the library quotes. */
export const displayName = (name: string | null): string =>
  quotable(oneLine(name ?? "").replace(/\s+/g, " ")).trim()

/** Message ids are ASCII words without spaces; whatever else stands in one is dropped. */
export const messageId = (id: string): string => `<${oneLine(id).replace(/[\s<>]/g, "")}>`
