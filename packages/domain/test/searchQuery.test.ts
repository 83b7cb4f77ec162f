/** The grammar of search queries, and what a query means (docs/decisions/0059). */
import {
  matchesQuery,
  parseSearchQuery,
  SEARCH_CONDITIONS_MAX,
  SEARCH_DEPTH_MAX,
  SEARCH_QUERY_MAX_LENGTH,
  type SearchedMessage,
  type SearchQuery,
  ThreadId,
  tokensOf,
} from "@mailroom/domain"
import { Either, FastCheck } from "effect"
import { describe, expect, it } from "vitest"

const thread = "0199c9f2-6d3c-7c1e-8f50-0d5f3a2b9c11"

/** A query as the parser understood it, with a parenthesis around everything that has parts. */
const shown = (query: SearchQuery): string => {
  switch (query.kind) {
    case "and":
      return `(${query.of.map(shown).join(" ")})`
    case "or":
      return `(${query.of.map(shown).join(" | ")})`
    case "not":
      return `-${shown(query.of)}`
    case "text":
      return `${query.field === null ? "" : `${query.field}:`}${query.tokens.join("+")}${query.isPrefix ? "*" : ""}`
    case "label":
      return `label:${query.label}`
    case "thread":
      return `thread:${query.threadId}`
    case "has":
      return `has:${query.part}`
    case "is":
      return `is:${query.state}`
    case "in":
      return `in:${query.direction}`
    case "before":
    case "after":
      return `${query.kind}:${new Date(query.at).toISOString()}`
    case "larger":
    case "smaller":
      return `${query.kind}:${query.bytes}`
  }
}

const understood = (text: string): string =>
  Either.match(parseSearchQuery(text), {
    onLeft: ({ position, message }) => `${position}: ${message}`,
    onRight: shown,
  })

describe("a query", () => {
  const cases: Readonly<Record<string, ReadonlyArray<readonly [query: string, meaning: string]>>> = {
    "of words matches all of them": [
      ["invoice", "invoice"],
      ["Invoice  März", "(invoice marz)"],
      ["invoice AND paid", "(invoice paid)"],
    ],
    "in quotes is a phrase, in any kind of quotes": [
      ['"due on Monday"', "due+on+monday"],
      ["“due on” now", "(due+on now)"],
    ],
    "of a word with parts is a phrase": [
      ["e-mail", "e+mail"],
      ["ada@acme.example", "ada+acme+example"],
      ["12:30 https://acme.example/x", "(12+30 https+acme+example+x)"],
      ["北京", "北+京"],
    ],
    "with a star matches beginnings": [
      ["inv*", "inv*"],
      ["from:ad*", "from:ad*"],
      ["北*", "北"],
      ["pre-pay*", "pre+pay*"],
    ],
    "with a hyphen in front excludes": [
      ["-draft", "-draft"],
      ['invoice -"past due"', "(invoice -past+due)"],
      ["-from:ada", "-from:ada"],
      ["-(a b)", "-(a b)"],
      ["plan - budget", "(plan budget)"],
    ],
    "with OR joins neighbours, closer than words beside each other": [
      ["a OR b", "(a | b)"],
      ["a b OR c d", "(a (b | c) d)"],
      ["a OR b OR -c", "(a | b | -c)"],
      ["(a b) OR c", "((a b) | c)"],
      ["or and", "(or and)"],
    ],
    "names a field": [
      ["from:ada", "from:ada"],
      ["FROM:Ada", "from:ada"],
      ['subject:"the figures"', "subject:the+figures"],
      ["to: bob", "to:bob"],
      ["filename:report.pdf", "filename:report+pdf"],
      ["from:(ada OR bob) cc:eve", "((from:ada | from:bob) cc:eve)"],
      ["body:-x", "body:x"],
      ["re:invoice", "re+invoice"],
    ],
    "names a fact": [
      ['label:"to do"', "label:to do"],
      ["label:Important", "label:Important"],
      [`thread:${thread}`, `thread:${thread}`],
      ["has:code is:unread in:Inbound", "(has:code is:unread in:INBOUND)"],
      ["before:2026-03-01", "before:2026-03-01T00:00:00.000Z"],
      ["after:2026-03-01T10:30", "after:2026-03-01T10:30:00.000Z"],
      ["after:2026-03-01T10:30:00+02:00", "after:2026-03-01T08:30:00.000Z"],
      ["larger:5M smaller:1.5k", "(larger:5242880 smaller:1536)"],
      ["larger:100", "larger:100"],
    ],
    "ignores what has no letter": [
      ["R&D & !!!", "r+d"],
      ["a OR &", "a"],
      ['"" x', "x"],
    ],
  }
  for (const [rule, examples] of Object.entries(cases))
    it(rule, () => {
      for (const [query, meaning] of examples) expect(understood(query), query).toBe(meaning)
    })
})

