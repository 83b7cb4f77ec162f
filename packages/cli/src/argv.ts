/** Puts command lines into the form that `@effect/cli` reads. */
import { FLAGS } from "./options.js"

const flags: ReadonlySet<string> = new Set(FLAGS.map((name) => `--${name}`))

/** `--name=value`, with `value` on any number of lines. */
const WITH_VALUE = /^(--[a-z][a-z-]*)=([\s\S]*)$/

/** An argument that begins with one `-`, such as the query `-is:read`. The only short option is `-h`. */
const isDashed = (word: string): boolean => /^-[^-]/.test(word) && word !== "-h"

/**
 * Splits `--name=value` into two words, because `@effect/cli` 0.77 takes it for an argument wherever another option or an
 * argument stands before. It finds no option behind an argument that begins with one `-`: such an argument, and those after it, are
 * moved to the end, behind `--`. The value of an option, and what follows `--`, stays as it is.
 */
export const normalized = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const result: Array<string> = []
  const last: Array<string> = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ""
    if (word === "--") return [...result, word, ...last, ...words.slice(index + 1)]
    if (isDashed(word) || (last.length > 0 && !word.startsWith("-"))) {
      last.push(word)
      continue
    }
    const [, name, value] = WITH_VALUE.exec(word) ?? []
    if (name !== undefined && value !== undefined) result.push(name, value)
    else result.push(word)
    const next = words[index + 1]
    if (name === undefined && word.startsWith("--") && !flags.has(word) && next !== undefined) {
      result.push(next)
      index += 1
    }
  }
  return last.length === 0 ? result : [...result, "--", ...last]
}
