/** Subjects and their reply prefixes (decisions §5). */

/** Re, Fwd and what mail clients of other languages write for them. */
const prefixes =
  "re|fwd|fw|aw|wg|antw|antwort|rv|res|enc|ref|tr|rif|r|i|fs|sv|vs|vb|vl|vá|továbbítás|odp|pd|ynt|ilt|bls|trs|" +
  "doorst|回复|回覆|转发|轉寄|答复|返信|転送|отв|ha|на|απ|προθ|σχετ|הועבר|תגובה|رد|إعادة توجيه"

const replyPrefix = new RegExp(
  `^\\s*(?:(?:${prefixes})(?:\\s*[\\[(]\\d+[\\])]|\\^\\d+)?\\s*[:：]\\s*)+`,
  "iu",
)

export const isReplySubject = (subject: string): boolean => replyPrefix.test(subject)

/** The subject without reply prefixes and list tags, spaces folded, lower-case. */
export const baseSubject = (subject: string): string => {
  let base = subject
  for (;;) {
    const next = base.replace(replyPrefix, "").replace(/^\s*\[[^\]]{1,40}\]\s+(?=\S)/u, "")
    if (next === base) return base.replace(/\s+/gu, " ").trim().toLowerCase()
    base = next
  }
}
