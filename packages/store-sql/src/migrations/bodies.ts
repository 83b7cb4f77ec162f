/** The extracted text of a message whose bodies the listing cuts. */

export const bodyColumns = (): ReadonlyArray<string> => [
  `ALTER TABLE message_details ADD COLUMN extracted_text TEXT`,
]
