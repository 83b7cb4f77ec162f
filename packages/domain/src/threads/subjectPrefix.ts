/** What stands before a subject: reply prefixes and list tags (decisions §5). Imports nothing: parser threads load it. */

/**
 * Re and what mail clients of other languages write for it, lower-case. Not the single letters of Italian (R, I): too
 * much else begins with them.
 */
const answers =
  "re|ｒｅ|aw|antw|antwort|antwoord|res|resp|réf|rép|rif|sv|vs|vá|válasz|odp|odg|odgovor|ynt|yanıt|bls|balas|" +
  "balasan|răsp|răspuns|atb|ats|trả lời|回复|回覆|回信|答复|答覆|返信|회신|답장|ตอบกลับ|отв|ответ|на|відп|відповідь|" +
  "отг|отговор|одг|одговор|απ|απάντηση|σχετ|תגובה|תשובה|השב|رد"

/** Fwd and what others write for it; `vs` answers in Finnish and forwards in Danish. */
const forwards =
  "fwd|fw|ｆｗ|ｆｗｄ|wg|rv|reenv|enc|tr|fs|vs|vb|vl|videresend|videresendt|továbbítás|tov|pd|předáno|přeposláno|" +
  "preposlané|prosl|proslijeđeno|posr|posredovano|edasi|pārs|persiųsta|i\u0307?lt|trs|terusan|yml|doorst|" +
  "chuyển tiếp|转发|转寄|轉發|轉寄|転送|전달|ส่งต่อ|пересл|переслано|препр|прослеђено|προθ|πρθ|προώθηση|הועבר|העבר|" +
  "إعادة توجيه"

const prefixOf = (words: string): string => `(?:${words})(?: ?[\\[(]\\d+[\\])]|\\^\\d+)? ?[:：] ?`

const prefix = prefixOf(`${answers}|${forwards}`)
/** A list tag stands before a prefix or before the rest of the subject: alone, it is the subject. */
const tag = `\\[[^\\]]{1,40}\\](?: |(?=${prefix}))`

const beginsWith = (words: string): RegExp => new RegExp(`^(?:${tag})*${prefixOf(words)}`, "u")
const reply = beginsWith(`${answers}|${forwards}`)
const answer = beginsWith(answers)
const forward = beginsWith(forwards)
const leading = new RegExp(`^(?:${prefix}|${tag})+`, "u")

/** Most subjects are words of printable ASCII with a space between them: only their case has to go. */
const onlyWords = /^[!-~]+(?: [!-~]+)*$/

/**
 * What case, composition and spacing do not distinguish, made one. The sigma at the end of a word is written in its
 * other form, for which word it ends depends on what stands around it.
 */
const folded = (subject: string): string =>
  onlyWords.test(subject)
    ? subject.toLowerCase()
    : subject
        .normalize("NFC")
        .toLowerCase()
        .replaceAll("ς", "σ")
        .normalize("NFC")
        .replace(/\s+/gu, " ")
        .trim()

/** Whether the subject begins with a prefix of an answer, list tags apart. */
export const isAnswerSubject = (subject: string): boolean => answer.test(folded(subject))

/** Whether the subject begins with a prefix of a forwarded mail, list tags apart. */
export const isForwardSubject = (subject: string): boolean => forward.test(folded(subject))

/** Whether the subject begins with a prefix of either kind: what threading takes for an answer. */
export const isReplySubject = (subject: string): boolean => reply.test(folded(subject))

/** The subject without them, spaces folded, lower-case; empty when nothing else is there. */
export const withoutPrefixes = (subject: string): string => folded(subject).replace(leading, "")
