/** Subjects of replies and forwards: exactly one prefix, however often a mail is answered. */
import { SUBJECT_MAX_LENGTH } from "../limits.js"
import { isAnswerSubject, isForwardSubject } from "../threads/subjectPrefix.js"
import { truncated } from "./Message.js"
import { toOneLine } from "./oneLine.js"

const prefixed = (prefix: string, hasPrefix: (subject: string) => boolean, subject: string): string => {
  const line = toOneLine(subject)
  return truncated(hasPrefix(line) ? line : `${prefix} ${line}`.trim(), SUBJECT_MAX_LENGTH)
}

/** `Re: …`, unless the subject already has such a prefix, in any language; always a valid subject. */
export const answerSubject = (subject: string): string => prefixed("Re:", isAnswerSubject, subject)

/** `Fwd: …`, unless the subject already has such a prefix, in any language; always a valid subject. */
export const forwardSubject = (subject: string): string => prefixed("Fwd:", isForwardSubject, subject)
