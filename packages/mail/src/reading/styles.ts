/** What the style of an element does to the text inside: whether people can see it. */

/** How text looks. Only the members that can hide it. */
export interface Look {
  /** removed, transparent, clipped to nothing or off the screen: no element inside can undo it */
  readonly isGone: boolean
  readonly isTiny: boolean
  readonly isInvisible: boolean
  /** colours as `r,g,b`; null when they are not known */
  readonly color: string | null
  readonly background: string | null
}

export const plainLook: Look = {
  isGone: false,
  isTiny: false,
  isInvisible: false,
  color: "0,0,0",
  background: "255,255,255",
}

/** Largest difference of each of the three parts of two colours that no eye tells apart. */
const SAME_COLOR_MAX = 6
/** The smallest text that people can see, CSS pixels. */
const FONT_MIN = 2
/** Heights, widths and opacities below this show nothing. */
const LENGTH_MIN = 2
const OPACITY_MIN = 0.06
/** CSS pixels by which text is moved off the screen. */
const OFF_SCREEN = -400

export type Declarations = ReadonlyMap<string, string>

const noDeclarations: Declarations = new Map()

/** The declarations of a `style`, names and values in lower case, without comments and escapes. The last of a name counts. */
export const declarationsOf = (style: string): Declarations => {
  if (style === "") return noDeclarations
  const found = new Map<string, string>()
  const plain = style.includes("/*") ? style.replace(/\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//g, "") : style
  for (const declaration of plain.toLowerCase().split(";")) {
    const colon = declaration.indexOf(":")
    if (colon === -1) continue
    const value = declaration.slice(colon + 1).replace("!important", "")
    found.set(declaration.slice(0, colon).trim(), value.trim())
  }
  return found
}

const named: Readonly<Record<string, string>> = {
  white: "255,255,255",
  black: "0,0,0",
  snow: "255,250,250",
  ivory: "255,255,240",
  whitesmoke: "245,245,245",
  ghostwhite: "248,248,255",
}

/** A colour as `r,g,b`; null when it is none that is known. */
const colorOf = (value: string): string | null => {
  const hexadecimal = /^#?([0-9a-f]{3,8})$/.exec(value)?.[1] ?? ""
  if (hexadecimal.length === 3 || hexadecimal.length === 4)
    return [0, 1, 2].map((at) => Number.parseInt((hexadecimal[at] ?? "0").repeat(2), 16)).join(",")
  if (hexadecimal.length >= 6)
    return [0, 2, 4].map((at) => Number.parseInt(hexadecimal.slice(at, at + 2), 16)).join(",")
  const parts = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})/.exec(value)
  return parts === null ? (named[value] ?? null) : parts.slice(1).join(",")
}

const isTransparent = (value: string): boolean =>
  value === "transparent" ||
  /^(?:rgba|hsla)\([^)]*[,/]\s*(?:0|0?\.0\d*|0%)\s*\)$/.test(value) ||
  /^#(?:[0-9a-f]{3}0|[0-9a-f]{6}00)$/.test(value)

const isSameColor = (one: string | null, other: string | null): boolean => {
  if (one === null || other === null) return false
  if (one === other) return true
  const parts = other.split(",").map(Number)
  return one.split(",").every((part, at) => Math.abs(Number(part) - (parts[at] ?? 0)) <= SAME_COLOR_MAX)
}

/** A length in CSS pixels, about; null when it is none, or relative to something that is not known. */
const pixels = (value: string | undefined): number | null => {
  const parsed = /^(-?\d*\.?\d+)(px|pt|em|rem|in|cm|vw|vh|%)?/.exec(value ?? "")
  if (parsed === null) return null
  const amount = Number(parsed[1])
  const factors: Readonly<Record<string, number>> = {
    pt: 1.33,
    em: 16,
    rem: 16,
    in: 96,
    cm: 38,
    vw: 10,
    vh: 8,
  }
  return parsed[2] === "%" ? (amount === 0 ? 0 : null) : amount * (factors[parsed[2] ?? ""] ?? 1)
}

const isBelow = (value: string | undefined, limit: number): boolean => {
  const length = pixels(value)
  return length !== null && length < limit
}

/** Whether an element of height or width zero cuts its text off. */
const isClipped = (style: Declarations): boolean =>
  /hidden|clip/.test(`${style.get("overflow") ?? ""}${style.get("overflow-y") ?? ""}`) &&
  ["height", "max-height", "width", "max-width"].some((name) => isBelow(style.get(name), LENGTH_MIN))

