/** IP addresses read from text. */

/** An IPv4 address as a number, or null when the text is none. No leading zeros: some readers take such a part for octal. */
export const ipv4Number = (address: string): number | null => {
  const match = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/.exec(address)
  if (match === null) return null
  const parts = match.slice(1).map(Number)
  return parts.some((part) => part > 255) ? null : parts.reduce((sum, part) => sum * 256 + part, 0)
}

/** The eight groups of an IPv6 address, or null when the text is none. A zone id (`%eth0`) is ignored. */
export const ipv6Groups = (address: string): ReadonlyArray<number> | null => {
  const bare = address.replace(/%.*$/, "")
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(bare)
  let text = bare
  if (tail?.[1] !== undefined && tail[2] !== undefined) {
    const number = ipv4Number(tail[2])
    if (number === null) return null
    text = `${tail[1]}${Math.floor(number / 65536).toString(16)}:${(number % 65536).toString(16)}`
  }
  const halves = text.split("::")
  if (halves.length > 2) return null
  const groups = (half: string | undefined) => (half === undefined || half === "" ? [] : half.split(":"))
  const [head, rest] = [groups(halves[0]), groups(halves[1])]
  const missing = 8 - head.length - rest.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null
  const all = [...head, ...Array.from({ length: Math.max(0, missing) }, () => "0"), ...rest]
  return all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? all.map((group) => Number.parseInt(group, 16))
    : null
}
