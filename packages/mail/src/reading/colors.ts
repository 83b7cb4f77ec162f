/** Colours of CSS, as far as they tell whether people can see a text. */

/** Largest difference of each of the three parts of two colours that no eye tells apart. */
const SAME_COLOR_MAX = 6

const named: Readonly<Record<string, string>> = {
  white: "255,255,255",
  black: "0,0,0",
  snow: "255,250,250",
  ivory: "255,255,240",
  whitesmoke: "245,245,245",
  ghostwhite: "248,248,255",
}

/** Hue in degrees, saturation and lightness in percent (CSS Color 4 §7.1). */
const hslToRgb = (hue: number, saturation: number, lightness: number): string => {
  const [s, l] = [saturation / 100, lightness / 100]
  const part = (n: number): number => {
    const k = (n + hue / 30) % 12
    return Math.round(255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  return [part(0), part(8), part(4)].join(",")
}

/** A colour as `r,g,b`; null when it is none that is known. */
export const colorOf = (value: string): string | null => {
  const hexadecimal = /^#?([0-9a-f]{3,8})$/.exec(value)?.[1] ?? ""
  if (hexadecimal.length === 3 || hexadecimal.length === 4)
    return [0, 1, 2].map((at) => Number.parseInt((hexadecimal[at] ?? "0").repeat(2), 16)).join(",")
  if (hexadecimal.length >= 6)
    return [0, 2, 4].map((at) => Number.parseInt(hexadecimal.slice(at, at + 2), 16)).join(",")
  const hsl = /^hsla?\(\s*(\d{1,3})(?:deg)?[\s,]+(\d{1,3})%[\s,]+(\d{1,3})%/.exec(value)
  if (hsl !== null) return hslToRgb(Number(hsl[1]), Number(hsl[2]), Number(hsl[3]))
  const parts = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})/.exec(value)
  return parts === null ? (named[value] ?? null) : parts.slice(1).join(",")
}

export const isTransparent = (value: string): boolean =>
  value === "transparent" ||
  /^(?:rgba?|hsla?)\([^)]*[,/]\s*(?:0|0?\.0\d*|0%)\s*\)$/.test(value) ||
  /^#(?:[0-9a-f]{3}0|[0-9a-f]{6}00)$/.test(value)

export const isSameColor = (one: string | null, other: string | null): boolean => {
  if (one === null || other === null) return false
  if (one === other) return true
  const parts = other.split(",").map(Number)
  return one.split(",").every((part, at) => Math.abs(Number(part) - (parts[at] ?? 0)) <= SAME_COLOR_MAX)
}
