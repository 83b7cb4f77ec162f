/** Which files fit into a mail. */
import { bytesText } from "./texts.js"

const MB = 1024 * 1024

/** Bytes of all files of a mail together. */
export const FILES_MAX_BYTES = 25 * MB

export const FILES_MAX_COUNT = 20

interface Sized {
  readonly sizeBytes: number
}

/** Why files do not fit beside those that the mail has, in words; undefined when they do. */
export const filesIssue = (
  present: ReadonlyArray<Sized>,
  added: ReadonlyArray<Sized>,
): string | undefined => {
  const count = present.length + added.length
  if (count > FILES_MAX_COUNT) return `A mail has ${FILES_MAX_COUNT} files at most; these are ${count}.`
  const bytes = [...present, ...added].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return bytes > FILES_MAX_BYTES
    ? `All files together may have ${bytesText(FILES_MAX_BYTES)}; these have ${bytesText(bytes)}. Send a link instead.`
    : undefined
}
