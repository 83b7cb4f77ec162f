/** Search: docs/specification/search.md. */
import type { Section } from "./Section.js"

export const search = [
  {
    heading: "The two routes",
    rows: {
      "search.mailbox": "One route searches a mailbox",
      "search.everywhere": "The other searches all mailboxes, or those of the key's scope",
      "search.200": "200 with messages as a list shows them, with highlights",
      "search.highlights": "Highlights mark the words in escaped text",
      "search.relevance": "By relevance, the best match comes first",
      "search.date": "By date, every match, newest first",
      "search.cursor": "A cursor belongs to its query",
      "search.400": "400 with the position where the query does not parse",
      "search.gated": "Gated messages are not found until they are unlocked",
      "search.fresh": "A message is found as soon as its event is out",
      "search.deleted": "A deleted message is not found",
      "search.401": "401 without a key",
      "search.402": "402 when payment is required",
      "search.403": "403 when the account is suspended",
      "search.404": "404 for a mailbox that does not exist",
    },
  },
  {
    heading: "The query",
    rows: {
      "search.words": "All words must match, in any field",
      "search.phrase": "A phrase: the words follow each other",
      "search.prefix": "The beginning of a word",
      "search.logic": "Exclusion, OR and parentheses",
      "search.fields": "Words in one field",
      "search.facts": "What a message has and is, and its direction",
      "search.labels": "A label, a thread",
      "search.limits": "Dates and sizes",
      "search.folding": "Case, accents and width do not matter",
      "search.scripts": "Words of scripts without spaces are found",
    },
  },
  {
    heading: "What is searched",
    rows: {
      "search.text": "Subject, names, addresses, text, names of attachments",
      "search.files": "The text of a file below 1 MB is found soon after its mail",
      "search.files.large": "The text of a larger file is found once somebody has asked for it",
    },
  },
] as const satisfies ReadonlyArray<Section>
