/** The rules under one heading of a page of docs/specification. */
export interface Section {
  readonly heading: string
  /** by id: the rule in a few words; the page says it in full */
  readonly rows: Readonly<Record<string, string>>
}
