/** Rows of the specification in our own words: every table row, numbered rule, status and bullet is one. */
export interface Section {
  /** part and section of the document */
  readonly where: string
  /** by id: the statement, short */
  readonly rows: Readonly<Record<string, string>>
}
