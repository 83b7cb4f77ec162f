/** An oracle for public addresses: the IANA special-purpose registries in node:net's own matcher. */
import { BlockList } from "node:net"
import { FastCheck } from "effect"

const blocksV4 = [
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
  ["224.0.0.0", 3],
] as const
const blocksV6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const

const specialV4 = new BlockList()
for (const [net, bits] of blocksV4) specialV4.addSubnet(net, bits, "ipv4")
const specialV6 = new BlockList()
for (const [net, bits] of blocksV6) specialV6.addSubnet(net, bits, "ipv6")
const globalV6 = new BlockList()
globalV6.addSubnet("2000::", 3, "ipv6")

export const dotted = (n: number) => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255].join(".")
export const hex = (n: number) => `${(n >>> 16).toString(16)}:${(n & 0xffff).toString(16)}`
export const publicV4 = (address: string) => !specialV4.check(address, "ipv4")
export const publicV6 = (address: string) =>
  globalV6.check(address, "ipv6") && !specialV6.check(address, "ipv6")

/** The first and the last address of every block, and their neighbours outside. */
export const edgesV4 = blocksV4.flatMap(([net, bits]) => {
  const first = net.split(".").reduce((sum, part) => sum * 256 + Number(part), 0)
  const last = first + 2 ** (32 - bits) - 1
  return [first - 1, first, last, last + 1].filter((n) => n >= 0 && n < 2 ** 32).map(dotted)
})

export const someV4 = FastCheck.oneof(
  FastCheck.nat(0xffff_ffff).map(dotted),
  FastCheck.constantFrom(...edgesV4),
)
