/** Subjects as threads are found by (decisions §5). */
import { BASE_SUBJECT_MAX_LENGTH } from "../limits.js"
import { truncated } from "../messages/Message.js"
import { withoutPrefixes } from "./subjectPrefix.js"

/**
 * The subject without reply prefixes and list tags, spaces folded, lower-case; empty when nothing else is there. Of a
 * very long one the beginning: it is looked up by, and who answers may have cut it.
 */
export const baseSubject = (subject: string): string =>
  truncated(withoutPrefixes(subject), BASE_SUBJECT_MAX_LENGTH).trimEnd()
