/** IP addresses, and the networks of a client's address: limits per address count networks (docs/decisions/0045). */

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

/** Text that is not an IP address counts as a network of its own, cut to this many characters. */
const UNKNOWN_MAX_LENGTH = 64

export interface Networks {
  /** one client: its IPv4 address, or the /64 of its IPv6 address */
  readonly host: string
  /** one customer of a provider: the IPv4 /24, or the IPv6 /56 */
  readonly site: string
}

const ipv4Networks = (number: number): Networks => {
  const bytes = [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256)
  return { host: bytes.join("."), site: `${bytes.slice(0, 3).join(".")}.0/24` }
}

const ipv6Networks = (groups: ReadonlyArray<number>): Networks => {
  const text = (prefix: ReadonlyArray<number>) => prefix.map((group) => group.toString(16)).join(":")
  const [last = 0] = groups.slice(3, 4)
  return {
    host: `${text(groups.slice(0, 4))}::/64`,
    // A /56 ends in the middle of the fourth group.
    site: `${text([...groups.slice(0, 3), last - (last % 256)])}::/56`,
  }
}

/** `::ffff:192.0.2.7` is an IPv4 address on a socket that serves both versions (RFC 4291 §2.5.5.2). */
const mappedIpv4 = (groups: ReadonlyArray<number>): number | null => {
  const [high = 0, low = 0] = groups.slice(6)
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff ? high * 65536 + low : null
}

/** The address without its port and brackets: `192.0.2.7:443`, `[2001:db8::1]:443`. */
const withoutPort = (address: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(address)?.[1]
  return bracketed ?? /^([\d.]+):\d*$/.exec(address)?.[1] ?? address
}

/**
 * The networks of an address as a socket or a proxy names it. A port, brackets and a zone id are ignored. Text that is no
 * address is a network of its own, cut at 64 characters.
 */
export const networksOf = (address: string): Networks => {
  const bare = withoutPort(address.slice(0, 2 * UNKNOWN_MAX_LENGTH).trim())
  const v4 = ipv4Number(bare)
  if (v4 !== null) return ipv4Networks(v4)
  const groups = ipv6Groups(bare)
  if (groups === null) {
    const unknown = address.slice(0, UNKNOWN_MAX_LENGTH)
    return { host: unknown, site: unknown }
  }
  const mapped = mappedIpv4(groups)
  return mapped === null ? ipv6Networks(groups) : ipv4Networks(mapped)
}