const isMovedAway = (style: Declarations): boolean =>
  isBelow(style.get("text-indent"), OFF_SCREEN) ||
  (/absolute|fixed/.test(style.get("position") ?? "") &&
    ["left", "top", "right", "bottom"].some((side) => isBelow(style.get(side), OFF_SCREEN))) ||
  ["margin-left", "margin-top"].some((side) => isBelow(style.get(side), OFF_SCREEN))

const isGone = (style: Declarations): boolean => {
  const opacity = Number.parseFloat(style.get("opacity") ?? "1")
  return (
    style.get("display") === "none" ||
    opacity < OPACITY_MIN ||
    isTransparent(style.get("color") ?? "") ||
    /^rect\(\s*(?:0(?:px)?[\s,]*){4}\)/.test(style.get("clip") ?? "") ||
    /^(?:inset\((?:50|100)%|circle\(0)/.test(style.get("clip-path") ?? "") ||
    /scale[xy]?\(\s*0(?:\.0*)?\s*[,)]/.test(style.get("transform") ?? "") ||
    isClipped(style) ||
    isMovedAway(style)
  )
}

/** Whether the font is too small to read; `outer` when the style does not say, or says it relative to the outer font. */
const isTiny = (style: Declarations, outer: boolean): boolean => {
  const shorthand = /(?:^|\s)(-?\d*\.?\d+[a-z%]*)(?:\/|\s)/.exec(style.get("font") ?? "")?.[1]
  const size = style.get("font-size") ?? shorthand
  if (size === undefined) return outer
  if (/^-?\d*\.?\d+(?:em|%)/.test(size)) return outer || Number.parseFloat(size) === 0
  return isBelow(size, FONT_MIN)
}

const isInvisible = (visibility: string | undefined, outer: boolean): boolean =>
  visibility === "hidden" || visibility === "collapse" ? true : visibility === "visible" ? false : outer

/** The background; null when an image or something else that is not known is behind the text. */
const backgroundOf = (style: Declarations, outer: string | null): string | null => {
  if ((style.get("background-image") ?? "none") !== "none") return null
  const value = style.get("background-color") ?? style.get("background")
  if (value === undefined || isTransparent(value) || value === "none" || value === "inherit") return outer
  return colorOf(value)
}

/** The look of an element inside an element that looks like `outer`. */
export const lookOf = (outer: Look, style: Declarations): Look => ({
  isGone: outer.isGone || isGone(style),
  isTiny: isTiny(style, outer.isTiny),
  isInvisible: isInvisible(style.get("visibility"), outer.isInvisible),
  color:
    style.has("color") && style.get("color") !== "inherit" ? colorOf(style.get("color") ?? "") : outer.color,
  background: backgroundOf(style, outer.background),
})

export const isHidden = ({
  isGone: gone,
  isTiny: tiny,
  isInvisible: invisible,
  color,
  background,
}: Look): boolean => gone || tiny || invisible || isSameColor(color, background)

export const isSameLook = (one: Look, other: Look): boolean =>
  one.isGone === other.isGone &&
  one.isTiny === other.isTiny &&
  one.isInvisible === other.isInvisible &&
  one.color === other.color &&
  one.background === other.background

/** Characters of style sheets that are read, and rules that are kept. */
const SHEET_MAX = 100_000
const RULES_MAX = 1_000

/**
 * The rules of a style sheet for one class or one id, outside of `@media` and the like: `.name` or `#name`, lower-case, and
 * its declarations.
 */
export const rulesOf = (sheet: string): ReadonlyMap<string, Declarations> => {
  const rules = new Map<string, Declarations>()
  let depth = 0
  let selector = ""
  for (const [part] of sheet.slice(0, SHEET_MAX).matchAll(/[^{}]+|[{}]/g)) {
    if (rules.size >= RULES_MAX) break
    if (part === "{") depth += 1
    else if (part === "}") depth = Math.max(0, depth - 1)
    else if (depth === 0) selector = part
    else if (depth === 1 && !selector.includes("@"))
      for (const one of selector.toLowerCase().split(",")) {
        const name = /^(?:[a-z0-9]+)?([.#][\w-]+)$/.exec(one.trim())?.[1]
        if (name !== undefined)
          rules.set(name, new Map([...(rules.get(name) ?? []), ...declarationsOf(part)]))
      }
  }
  return rules
}
