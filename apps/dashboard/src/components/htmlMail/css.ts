/**
 * Styles of a mail, without what fetches or leaves its place. The browser's own parser reads them, so that escapes such as
 * `\75rl(` are what the browser would make of them; what is kept is written anew from the parsed rules.
 */
import { imageSourceOf } from "./allowed.js"

/** Functions that compute colours, lengths and gradients. Any other may fetch, such as `image-set()`, or hide one that does, as `var()`. */
const FUNCTIONS =
  /^(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|calc|min|max|clamp|rect|(?:repeating-)?(?:linear|radial|conic)-gradient|rotate|scale[xy]?|translate[xy]?)$/i

/** Sizes by the height of the frame, which follows that of the mail: they would grow it for ever. */
const BY_HEIGHT = /[\d.][sld]?v(?:h|b|min|max)\b/i

/** Conditions on the height of the frame; and dark styles, because the sheet is white. */
const CONDITIONS = /height|orientation|aspect-ratio|block-size|dark/i

const FETCHED = /url\("((?:[^"\\]|\\.)*)"\)/g

export interface CssOptions {
  readonly remoteImages: boolean
  /** called for each remote image, kept or not */
  readonly onRemoteImage: () => void
}

/** The value with those pictures that may be shown; null when one may not. */
const withPictures = (value: string, { remoteImages, onRemoteImage }: CssOptions): string | null => {
  let isKept = true
  const rest = value.replace(FETCHED, (_, url: string) => {
    const source = imageSourceOf(url)
    if (source?.kind === "remote") onRemoteImage()
    if (source?.kind === "data" || (source?.kind === "remote" && remoteImages))
      return `url("${source.url.replaceAll('"', "%22")}")`
    isKept = false
    return ""
  })
  return isKept ? rest : null
}

const keptValue = (name: string, value: string, options: CssOptions): string | null => {
  if (name.startsWith("--") || value === "" || BY_HEIGHT.test(value)) return null
  if (name === "position" && /fixed|sticky/i.test(value)) return null
  const shown = withPictures(value, options)
  if (shown === null) return null
  const withoutPictures = shown.replace(FETCHED, "").replace(/"(?:[^"\\]|\\.)*"/g, "")
  const functions = [...withoutPictures.matchAll(/([\w-]+)\(/g)].map(([, called]) => called ?? "")
  return functions.every((called) => FUNCTIONS.test(called)) ? shown : null
}

const declarations = (style: CSSStyleDeclaration, options: CssOptions): string => {
  const kept: Array<string> = []
  for (const name of Array.from(style)) {
    const value = keptValue(name, style.getPropertyValue(name), options)
    const weight = style.getPropertyPriority(name) === "important" ? " !important" : ""
    if (value !== null) kept.push(`${name}: ${value}${weight}`)
  }
  return kept.join("; ")
}

/** Media inside of media, at most. */
const DEPTH = 4

export interface StyleFilter {
  /** the text of a `<style>` */
  readonly sheet: (text: string) => string
  /** the text of a `style` attribute */
  readonly attribute: (text: string) => string
}

/** `realm` is the window of the frame, whose policy permits styles. */
export const makeStyleFilter = (realm: Window & typeof globalThis, options: CssOptions): StyleFilter => {
  const rulesOf = (rules: CSSRuleList, depth: number): string =>
    Array.from(rules)
      .map((rule) => {
        if (rule instanceof realm.CSSStyleRule)
          return `${rule.selectorText} { ${declarations(rule.style, options)} }`
        if (rule instanceof realm.CSSMediaRule && depth < DEPTH && !CONDITIONS.test(rule.media.mediaText))
          return `@media ${rule.media.mediaText} { ${rulesOf(rule.cssRules, depth + 1)} }`
        return ""
      })
      .filter((text) => text !== "")
      .join("\n")

  const scratch = new realm.CSSStyleSheet()
  scratch.insertRule("a {}")
  const [blank] = Array.from(scratch.cssRules)
  // Mails repeat the same few styles thousands of times.
  const known = new Map<string, string>()
  return {
    sheet: (text) => {
      const sheet = new realm.CSSStyleSheet()
      sheet.replaceSync(text)
      return rulesOf(sheet.cssRules, 0)
    },
    attribute: (text) => {
      const before = known.get(text)
      if (before !== undefined) return before
      if (!(blank instanceof realm.CSSStyleRule)) return ""
      blank.style.cssText = text
      const kept = declarations(blank.style, options)
      known.set(text, kept)
      return kept
    },
  }
}
