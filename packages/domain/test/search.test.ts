/** The rules of search beside tokens and queries: segments, plans, the text that is searched, highlights, relevance. */
import { describe, expect, it } from "@effect/vitest"
import {
  cutsFor,
  DAY,
  HIGHLIGHT_MAX_LENGTH,
  highlightsOf,
  parseSearchQuery,
  placeInSegments,
  relevanceOf,
  type SearchableContent,
  SEARCHED_FILES_MAX_LENGTH,
  searchedPartsOf,
  searchedTokens,
  searchPlan,
  type SearchQuery,
  SEGMENT_MESSAGES,
} from "@mailroom/domain"
import { Either } from "effect"

const query = (text: string): SearchQuery => Either.getOrThrow(parseSearchQuery(text))

const content = (over: Partial<SearchableContent> = {}): SearchableContent => ({
  subject: "Hello",
  fromAddress: "ada@sender.org",
  fromName: "Ada",
  toAddresses: ["agent@mailroom.dev"],
  ccAddresses: [],
  bccAddresses: [],
  bodyText: "Hello there",
  bodyHtml: null,
  direction: "INBOUND",
  automated: false,
  attachments: [],
  codes: [],
  links: [],
  ...over,
})

describe("segments", () => {
  const full = { startsAt: 100, newestAt: 200, messages: SEGMENT_MESSAGES }

  it("the first messages of an account are one segment", () => {
    expect(placeInSegments([], [5, 3, 4])).toEqual({
      changed: [{ existing: null, startsAt: 3, newestAt: 5, messages: 3 }],
      places: [0, 0, 0],
    })
  })

  it("newer and older mail begins a segment when the outermost is full, and fills it otherwise", () => {
    expect(placeInSegments([full], [300, 301, 50, 49])).toEqual({
      changed: [
        { existing: null, startsAt: 300, newestAt: 301, messages: 2 },
        { existing: null, startsAt: 49, newestAt: 50, messages: 2 },
      ],
      places: [0, 0, 1, 1],
    })
    const open = { ...full, messages: 7 }
    expect(placeInSegments([open], [300, 50])).toEqual({
      changed: [{ existing: open, startsAt: 50, newestAt: 300, messages: 9 }],
      places: [0, 0],
    })
  })

  it("late mail goes where its time is, and mail of the same time stays together", () => {
    const next = { startsAt: 300, newestAt: 400, messages: SEGMENT_MESSAGES }
    expect(placeInSegments([full, next], [150, 250, 400])).toEqual({
      changed: [
        { existing: next, startsAt: 300, newestAt: 400, messages: SEGMENT_MESSAGES + 1 },
        { existing: null, startsAt: 250, newestAt: 250, messages: 1 },
        { existing: full, startsAt: 100, newestAt: 200, messages: SEGMENT_MESSAGES + 1 },
      ],
      places: [2, 1, 0],
    })
  })

  it("a burst that is indexed newest first makes full segments, and none that are longer", () => {
    let segments: ReadonlyArray<{ startsAt: number; newestAt: number; messages: number }> = [
      { startsAt: 1, newestAt: 10, messages: 10 },
    ]
    for (let newest = 20_000; newest > 10; newest -= 64) {
      const times = Array.from({ length: Math.min(64, newest - 10) }, (_, n) => newest - n)
      const [oldest = null] = segments
      const { changed } = placeInSegments(segments, times, new Set(newest - 64 > 10 ? [oldest] : []))
      const kept = segments.filter((one) => !changed.some(({ existing }) => existing === one))
      segments = [...kept, ...changed].sort((a, b) => a.startsAt - b.startsAt)
    }
    expect(segments.map(({ messages }) => messages)).toEqual([32, 3584, 4096, 4096, 4096, 4096])
  })

  it("an archive that is imported from its beginning makes full segments beside mail that has come", () => {
    for (const live of [1, 1000]) {
      let segments: ReadonlyArray<{ startsAt: number; newestAt: number; messages: number }> = [
        { startsAt: 1_000_000, newestAt: 1_000_000 + live, messages: live },
      ]
      for (let oldest = 0; oldest < 20_000; oldest += 50) {
        const times = Array.from({ length: 50 }, (_, n) => oldest + n)
        // What the store does: the live mail leaves a full segment, and comes again.
        const cuts = cutsFor(segments, times)
        segments = segments.map((one) =>
          cuts.has(one) ? { ...one, newestAt: oldest - 1, messages: one.messages - live } : one,
        )
        const again = cuts.size > 0 ? Array.from({ length: live }, (_, n) => 1_000_000 + n) : []
        const { changed } = placeInSegments(segments, [...times, ...again])
        const kept = segments.filter((one) => !changed.some(({ existing }) => existing === one))
        segments = [...kept, ...changed].sort((a, b) => a.startsAt - b.startsAt)
      }
      expect(segments.reduce((sum, { messages }) => sum + messages, 0)).toBe(20_000 + live)
      expect(Math.max(...segments.map(({ messages }) => messages))).toBeLessThan(SEGMENT_MESSAGES + 100)
      expect(segments.length).toBeLessThan(8)
    }
  })

  it("segments stay apart and in order, however mail arrives", () => {
    let segments: ReadonlyArray<{ startsAt: number; newestAt: number; messages: number }> = []
    // New mail upwards, old mail downwards, side by side.
    for (let round = 0; round < 100; round++) {
      const times = Array.from({ length: 100 }, (_, n) =>
        n % 2 === 0 ? 1_000_000 + round * 50 + n / 2 : 1_000_000 - round * 50 - n,
      )
      const { changed } = placeInSegments(segments, times)
      const kept = segments.filter((one) => !changed.some(({ existing }) => existing === one))
      segments = [...kept, ...changed].sort((a, b) => a.startsAt - b.startsAt)
    }
    expect(segments.reduce((sum, { messages }) => sum + messages, 0)).toBe(10_000)
    expect(segments.length).toBeLessThan(15)
    for (const [index, { newestAt }] of segments.entries())
      expect(newestAt).toBeLessThan(segments[index + 1]?.startsAt ?? Infinity)
  })
})

