/**
 * The phrases of all languages as patterns. They hold no repetition but bounded ones, so that they take steps in
 * proportion to what they are run on.
 */
import { type Language, languages, otherNumbers } from "./languages.js"

const invisible = /\p{Default_Ignorable_Code_Point}/gu

/** A line as phrases are looked for in it: lower-case, composed, without bold marks, bidi marks and odd spaces. */
export const folded = (line: string): string =>
  line
    .replace(invisible, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[’ʼ]/gu, "'")
    .replaceAll("*", "")
    .replace(/\s+/gu, " ")
    .trim()

/** Scripts that put spaces between words, and nothing else that belongs to a word's beginning or end. */
const letter = String.raw`[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}]`

const source = (phrase: string): string => {
  const core = phrase.replace(/^…|…$/gu, "").replace(/[.*+?^${}()|[\]\\/]/gu, String.raw`\$&`)
  const before = phrase.startsWith("…") ? "" : `(?<!${letter})`
  const after = phrase.endsWith("…") ? "" : `(?!${letter})`
  return `${before}${core.replaceAll("…", "[^.!?]{1,60}")}${after}`
}

const split = (list: string): ReadonlyArray<string> =>
  list
    .split(",")
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== "")

/** One pattern for all of them, the longest first. */
export const anyOf = (phrases: ReadonlyArray<string>): string =>
  [...new Set(phrases)]
    .sort((one, other) => other.length - one.length)
    .map(source)
    .join("|")

/** The phrases of one kind in every language. */
export const phrasesOf = (kind: keyof Language): ReadonlyArray<string> =>
  Object.values(languages).flatMap((language) => split(language[kind]))

export const ofAll = (kind: keyof Language): string => anyOf(phrasesOf(kind))

export const ofOtherNumbers = (): string => anyOf(Object.values(otherNumbers).flatMap(split))
