/** The grammar of the search, by examples that a reader can take over. */

export interface SearchExample {
  readonly query: string
  readonly means: string
}

export const searchExamples: ReadonlyArray<SearchExample> = [
  { query: "invoice march", means: "both words, anywhere" },
  { query: '"due on"', means: "these words in a row" },
  { query: "invo*", means: "words that begin so" },
  { query: "invoice -paid", means: "without a word" },
  { query: "invoice OR receipt", means: "one of two" },
  { query: "from:example.com", means: "from an address or a domain" },
  { query: "subject:offer", means: "in the subject; also to:, cc:, body:, filename:" },
  { query: "has:attachment", means: "with a file; also has:code, has:link, has:invite" },
  { query: "is:unread", means: "not read; also is:read, is:automated" },
  { query: "in:outbound", means: "sent; in:inbound for received" },
  { query: "label:todo", means: "with a label" },
  { query: "after:2026-03-01", means: "from a day on; before: for earlier" },
  { query: "larger:5M", means: "by size; smaller: for less" },
]

/** The query with an example at its end, such as a further condition. */
export const withExample = (query: string, example: string): string =>
  query.trim() === "" ? example : `${query.trim()} ${example}`

export interface Part {
  readonly text: string
  readonly isMarked: boolean
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&#x27;": "'",
}

/** The parts of a highlight of the service, which is escaped HTML with `<mark>`. */
export const highlightParts = (html: string): ReadonlyArray<Part> =>
  html
    .split(/(<mark>.*?<\/mark>)/s)
    .filter((part) => part !== "")
    .map((part) => ({
      text: part
        .replace(/<\/?mark>/g, "")
        .replace(/&(?:amp|lt|gt|quot|#39|#x27);/g, (name) => entities[name] ?? name),
      isMarked: part.startsWith("<mark>"),
    }))
