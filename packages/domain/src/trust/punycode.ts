/** Decodes Punycode (RFC 3492), the form of international labels in DNS. */

const BASE = 36
const T_MIN = 1
const T_MAX = 26
const SKEW = 38
const DAMP = 700
const INITIAL_BIAS = 72
const INITIAL_CODE = 0x80
const CODE_MAX = 0x10ffff
/** Characters of a DNS label. A longer text is no label, and decoding takes quadratic time. */
const LABEL_MAX = 63

/** RFC 3492 §6.1 */
const adapted = (delta: number, length: number, isFirst: boolean): number => {
  let left = Math.floor(delta / (isFirst ? DAMP : 2))
  left += Math.floor(left / length)
  let bias = 0
  for (; left > ((BASE - T_MIN) * T_MAX) / 2; bias += BASE) left = Math.floor(left / (BASE - T_MIN))
  return bias + Math.floor(((BASE - T_MIN + 1) * left) / (left + SKEW))
}

/** The value of a digit; NaN for another character. */
const digitOf = (character: string | undefined): number =>
  character === undefined || !/[a-z0-9]/.test(character)
    ? Number.NaN
    : (Number.parseInt(character, BASE) + 26) % BASE

/** The text of a label without its `xn--`, lower-case; null when it is not Punycode. */
export const decodePunycode = (label: string): string | null => {
  if (label.length > LABEL_MAX) return null
  const basicEnd = Math.max(0, label.lastIndexOf("-"))
  const output = Array.from(label.slice(0, basicEnd))
  let code = INITIAL_CODE
  let position = 0
  let bias = INITIAL_BIAS
  let next = basicEnd === 0 ? 0 : basicEnd + 1
  while (next < label.length) {
    const before = position
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(label[next])
      if (Number.isNaN(digit)) return null
      next += 1
      position += digit * weight
      const threshold = Math.min(T_MAX, Math.max(T_MIN, k - bias))
      if (digit < threshold) break
      weight *= BASE - threshold
      if (weight > CODE_MAX * (LABEL_MAX + 1)) return null
    }
    const length = output.length + 1
    bias = adapted(position - before, length, before === 0)
    code += Math.floor(position / length)
    if (code > CODE_MAX) return null
    position %= length
    output.splice(position, 0, String.fromCodePoint(code))
    position += 1
  }
  return output.join("")
}
