/** Hosts that are addresses already. */
import { literalAddress } from "@mailroom/domain"
import { isIP } from "node:net"

/**
 * The address that a host is, without the brackets of IPv6; null for a name. Stricter than the domain's check: a
 * part with leading zeros is octal to some and decimal to others, so it is no address.
 */
export const ownAddress = (host: string): string | null => {
  const literal = literalAddress(host)
  return literal !== null && isIP(literal) !== 0 ? literal : null
}
