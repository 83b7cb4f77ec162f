/** Reply prefixes and list tags of subjects (spec: decisions.threading.subject). Imports little, because parser threads load it. */
import { HEADER_TEXT_MAX_LENGTH } from "../limits.js"
import { normalForm, truncated } from "../unicode.js"

/**
 * `Re` and its forms in other languages, lower-case. Without the single letters of Italian (R, I), with which too many
 * other subjects begin.
 */
const answers =
  "re|ｒｅ|aw|antw|antwort|antwoord|res|resp|réf|rép|rif|sv|vs|vá|válasz|odp|odg|odgovor|ynt|yanıt|bls|balas|" +
  "balasan|răsp|răspuns|atb|ats|trả lời|回复|回覆|回信|答复|答覆|返信|회신|답장|ตอบกลับ|отв|ответ|на|відп|відповідь|" +
  "отг|отговор|одг|одговор|απ|απάντηση|σχετ|תגובה|תשובה|השב|رد"

/** `Fwd` and its forms in other languages; `vs` is a reply in Finnish and a forward in Danish. */
const forwards =
  "fwd|fw|ｆｗ|ｆｗｄ|wg|rv|reenv|enc|tr|fs|vs|vb|vl|videresend|videresendt|továbbítás|tov|pd|předáno|přeposláno|" +
  "preposlané|prosl|proslijeđeno|posr|posredovano|edasi|pārs|persiųsta|i\u0307?lt|trs|terusan|yml|doorst|" +
  "chuyển tiếp|转发|转寄|轉發|轉寄|転送|전달|ส่งต่อ|пересл|переслано|препр|прослеђено|προθ|πρθ|προώθηση|הועבר|העבר|" +
  "إعادة توجيه"

const prefixOf = (words: string): string => `(?:${words})(?: ?[\\[(]\\d+[\\])]|\\^\\d+)? ?[:：] ?`

const prefix = prefixOf(`${answers}|${forwards}`)
/** A list tag, followed by a prefix or the rest of the subject. A bracket alone is the subject itself. */
const tag = `\\[[^\\]]{1,40}\\](?: |(?=${prefix}))`

const beginsWith = (words: string): RegExp => new RegExp(`^(?:${tag})*${prefixOf(words)}`, "u")
const reply = beginsWith(`${answers}|${forwards}`)
const answer = beginsWith(answers)
const forward = beginsWith(forwards)
const leading = new RegExp(`^(?:${prefix}|${tag})+`, "u")

/** Fast path: words of printable ASCII with single spaces only need lower case. */
const onlyWords = /^[!-~]+(?: [!-~]+)*$/

/**
 * Normalizes case, composition and spacing of the first 4,096 UTF-16 units. The final form of sigma is replaced by the other,
 * because it depends on the surrounding text.
 */
const folded = (subject: string): string => {
  const read = truncated(subject, HEADER_TEXT_MAX_LENGTH)
  return onlyWords.test(read)
    ? read.toLowerCase()
    : normalForm(normalForm(read, "NFC").toLowerCase().replaceAll("ς", "σ"), "NFC")
        .replace(/\s+/gu, " ")
        .trim()
}

/** Whether the subject begins with a reply prefix, after any list tags. */
export const isAnswerSubject = (subject: string): boolean => answer.test(folded(subject))

/** Whether the subject begins with a forward prefix, after any list tags. */
export const isForwardSubject = (subject: string): boolean => forward.test(folded(subject))

/** Whether the subject begins with a prefix of either kind, as an answer or a forward does. */
export const hasSubjectPrefix = (subject: string): boolean => reply.test(folded(subject))

/** The subject without prefixes and tags, spaces folded, lower-case; may be empty. */
export const withoutPrefixes = (subject: string): string => folded(subject).replace(leading, "")
