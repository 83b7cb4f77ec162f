/** What the style of an element does to the text inside: whether people can see it. */
import { BLACK, colorOf, isSameColor, isTransparent, WHITE } from "./colors.js"
import type { Declarations } from "./styleSheets.js"

/** How text looks. Only the members that can hide it. */
export interface Look {
  /** removed, transparent, clipped to nothing or off the screen: no element inside can undo it */
  readonly isGone: boolean
  readonly isTiny: boolean
  readonly isInvisible: boolean
  /** colours as `0xrrggbb`; null when they are not known */
  readonly color: number | null
  readonly background: number | null
}

export const plainLook: Look = {
  isGone: false,
  isTiny: false,
  isInvisible: false,
  color: BLACK,
  background: WHITE,
}

/** The smallest text that people can see, CSS pixels. */
const FONT_MIN = 2
/** Heights, widths and opacities below this show nothing. */
const LENGTH_MIN = 2
const OPACITY_MIN = 0.06
/** CSS pixels by which text is moved off the screen, to the left or up, and to the right or down. */
const OFF_SCREEN = -400
const FAR_OFF_SCREEN = 3000
/** Fonts below this share of the font around them are too small to read. */
const RELATIVE_FONT_MIN = 0.13

/** A length in CSS pixels, about; null when it is none, or relative to something that is not known. */
const pixels = (value: string | undefined): number | null => {
  const parsed = /^(?:calc\(\s*)?(-?\d*\.?\d+)(px|pt|em|rem|in|cm|vw|vh|%)?/.exec(value ?? "")
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
  /hidden|clip|auto|scroll/.test(
    `${style.get("overflow") ?? ""}${style.get("overflow-x") ?? ""}${style.get("overflow-y") ?? ""}`,
  ) && ["height", "max-height", "width", "max-width"].some((name) => isBelow(style.get(name), LENGTH_MIN))

/** Whether a distance moves text off the screen. */
const isFar = (value: string | undefined): boolean => {
  const length = pixels(value)
  return length !== null && (length < OFF_SCREEN || length > FAR_OFF_SCREEN)
}

/** The distances of `transform: translate…(…)` and of the property `translate`. */
const translations = (style: Declarations): ReadonlyArray<string> => [
  ...(/translate[xy3d]*\(([^)]{0,100})\)/.exec(style.get("transform") ?? "")?.[1]?.split(",") ?? []),
  ...(style.get("translate")?.split(/\s+/) ?? []),
]

const isMovedAway = (style: Declarations): boolean =>
  isBelow(style.get("text-indent"), OFF_SCREEN) ||
  (/absolute|fixed|relative|sticky/.test(style.get("position") ?? "") &&
    [
      ...["left", "top", "right", "bottom"].map((side) => style.get(side)),
      ...(style.get("inset")?.split(/\s+/) ?? []),
    ].some(isFar)) ||
  ["margin-left", "margin-top"].some((side) => isBelow(style.get(side), OFF_SCREEN)) ||
  translations(style).some((distance) => isFar(distance.trim()))

/** Whether a transformation leaves no area: a scale of zero, or an edge-on view. */
const isFlattened = (style: Declarations): boolean =>
  /scale[xyz3d]*\(\s*0(?:\.0*)?\s*[,)]|matrix(?:3d)?\(\s*0(?:\.0*)?\s*,|rotate[xy]\(\s*-?(?:90|270)deg/.test(
    style.get("transform") ?? "",
  ) || /^0(?:\.0*)?(?:\s|$)/.test(style.get("scale") ?? "")

const opacityOf = (value: string): number => Number.parseFloat(value) / (value.endsWith("%") ? 100 : 1)

/** Whether the part of an element that is shown has no area: `rect(1px, 1px, 1px, 1px)`, or an inset from edge to edge. */
const isCutOff = (style: Declarations): boolean =>
  /^rect\(\s*([\d.]+)[a-z]*[\s,]+[\d.]+[a-z]*[\s,]+\1[a-z]*[\s,]+[\d.]+[a-z]*\s*\)/.test(
    style.get("clip") ?? "",
  ) || /^(?:inset\([^)]{0,30}(?:50|100)%|circle\(0)/.test(style.get("clip-path") ?? "")

const isGone = (style: Declarations): boolean =>
  style.get("display") === "none" ||
  style.get("content-visibility") === "hidden" ||
  opacityOf(style.get("opacity") ?? "1") < OPACITY_MIN ||
  opacityOf(/opacity\(([^)]{0,20})\)/.exec(style.get("filter") ?? "")?.[1] ?? "1") < OPACITY_MIN ||
  isTransparent(style.get("color") ?? "") ||
  isTransparent(style.get("-webkit-text-fill-color") ?? "") ||
  isCutOff(style) ||
  isFlattened(style) ||
  isClipped(style) ||
  isMovedAway(style)

/** A number of bounded length, so that a search for what follows it takes linear time. */
const NUMBER = String.raw`-?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})`
const fontShorthand = new RegExp(String.raw`(?:^|\s)(${NUMBER}[a-z%]{0,9})(?:\/|\s)`)
const relativeSize = new RegExp(`^(${NUMBER})(em|%)`)

/** Whether the font is too small to read; `outer` when the style does not say, or says it relative to the outer font. */
const isTiny = (style: Declarations, outer: boolean): boolean => {
  const shorthand = fontShorthand.exec(style.get("font") ?? "")?.[1]
  const size = style.get("font-size") ?? shorthand
  if (size === undefined) return outer
  const relative = relativeSize.exec(size)
  if (relative !== null)
    return outer || Number(relative[1]) / (relative[2] === "%" ? 100 : 1) < RELATIVE_FONT_MIN
  return isBelow(size, FONT_MIN)
}

const isInvisible = (visibility: string | undefined, outer: boolean): boolean =>
  visibility === "hidden" || visibility === "collapse" ? true : visibility === "visible" ? false : outer

/** The background; null when an image or something else that is not known is behind the text. */
const backgroundOf = (style: Declarations, outer: number | null): number | null => {
  if ((style.get("background-image") ?? "none") !== "none") return null
  const value = style.get("background-color") ?? style.get("background")
  if (value === "currentcolor") return colorOf(style.get("color") ?? "")
  if (value === undefined || isTransparent(value) || value === "none" || value === "inherit") return outer
  return colorOf(value)
}

const textColorOf = (style: Declarations, outer: number | null): number | null => {
  const value = style.get("-webkit-text-fill-color") ?? style.get("color")
  return value === undefined || value === "inherit" ? outer : colorOf(value)
}

/** The look of an element inside an element that looks like `outer`. */
export const lookOf = (outer: Look, style: Declarations): Look => ({
  isGone: outer.isGone || isGone(style),
  isTiny: isTiny(style, outer.isTiny),
  isInvisible: isInvisible(style.get("visibility"), outer.isInvisible),
  color: textColorOf(style, outer.color),
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
