/** The networks of a client's address; limits per address count networks (docs/decisions/0045). */
import { ipv4Number, ipv6Groups } from "./ipAddress.js"

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
