/** Domain names that people take for others: skeletons of UTS #39 §4, and a few pairs of ASCII letters. */
import { domainOf } from "../mailboxes/address.js"
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
export const domainSkeleton = (domain: string): string =>
  Array.from(unicodeName(domain).normalize("NFD"), (character) => prototypes.get(character) ?? character)
    .join("")
    .toLowerCase()
    .replaceAll("vv", "w")
    .normalize("NFC")

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

/** Whether a name, or a domain that it is below of, looks like a known domain but is another. */
export const isLookalike = (name: string, known: ReadonlyArray<string>): boolean => {
  const others = known.filter((domain) => domain !== "")
  if (others.some((domain) => isWithin(name, domain))) return false
  const skeletons = new Set(others.map(domainSkeleton))
  return endingsOf(name).some((ending) => skeletons.has(domainSkeleton(ending)))
}

/** The skeletons under which a known domain would be found that the author's domain looks like. */
export const skeletonsOfAuthor = (address: string): ReadonlyArray<string> =>
  endingsOf(domainOf(address)).map(domainSkeleton)
