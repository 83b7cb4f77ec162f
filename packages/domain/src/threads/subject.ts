/** Subjects and their reply prefixes (decisions §5). */

/** Re, Fwd and what mail clients of other languages write for them, lower-case. */
const words =
  "re|fwd|fw|aw|wg|antw|antwort|rv|res|enc|réf|tr|rif|fs|sv|vs|vb|vl|vá|továbbítás|odp|pd|ynt|i\u0307?lt|bls|trs|" +
  "doorst|回复|回覆|回信|转发|轉發|轉寄|答复|返信|転送|отв|απ|προθ|πρθ|σχετ|הועבר|תגובה|השב|رد|إعادة توجيه"

const prefix = `(?:${words})(?: ?[\\[(]\\d+[\\])]|\\^\\d+)? ?[:：] ?`
/** A list tag stands before a prefix or before the rest of the subject: alone, it is the subject. */
const tag = `\\[[^\\]]{1,40}\\](?: |(?=${prefix}))`

const answer = new RegExp(`^(?:${tag})*${prefix}`, "u")
const leading = new RegExp(`^(?:${prefix}|${tag})+`, "u")

/**
 * What case, composition and spacing do not distinguish, made one. The sigma at the end of a word is written in its
 * other form, for which word it ends depends on what stands around it.
 */
const folded = (subject: string): string =>
  subject.normalize("NFC").toLowerCase().replaceAll("ς", "σ").normalize("NFC").replace(/\s+/gu, " ").trim()

/** Whether the subject begins with a reply prefix, list tags apart. */
export const isReplySubject = (subject: string): boolean => answer.test(folded(subject))

/** The subject without reply prefixes and list tags, spaces folded, lower-case; empty when nothing else is there. */
export const baseSubject = (subject: string): string => folded(subject).replace(leading, "")
