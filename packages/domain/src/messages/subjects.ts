/**
 * Subjects of replies and forwards, which get exactly one prefix, and base subjects, by which threads are found (spec:
 * decisions.threading.subject).
 */
import { BASE_SUBJECT_MAX_LENGTH, SUBJECT_MAX_LENGTH } from "../limits.js"
import { isAnswerSubject, isForwardSubject, withoutPrefixes } from "../threads/subjectPrefix.js"
import { truncated } from "../unicode.js"
import { toOneLine } from "./oneLine.js"

const prefixed = (prefix: string, hasPrefix: (subject: string) => boolean, subject: string): string => {
  const line = toOneLine(subject)
  return truncated(hasPrefix(line) ? line : `${prefix} ${line}`.trim(), SUBJECT_MAX_LENGTH)
}

/** `Re: …`, unless the subject already has such a prefix, in any language; always a valid subject. */
export const replySubject = (subject: string): string => prefixed("Re:", isAnswerSubject, subject)

/** `Fwd: …`, unless the subject already has such a prefix, in any language; always a valid subject. */
export const forwardSubject = (subject: string): string => prefixed("Fwd:", isForwardSubject, subject)

/**
 * The subject without reply prefixes and list tags, spaces folded, lower-case; empty when nothing else is left. A
 * very long subject is cut, because it is part of an index and mail clients cut it too.
 */
export const baseSubject = (subject: string): string =>
  truncated(withoutPrefixes(subject), BASE_SUBJECT_MAX_LENGTH).trimEnd()
