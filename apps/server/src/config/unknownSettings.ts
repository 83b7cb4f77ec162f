/** Warnings about variables that look like settings and are none, such as typing errors. */
import { nearestName } from "@mailroom/domain"
import { readFileSync } from "node:fs"
import { variables } from "./variables.js"

/** The file in the working folder with variables that the environment does not set. */
export const DOT_ENV = ".env"

const known = Object.keys(variables)

const firstWord = (name: string): string => name.split("_")[0] ?? name

const firstWords: ReadonlySet<string> = new Set(known.map(firstWord))

/** Names that libraries read, or that the platforms of services set. */
const FOREIGN = /^(?:HTTPS?|ALL|NO)_PROXY$|^OTEL_|_SERVICE_(?:HOST|PORT)|_PORT_\d+_/

/** A line for each name that starts with the first word of a setting and is none. It names the setting that was probably meant. */
export const unknownSettings = (names: Iterable<string>): ReadonlyArray<string> =>
  [...new Set(names)]
    .filter((name) => !known.includes(name) && firstWords.has(firstWord(name)) && !FOREIGN.test(name))
    .sort()
    .map((name) => {
      const begins = known.filter((one) => firstWord(one) === firstWord(name))
      const meant = nearestName(name, known) ?? begins.join(" or ")
      return `${name} is not a setting and changes nothing. Did you mean ${meant}?`
    })

/** The names in the text of a `.env` file. */
const namesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/gm)].flatMap(([, name]) => name ?? [])

const dotEnvText = (): string => {
  try {
    return readFileSync(DOT_ENV, "utf8")
  } catch {
    return ""
  }
}

/** The names of all variables that the process was given. */
export const namesGiven = (): ReadonlyArray<string> => [...Object.keys(process.env), ...namesIn(dotEnvText())]
