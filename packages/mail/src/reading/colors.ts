/** Colours of CSS, as far as they tell whether people can see a text. A colour is a number: `0xrrggbb`. */

/** Largest difference of each of the three parts of two colours that no eye tells apart. */
const SAME_COLOR_MAX = 6

export const BLACK = 0x000000
export const WHITE = 0xffffff

const named: Readonly<Record<string, number>> = {
  white: WHITE,
  black: BLACK,
  snow: 0xfffafa,
  ivory: 0xfffff0,
  whitesmoke: 0xf5f5f5,
  ghostwhite: 0xf8f8ff,
}

/** From parts of 0 to 255; CSS takes a larger part as 255. */
const colorFrom = (parts: ReadonlyArray<number>): number =>
  parts.reduce((color, part) => color * 256 + Math.min(part, 255), 0)

/** Hue in degrees, saturation and lightness in percent (CSS Color 4 §7.1). */
const hslToRgb = (hue: number, saturation: number, lightness: number): number => {
  const [s, l] = [saturation / 100, lightness / 100]
  const part = (n: number): number => {
    const k = (n + hue / 30) % 12
    return Math.round(255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  return colorFrom([part(0), part(8), part(4)])
}

/** A part of `rgb(…)`: a number up to 255, or a share. */
const rgbPart = (text: string): number =>
  Math.round(Number.parseFloat(text) * (text.endsWith("%") ? 2.55 : 1)) || 0

/** null for a value that is no known colour. */
export const colorOf = (value: string): number | null => {
  const hexadecimal = /^#?([0-9a-f]{3,8})$/.exec(value)?.[1] ?? ""
  if (hexadecimal.length === 3 || hexadecimal.length === 4)
    return colorFrom([0, 1, 2].map((at) => Number.parseInt((hexadecimal[at] ?? "0").repeat(2), 16)))
  if (hexadecimal.length >= 6) return Number.parseInt(hexadecimal.slice(0, 6), 16)
  const hsl = /^hsla?\(\s*(\d{1,3})(?:deg)?[\s,]+(\d{1,3})%[\s,]+(\d{1,3})%/.exec(value)
  if (hsl !== null) return hslToRgb(Number(hsl[1]), Number(hsl[2]), Number(hsl[3]))
  const parts = /^rgba?\(\s*([\d.]{1,8}%?)[\s,]+([\d.]{1,8}%?)[\s,]+([\d.]{1,8}%?)/.exec(value)
  return parts === null ? (named[value] ?? null) : colorFrom(parts.slice(1).map(rgbPart))
}

export const isTransparent = (value: string): boolean =>
  value === "transparent" ||
  /^(?:rgba?|hsla?)\([^)]*[,/]\s*(?:0|0?\.0\d*|0%)\s*\)$/.test(value) ||
  /^#(?:[0-9a-f]{3}0|[0-9a-f]{6}00)$/.test(value)

export const isSameColor = (one: number | null, other: number | null): boolean => {
  if (one === null || other === null) return false
  const differs = (shift: number) =>
    Math.abs(((one >> shift) & 255) - ((other >> shift) & 255)) > SAME_COLOR_MAX
  return !differs(16) && !differs(8) && !differs(0)
}
