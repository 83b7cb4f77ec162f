/** One way to write an address that a header or an envelope may write in several. */

/** Addresses without quotes, spaces, other dots and the dot of the root: most are written in one way only. */
const isPlain = (address: string): boolean => /^[!#-~]*[!#--/-~]$/.test(address)

/** Local parts that need no quotes (RFC 5322 §3.2.3). */
const quotedAtoms = /^"([^\s"\\()<>[\]:;@,.]+(?:\.[^\s"\\()<>[\]:;@,.]+)*)"$/

/**
 * The address without the spaces that RFC 5322 §4.4 allows around the at sign and dots, without quotes that its local part
 * does not need (RFC 5321 §4.1.2), and without the dot of the root. Other readers take all of these for the same address.
 * Text without an at sign stays.
 */
export const plainAddressOf = (address: string): string => {
  const at = address.lastIndexOf("@")
  if (at === -1 || isPlain(address)) return address
  const local = address.slice(0, at).trim()
  const domain = address
    .slice(at + 1)
    .replaceAll(/[\u3002\uff0e\uff61]/g, ".")
    .split(".")
    .map((label) => label.trim())
    .join(".")
  const unspaced = local.startsWith('"')
    ? local
    : local
        .split(".")
        .map((atom) => atom.trim())
        .join(".")
  return `${unspaced.replace(quotedAtoms, "$1")}@${domain.replace(/\.$/, "")}`
}
