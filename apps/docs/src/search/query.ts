/** The search itself: pure, so that it runs in the page and in tests. */

export interface SearchIndex {
  /** address and title of each page */
  readonly pages: ReadonlyArray<readonly [url: string, title: string]>
  readonly sections: ReadonlyArray<readonly [page: number, anchor: string, heading: string, snippet: string]>
  /** all words in ascending order, separated by spaces */
  readonly words: string
  /** for each word its sections, as differences in base 36; words are separated by commas */
  readonly places: string
}

export interface Result {
  readonly url: string
  readonly title: string
  readonly heading: string
  readonly snippet: string
}

/** Words that nearly every section has; the index leaves them out. */
export const commonWords: ReadonlySet<string> = new Set(
  "a an and are as at be by for from has have in is it its may not of on one or that the this to was which with".split(
    " ",
  ),
)

/** Results that are shown. */
const RESULTS_MAX = 20

/** The words of a text in lower case. Names such as `MAILBOX_NOT_FOUND` and `message.received` are a word, and each of their parts. */
export const wordsIn = (text: string): ReadonlyArray<string> =>
  (text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.-]*/gu) ?? []).flatMap((found) => {
    const word = found.replace(/[._-]+$/, "")
    const parts = word.split(/[._-]/).filter((part) => part !== "")
    return parts.length > 1 ? [word, ...parts] : [word]
  })

/** Points of a word in the heading, in the title of the page, and in the text. */
const IN_HEADING = 6
const IN_TITLE = 3
const IN_TEXT = 1

interface Opened {
  readonly words: ReadonlyArray<string>
  readonly places: ReadonlyArray<string>
  readonly headings: ReadonlyArray<ReadonlyArray<string>>
  readonly titles: ReadonlyArray<ReadonlyArray<string>>
}

const open = (index: SearchIndex): Opened => ({
  words: index.words.split(" "),
  places: index.places.split(","),
  headings: index.sections.map(([, , heading]) => wordsIn(heading)),
  titles: index.pages.map(([, title]) => wordsIn(title)),
})

const positions = (text: string): ReadonlyArray<number> => {
  let last = 0
  return text.split(" ").map((delta) => (last += Number.parseInt(delta, 36)))
}

/** The first place in sorted words that is not before `word`. */
const firstFrom = (words: ReadonlyArray<string>, word: string): number => {
  let low = 0
  let high = words.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((words[middle] ?? "") < word) low = middle + 1
    else high = middle
  }
  return low
}

/** The points of each section for a word that is perhaps not typed to its end. Whole words and rare words have more. */
const pointsFor = (word: string, index: SearchIndex, opened: Opened): ReadonlyMap<number, number> => {
  const points = new Map<number, number>()
  for (let at = firstFrom(opened.words, word); opened.words[at]?.startsWith(word) === true; at += 1) {
    const found = opened.words[at] ?? ""
    const sections = positions(opened.places[at] ?? "")
    const rarity = Math.log(1 + opened.headings.length / sections.length)
    for (const section of sections) {
      const page = index.sections[section]?.[0] ?? 0
      const place =
        (opened.headings[section]?.includes(found) === true ? IN_HEADING : IN_TEXT) +
        (opened.titles[page]?.includes(found) === true ? IN_TITLE : 0)
      const value = place * rarity * (found === word ? 2 : 1)
      points.set(section, Math.max(points.get(section) ?? 0, value))
    }
  }
  return points
}

const resultOf = (index: SearchIndex, section: number): ReadonlyArray<Result> => {
  const [page = 0, anchor = "", heading = "", snippet = ""] = index.sections[section] ?? []
  const [url, title] = index.pages[page] ?? []
  if (url === undefined || title === undefined) return []
  return [{ url: anchor === "" ? url : `${url}#${anchor}`, title, heading, snippet }]
}

/** A search over an index: the sections that have all words of the query, best first. */
export const searchIn = (index: SearchIndex): ((query: string) => ReadonlyArray<Result>) => {
  const opened = open(index)
  return (query) => {
    const [first, ...rest] = query
      .toLowerCase()
      .split(/[^\p{L}\p{N}_.-]+/u)
      .filter((word) => word !== "" && !commonWords.has(word))
    if (first === undefined) return []
    const others = rest.map((word) => pointsFor(word, index, opened))
    const ranked = [...pointsFor(first, index, opened)].flatMap(([section, points]) =>
      others.every((other) => other.has(section))
        ? [{ section, points: others.reduce((sum, other) => sum + (other.get(section) ?? 0), points) }]
        : [],
    )
    return ranked
      .sort((one, other) => other.points - one.points || one.section - other.section)
      .slice(0, RESULTS_MAX)
      .flatMap(({ section }) => resultOf(index, section))
  }
}
