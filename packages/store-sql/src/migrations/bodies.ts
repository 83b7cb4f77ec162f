/** What somebody wrote of a body that the listing holds cut. */

export const bodyColumns = (): ReadonlyArray<string> => [
  `ALTER TABLE message_details ADD COLUMN extracted_text TEXT`,
]
