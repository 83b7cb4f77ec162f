/** Warnings about variables that look like settings and are none, such as typing errors. */
import { nearestName } from "@mailroom/domain"
import { variables } from "./variables.js"

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
