/**
 * Regular expressions from the phrases of all languages. They have only bounded repetitions, so that they match in linear
 * time.
 */
import { normalForm } from "@mailroom/domain/unicode"
import { type Language, languages, otherNumbers } from "./languages.js"

const invisible = /\p{Default_Ignorable_Code_Point}/gu

/** Words of printable ASCII with single spaces, as most lines are: nothing to normalize but the case. */
const onlyWords = /^[!-)+-~]+(?: [!-)+-~]+)*$/

/** Replaces each run of white space by one space. */
export const singleSpaced = (text: string): string =>
  /[^\S ]| {2}/u.test(text) ? text.replace(/\s+/gu, " ") : text

/** Normalizes a line for the patterns: lower case, NFC, without asterisks, invisible characters and repeated spaces. */
export const folded = (line: string): string =>
  onlyWords.test(line)
    ? line.toLowerCase()
    : singleSpaced(
        normalForm(line.replace(invisible, ""), "NFC")
          .toLowerCase()
          .replace(/[’ʼ]/gu, "'")
          .replaceAll("*", ""),
      ).trim()

/** Removes the given characters at the end, in linear time; a regular expression would take quadratic time. */
export const withoutEnd = (text: string, characters: string): string => {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** Letters of scripts that separate words by spaces, where a match must not begin or end within a word. */
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

/** One pattern for all phrases, the longest first. Phrases with the same kind of ends share a group, which is much faster. */
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