describe("a query that does not parse is told where", () => {
  const cases: ReadonlyArray<readonly [query: string, problem: string]> = [
    ["", "0: there is no word to search for"],
    ["!!!", "0: there is no word to search for"],
    ['say "hello', "4: this quote is never closed"],
    ["a (b", "2: this parenthesis is never closed"],
    ["a) b", "1: this parenthesis was never opened"],
    ["OR b", "0: a condition is missing in front of OR"],
    ["a OR", "4: a condition is missing at the end"],
    ["(a OR) b", "5: a condition is missing in front of )"],
    ["a AND", "2: AND needs a condition behind it"],
    ["x from:", "2: from: needs a value"],
    ["from:!!!", "5: from: needs a word"],
    ["has:(code)", "0: has: needs a value"],
    ["from:(ada to:bob)", "10: to: cannot stand inside the parentheses of from:"],
    ["has:money", "4: has: must be attachment, code, link or invite"],
    ["is:new", "3: is: must be unread, read or automated"],
    ["in:spam", "3: in: must be inbound or outbound"],
    ["thread:7", "7: thread: must be the id of a thread"],
    ["before:yesterday", "7: before: must be a date such as 2026-03-01, or a date and time in ISO 8601"],
    ["after:2026-02-30T99:00", "6: after: must be a date such as 2026-03-01, or a date and time in ISO 8601"],
    ["larger:big", "7: larger: must be a size such as 500k or 5M"],
    ["a*", "0: * needs at least 2 letters in front of it"],
    [
      "(".repeat(SEARCH_DEPTH_MAX + 1),
      `${SEARCH_DEPTH_MAX + 1}: parentheses and negations go at most ${SEARCH_DEPTH_MAX} deep`,
    ],
    [
      "ab ".repeat(SEARCH_CONDITIONS_MAX + 1),
      `${3 * SEARCH_CONDITIONS_MAX}: a query has at most ${SEARCH_CONDITIONS_MAX} conditions`,
    ],
    [
      "a".repeat(SEARCH_QUERY_MAX_LENGTH + 1),
      `${SEARCH_QUERY_MAX_LENGTH}: a query has at most ${SEARCH_QUERY_MAX_LENGTH} characters`,
    ],
  ]
  it.each(cases)("%s", (query, problem) => {
    expect(understood(query)).toBe(problem)
  })

  it("or is understood, whatever its text", () => {
    const pieces = FastCheck.constantFrom(
      "a",
      "OR",
      "AND",
      "-",
      "(",
      ")",
      '"',
      "from:",
      "has:",
      "is:unread",
      "*",
      " ",
      "北",
      "label:x",
      "”",
    )
    FastCheck.assert(
      FastCheck.property(
        FastCheck.oneof(
          FastCheck.fullUnicodeString({ maxLength: 80 }),
          FastCheck.array(pieces, { maxLength: 30 }).map((some) => some.join("")),
        ),
        (text) => {
          const parsed = parseSearchQuery(text)
          if (Either.isLeft(parsed)) {
            expect(parsed.left.position).toBeGreaterThanOrEqual(0)
            expect(parsed.left.position).toBeLessThanOrEqual(text.length)
          }
        },
      ),
      { numRuns: 3000 },
    )
  })
})

describe("a message", () => {
  const message: SearchedMessage = {
    tokens: {
      subject: tokensOf("Rechnung für März"),
      from: tokensOf("Ada Lovelace ada@acme.example"),
      to: tokensOf("agent@corp.example"),
      cc: [],
      body: tokensOf("The invoice is due on Monday. 北京大学"),
      filename: tokensOf("rechnung-2026.pdf"),
    },
    labels: ["to do", "Bills"],
    threadId: ThreadId.make(thread),
    has: new Set(["attachment"]),
    is: new Set(["unread"]),
    direction: "INBOUND",
    createdAt: Date.UTC(2026, 2, 1, 12),
    sizeBytes: 2048,
  }
  const isMatched = (query: string): boolean =>
    matchesQuery(message, Either.getOrThrow(parseSearchQuery(query)))

  it.each([
    "invoice",
    "rechnung marz",
    '"due on"',
    "京大",
    "mon*",
    "from:acme.example",
    "-draft",
    "draft OR invoice",
    "from:(bob OR ada)",
    'label:"to do" label:Bills',
    `thread:${thread}`,
    "has:attachment is:unread in:inbound -is:read",
    "after:2026-03-01 before:2026-03-02",
    "after:2026-03-01T12:00Z",
    "larger:1k smaller:3k",
  ])("matches %s", (query) => {
    expect(isMatched(query)).toBe(true)
  })

  it.each([
    "invoices",
    '"on due"',
    '"2026 the"',
    "学京",
    "from:invoice",
    "cc:ada",
    "-invoice",
    "label:bills",
    "has:code",
    "is:read",
    "in:outbound",
    "before:2026-03-01",
    "before:2026-03-01T12:00Z",
    "larger:2k",
    "smaller:2k",
  ])("does not match %s", (query) => {
    expect(isMatched(query)).toBe(false)
  })
})
