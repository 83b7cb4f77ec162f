/** The subjects of answers and of forwarded mail: one prefix, which does not pile up (decisions §4, §5). */
import { SUBJECT_MAX_LENGTH } from "../limits.js"
import { isAnswerSubject, isForwardSubject } from "../threads/subjectPrefix.js"
import { truncated } from "./Message.js"
import { toOneLine } from "./oneLine.js"

const prefixed = (prefix: string, hasPrefix: (subject: string) => boolean, subject: string): string => {
  const line = toOneLine(subject)
  return truncated(hasPrefix(line) ? line : `${prefix} ${line}`.trim(), SUBJECT_MAX_LENGTH)
}

/** `Re: …`, unless it begins with that or its like in another language; always a valid subject. */
export const answerSubject = (subject: string): string => prefixed("Re:", isAnswerSubject, subject)

/** `Fwd: …`, unless it begins with that or its like in another language; always a valid subject. */
export const forwardSubject = (subject: string): string => prefixed("Fwd:", isForwardSubject, subject)