describe("the plan of a query", () => {
  const shape = (text: string) => {
    const { words, onContent, onState } = searchPlan(query(text))
    return [words?.kind ?? null, onContent.length, onState.length]
  }

  it("leaves to the index what words decide, and names the other conditions", () => {
    expect(shape("a b")).toEqual(["and", 0, 0])
    expect(shape("invoice -paid")).toEqual(["and", 0, 0])
    expect(shape("-paid")).toEqual([null, 1, 0])
    expect(shape("invoice has:link is:unread label:x")).toEqual(["text", 1, 2])
    expect(shape("invoice OR has:link")).toEqual([null, 1, 0])
    expect(shape("(invoice is:read) OR bill")).toEqual(["or", 0, 1])
    expect(shape("in:inbound")).toEqual([null, 1, 0])
  })
})

describe("the text that is searched", () => {
  it("has the names of recipients, and the blind copies of sent mail", () => {
    const tokens = searchedTokens(content({ bccAddresses: ["bob@x.org"] }), {
      to: "The Agent <agent@mailroom.dev>",
    })
    expect(tokens.to).toEqual(["the", "agent", "agent", "mailroom", "dev", "bob", "x", "org"])
  })

  it("has the files of a message behind its text, each apart, and 256 kB of them", () => {
    const body = (...fileTexts: ReadonlyArray<string>) => searchedTokens(content(), {}, fileTexts).body
    expect(body("One file", "", "another")).toEqual([
      "hello",
      "there",
      "¦",
      "one",
      "file",
      "¦",
      "¦",
      "another",
    ])
    const long = "a ".repeat(SEARCHED_FILES_MAX_LENGTH / 2 - 1)
    expect(body(long, "of", "lost").slice(-2)).toEqual(["¦", "of"])
    expect(body(long, "often", "lost").slice(-2)).toEqual(["¦", "of"])
  })

  it("reads HTML without text, and not what nobody sees", () => {
    const bodyHtml =
      "<title>no</title><p class=no>a<b>b</b>&amp;&#x63;<br>5 < 6<!-- no --><style>no</style> end <script>no"
    expect(searchedTokens(content({ bodyText: null, bodyHtml }), {}).body).toEqual([
      "ab",
      "c",
      "5",
      "6",
      "end",
    ])
  })
})

describe("what a message has", () => {
  it("an invitation is a calendar that was read, or a calendar file", () => {
    const file = (filename: string) => ({
      attachments: [{ filename, contentType: "application/octet-stream" }],
    })
    const isInvite = (over: Partial<SearchableContent>) => searchedPartsOf(content(over)).has("invite")
    expect(isInvite({ calendar: { uid: "1" } })).toBe(true)
    expect(isInvite({ calendar: null, ...file("meeting.ICS") })).toBe(true)
    expect(isInvite({ calendar: null, ...file("plan.pdf") })).toBe(false)
  })
})

describe("highlights", () => {
  it("mark words in other spelling, phrases and beginnings, and not excluded words", () => {
    const text = "Der Ärger mit der Straße, 北京大学, und 👍🏽."
    const marked = (q: string) => highlightsOf(query(q), content({ bodyText: text })).text
    expect(marked("arger")).toContain("Der <mark>Ärger</mark> mit")
    expect(marked('"arger mit"')).toContain("Der <mark>Ärger mit</mark> der")
    expect(marked("stras*")).toContain("<mark>Straße</mark>,")
    expect(marked("大学")).toContain("北京<mark>大学</mark>")
    expect(marked("👍")).toContain("<mark>👍</mark>")
    expect(marked("mit -arger")).toBe("Der Ärger <mark>mit</mark> der Straße, 北京大学, und 👍🏽.")
    expect(marked("subject:arger")).toBeUndefined()
  })

  it("show a part of a long text, and take time linear in it", () => {
    const bodyText = `${"word ".repeat(5_000)}needle ${"word ".repeat(50_000)}`
    const { text } = highlightsOf(query("needle"), content({ bodyText }))
    expect(text).toMatch(/^…word .*<mark>needle<\/mark> word.*…$/)
    expect(text?.length).toBeLessThan(HIGHLIGHT_MAX_LENGTH + 20)
  })
})

describe("relevance", () => {
  const now = 100 * DAY
  const score = (q: string, over: Partial<SearchableContent>, createdAt = now) =>
    relevanceOf(query(q), { content: content(over), headers: {}, createdAt }, now)

  it("prefers the subject to the text, a phrase to its words, and new to old", () => {
    expect(score("invoice", { subject: "Invoice" })).toBeGreaterThan(
      score("invoice", { bodyText: "invoice" }),
    )
    expect(score("due date", { bodyText: "the due date" })).toBeGreaterThan(
      score("due date", { bodyText: "the date is due" }),
    )
    expect(score("hello", {})).toBeGreaterThan(score("hello", {}, now - DAY))
    expect(score("hello", { subject: "Hello" })).toBeGreaterThan(
      score("hello", { subject: "Hello to the world" }),
    )
  })
})
