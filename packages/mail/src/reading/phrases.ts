/**
 * The phrases of all languages as patterns. They hold no repetition but bounded ones, so that they take steps in
 * proportion to what they are run on.
 */
import { type Language, languages, otherNumbers } from "./languages.js"

const invisible = /\p{Default_Ignorable_Code_Point}/gu

/** Most lines are words of printable ASCII with a space between them: there is nothing to compose or to take out. */
const onlyWords = /^[!-)+-~]+(?: [!-)+-~]+)*$/

/** Each run of white space as one space. */
export const singleSpaced = (text: string): string =>
  /[^\S ]| {2}/u.test(text) ? text.replace(/\s+/gu, " ") : text

/** A line as phrases are looked for in it: lower-case, composed, without bold marks, bidi marks and odd spaces. */
export const folded = (line: string): string =>
  onlyWords.test(line)
    ? line.toLowerCase()
    : singleSpaced(
        line.replace(invisible, "").normalize("NFC").toLowerCase().replace(/[’ʼ]/gu, "'").replaceAll("*", ""),
      ).trim()

/** Without the given characters at its end: what a pattern does in steps that grow with the square. */
export const withoutEnd = (text: string, characters: string): string => {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** Scripts that put spaces between words, and nothing else that belongs to a word's beginning or end. */
const letter = String.raw`[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}]`

const source = (phrase: string): string =>
  phrase
    .replace(/^…|…$/gu, "")
    .replace(/[.*+?^${}()|[\]\\/]/gu, String.raw`\$&`)
    .replaceAll("…", "[^.!?]{1,60}")

const split = (list: string): ReadonlyArray<string> =>
  list
    .split(",")
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== "")

/** One pattern for all of them, the longest first; those with the same ends together, which is many times faster. */
export const anyOf = (phrases: ReadonlyArray<string>): string =>
  [
    { before: `(?<!${letter})`, after: `(?!${letter})`, opens: false, ends: false },
    { before: `(?<!${letter})`, after: "", opens: false, ends: true },
    { before: "", after: `(?!${letter})`, opens: true, ends: false },
    { before: "", after: "", opens: true, ends: true },
  ]
    .map((kind) => ({
      ...kind,
      sources: [...new Set(phrases)]
        .filter((phrase) => phrase.startsWith("…") === kind.opens && phrase.endsWith("…") === kind.ends)
        .sort((one, other) => other.length - one.length)
        .map(source),
    }))
    .filter(({ sources }) => sources.length > 0)
    .map(({ before, sources, after }) => `${before}(?:${sources.join("|")})${after}`)
    .join("|")

/** The phrases of one kind in every language. */
export const phrasesOf = (kind: keyof Language): ReadonlyArray<string> =>
  Object.values(languages).flatMap((language) => split(language[kind]))

export const ofAll = (kind: keyof Language): string => anyOf(phrasesOf(kind))

export const ofOtherNumbers = (): string => anyOf(Object.values(otherNumbers).flatMap(split))
