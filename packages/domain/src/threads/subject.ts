/** Base subjects, by which threads are found (spec: decisions.threading.subject). */
import { BASE_SUBJECT_MAX_LENGTH } from "../limits.js"
import { truncated } from "../messages/Message.js"
import { withoutPrefixes } from "./subjectPrefix.js"

/**
 * The subject without reply prefixes and list tags, spaces folded, lower-case; empty when nothing else is left. A
 * very long subject is cut, because it is part of an index and mail clients cut it too.
 */
export const baseSubject = (subject: string): string =>
  truncated(withoutPrefixes(subject), BASE_SUBJECT_MAX_LENGTH).trimEnd()
