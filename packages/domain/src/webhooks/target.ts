/** Rules for the URL and the custom headers of a webhook (docs/specification/channels.md, Webhooks). */
import { Schema } from "effect"
import { WEBHOOK_MAX_HEADERS } from "../limits.js"
import { ipv4Number, ipv6Groups } from "../network/networks.js"
import { parseUrl } from "../parseUrl.js"

const ipv4Blocks: ReadonlyArray<readonly [base: string, bits: number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
]

const isPublicIPv4 = (number: number): boolean =>
  !ipv4Blocks.some(([base, bits]) => {
    const size = 2 ** (32 - bits)
    return Math.floor(number / size) === Math.floor((ipv4Number(base) ?? 0) / size)
  })

/**
 * Whether an IP address is public. Private, shared, local, reserved and multicast addresses are not, nor is an IPv6 address
 * that embeds such an IPv4 address (mapped, 6to4), nor any NAT64 address.
 */
export const isPublicAddress = (address: string): boolean => {
  const v4 = ipv4Number(address)
  if (v4 !== null) return isPublicIPv4(v4)
  const groups = ipv6Groups(address)
  if (groups === null) return false
  const [g0 = 0, g1 = 0, g2 = 0, , , g5 = 0, g6 = 0, g7 = 0] = groups
  const low = g6 * 65536 + g7
  const leading = groups.slice(0, 5).every((group) => group === 0)
  if (leading && (g5 === 0xffff || g5 === 0)) return g5 === 0xffff && isPublicIPv4(low)
  if (g0 === 0x2002) return isPublicIPv4(g1 * 65536 + g2)
  // Only 2000::/3 is global unicast. NAT64 (64:ff9b::/96) is outside of it; documentation, ORCHID, Teredo and benchmark
  // ranges are excluded.
  if (g0 < 0x2000 || g0 > 0x3fff) return false
  return !(g0 === 0x2001 && (g1 === 0xdb8 || g1 < 0x200)) && !(g0 === 0x3fff && g1 < 0x1000)
}

/** Whether a URL's host is an IP address rather than a name; the result has no brackets. */
export const literalAddress = (hostname: string): string | null => {
  const bare = hostname.replace(/^\[|\]$/g, "")
  return ipv4Number(bare) !== null || ipv6Groups(bare) !== null ? bare : null
}

/** The first error in a webhook's URL; null when it is valid. `allowPrivate` is for development: http and any address. */
export const webhookUrlProblem = (text: string, allowPrivate: boolean): string | null => {
  const url = parseUrl(text)
  if (url === null) return "must be an absolute URL"
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:"))
    return "must start with https://"
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password"
  if (text.length > 2048) return "must not be longer than 2048 characters"
  const literal = literalAddress(url.hostname)
  if (!allowPrivate && literal !== null && !isPublicAddress(literal))
    return "must not point to a private address"
  return null
}

const refusedHeaders =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-.*|webhook-.*|user-agent)$/i

/** Custom request headers: at most 10; none that shape the request, and none that the service sends itself. */
export const webhookHeadersProblem = (
  headers: Readonly<Record<string, string>>,
  ownPrefix: string,
): string | null => {
  const names = Object.keys(headers)
  if (names.length > WEBHOOK_MAX_HEADERS) return `at most ${WEBHOOK_MAX_HEADERS} headers`
  for (const name of names) {
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/i.test(name)) return `${name} is not a header name`
    if (refusedHeaders.test(name) || name.toLowerCase().startsWith(ownPrefix.toLowerCase()))
      return `${name} cannot be set`
    if (!/^[\t\x20-\x7e]{0,4096}$/.test(headers[name] ?? "")) return `the value of ${name} is not plain ASCII`
  }
  return null
}

/** A webhook's secret: `whsec_` and base64, as Standard Webhooks has it. */
export const WebhookSecret = Schema.TemplateLiteral("whsec_", Schema.String)
export type WebhookSecret = typeof WebhookSecret.Type
