/** Domain names that people take for others: skeletons of UTS #39 §4, and a few pairs of ASCII letters. */
import { domainOf } from "../mailboxes/address.js"
import { normalForm } from "../unicode.js"
import { CONFUSABLES } from "./confusables.js"
import { decodePunycode } from "./punycode.js"

const charactersOf = (hexadecimal: string, separator: string): ReadonlyArray<string> =>
  hexadecimal.split(separator).map((code) => String.fromCodePoint(Number.parseInt(code, 16)))

/** The prototype of each confusable character. */
const prototypes: ReadonlyMap<string, string> = new Map([
  ...CONFUSABLES.trim()
    .split(/\s+/)
    .flatMap((entry) => {
      const [prototype = "", confusables = ""] = entry.split("=")
      const text = charactersOf(prototype, "+").join("")
      return charactersOf(confusables, ",").map((character): [string, string] => [character, text])
    }),
  // Small palochka, for which UTS #39 has i. Most fonts draw an l.
  ["\u04cf", "l"],
])

/** The name with international labels in Unicode, in lower case. */
const unicodeName = (domain: string): string =>
  domain
    .toLowerCase()
    .split(".")
    .map((label) => (label.startsWith("xn--") ? (decodePunycode(label.slice(4)) ?? label) : label))
    .join(".")

/**
 * The skeleton of a domain name: names that look alike have the same. `paypal.com`, `paypa1.com` and a name with Cyrillic
 * letters share one. Of ASCII, these look alike: m and rn, w and vv, l and 1, o and 0.
 */
export const domainSkeleton = (domain: string): string => {
  // Most names need no table. This is ten times as fast.
  if (/^[a-z0-9.-]*$/.test(domain) && !domain.includes("xn--"))
    return domain.replaceAll("m", "rn").replaceAll("0", "o").replaceAll("1", "l").replaceAll("vv", "w")
  const characters = normalForm(unicodeName(domain), "NFD")
  const alike = Array.from(characters, (character) => prototypes.get(character) ?? character).join("")
  return normalForm(alike.toLowerCase().replaceAll("vv", "w"), "NFC")
}

/** Labels of the longest name that is compared. */
const COMPARED_LABELS_MAX = 4

/**
 * The last two to four labels of a name, and the name itself when it has one label: `mail.acme.co.uk`, `acme.co.uk`,
 * `co.uk`. Which of them is the domain of an organization needs no list, because each is compared with known domains only.
 */
export const endingsOf = (domain: string): ReadonlyArray<string> => {
  const labels = domain.split(".")
  if (labels.length < 2) return [domain]
  const most = Math.min(labels.length, COMPARED_LABELS_MAX)
  return Array.from({ length: most - 1 }, (_, index) => labels.slice(index - most).join("."))
}

/** Whether a name is a domain or below it. */
export const isWithin = (name: string, domain: string): boolean =>
  name === domain || name.endsWith(`.${domain}`)

/** Whether a name, or a domain that it is below of, looks like a known domain and is none of the known ones. */
export const isLookalike = (name: string, known: ReadonlyArray<string>): boolean => {
  const skeletons = known.filter((domain) => domain !== "").map(domainSkeleton)
  return endingsOf(name).some(
    (ending) => !known.includes(ending) && skeletons.includes(domainSkeleton(ending)),
  )
}

/** The skeletons under which a known domain would be found that the author's domain looks like. */
export const skeletonsOfAuthor = (address: string): ReadonlyArray<string> =>
  endingsOf(domainOf(address)).map(domainSkeleton)
