/** Puts command lines into the form that `@effect/cli` reads. */
import { FLAGS } from "./options.js"

const flags: ReadonlySet<string> = new Set(FLAGS.map((name) => `--${name}`))

/** `--name=value`, with `value` on any number of lines. */
const WITH_VALUE = /^(--[a-z][a-z-]*)=([\s\S]*)$/

/**
 * Splits `--name=value` into two words, because `@effect/cli` 0.77 takes it for an argument wherever another option or an
 * argument stands before. The value of an option, and what follows `--`, stays as it is.
 */
export const normalized = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const result: Array<string> = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ""
    if (word === "--") return [...result, ...words.slice(index)]
    const [, name, value] = WITH_VALUE.exec(word) ?? []
    if (name !== undefined && value !== undefined) result.push(name, value)
    else result.push(word)
    const next = words[index + 1]
    if (name === undefined && word.startsWith("--") && !flags.has(word) && next !== undefined) {
      result.push(next)
      index += 1
    }
  }
  return result
}
