/** The bytes of files, or of mails, together. */
export const totalBytes = (all: ReadonlyArray<{ readonly sizeBytes: number }>): number =>
  all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
