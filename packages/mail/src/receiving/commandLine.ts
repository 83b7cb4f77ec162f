/** Parses command lines (RFC 5321 §4.1.1). Accepts the addresses that smtp-server accepts. */
import { isIP } from "node:net"
import { domainToUnicode } from "node:url"
import { MESSAGE_MAX_BYTES } from "@mailroom/domain"
import {
  badParameter,
  badRecipient,
  badSender,
  type Reply,
  tooLarge,
  unsupportedParameter,
} from "./replies.js"

/** bytes of an address without its angle brackets (RFC 5321 §4.5.3.1.3 allows a path of 256 with them) */
const ADDRESS_MAX_LENGTH = 254
/** characters of the EHLO argument: a domain has at most 255 (RFC 5321 §4.5.3.1.2), some clients send more */
const HOSTNAME_MAX_LENGTH = 300

const control = /[\x00-\x1f\x7f]/
/** Control and invisible characters, which can forge headers, log lines and addresses. */
const unsafe = /[\x00-\x1f\x7f-\x9f\u200b\u2060\ufeff]/
const domainCharacters = /^[a-zA-Z0-9\u0080-\uffff.-]+$/
const sourceRoute = /^@[^\s,:@]+(?:,@[^\s,:@]+)*:/
const httpRequest = /^(?:OPTIONS|GET|HEAD|POST|PUT|DELETE|TRACE|CONNECT) \/.* HTTP\/\d\.\d$/i

/** The first word, in upper case. */
export const verbOf = (line: string): string => {
  const space = line.indexOf(" ")
  return (space === -1 ? line : line.slice(0, space)).toUpperCase()
}

export const isHttpRequest = (line: string): boolean => httpRequest.test(line)

/** The words after the verb. */
export const argumentsOf = (line: string): ReadonlyArray<string> => line.trim().split(/\s+/).slice(1)

/** The argument of EHLO or HELO in lower case, or null. */
export const hostnameOf = (line: string): string | null => {
  const [hostname, ...more] = argumentsOf(line)
  if (hostname === undefined || more.length > 0) return null
  return hostname.length > HOSTNAME_MAX_LENGTH || control.test(hostname) ? null : hostname.toLowerCase()
}

/** `[192.0.2.7]` or `[IPv6:2001:db8::1]` (RFC 5321 §4.1.3). */
const isAddressLiteral = (domain: string): boolean => {
  const inner = domain.slice(1, -1)
  return /^ipv6:/i.test(inner) ? isIP(inner.slice(5)) === 6 : isIP(inner) === 4
}

const hasBadDots = (text: string): boolean =>
  text.startsWith(".") || text.endsWith(".") || text.includes("..")

/** The domain with its A-labels decoded (RFC 5890 §2.3.2.1); null when it is none. */
const readDomain = (domain: string): string | null => {
  if (domain.startsWith("[") && domain.endsWith("]")) return isAddressLiteral(domain) ? domain : null
  if (hasBadDots(domain) || domain.includes(".-") || domain.includes("-.")) return null
  if (!domainCharacters.test(domain)) return null
  if (!/(?:^|\.)xn--/i.test(domain)) return domain
  const unicode = domainToUnicode(domain)
  return unicode === "" ? null : unicode
}

const readAddress = (text: string, bareAllowed: boolean): string | null => {
  const address = text.replace(sourceRoute, "")
  if (unsafe.test(address)) return null
  if (bareAllowed && address.toLowerCase() === "postmaster") return address
  const [local, domain, ...more] = address.split("@")
  if (local === undefined || local === "" || domain === undefined || domain === "" || more.length > 0)
    return null
  if (hasBadDots(local) || Buffer.byteLength(address) > ADDRESS_MAX_LENGTH) return null
  const readable = readDomain(domain)
  return readable === null ? null : `${local}@${readable}`
}

type Parameters = ReadonlyMap<string, string | null>

/** `KEY=value` and `KEY`; null for a duplicate key or a control character. */
const readParameters = (words: ReadonlyArray<string>): Parameters | null => {
  const parameters = new Map<string, string | null>()
  for (const word of words) {
    const equals = word.indexOf("=")
    const key = (equals === -1 ? word : word.slice(0, equals)).toUpperCase()
    const value = equals === -1 ? "" : word.slice(equals + 1)
    if (key === "") continue
    if (parameters.has(key) || control.test(value)) return null
    parameters.set(key, value === "" ? null : value)
  }
  return parameters
}

export type AddressCommand =
  | { readonly address: string; readonly refusal: null }
  | { readonly address: null; readonly refusal: Reply }

const refused = (refusal: Reply): AddressCommand => ({ address: null, refusal })

/** `verb:<address> parameters`, or null. */
const readAddressCommand = (
  line: string,
  verb: string,
): { readonly path: string; readonly words: ReadonlyArray<string> } | null => {
  const colon = line.indexOf(":")
  if (colon === -1 || line.slice(0, colon).trim().toUpperCase() !== verb) return null
  const [path = "", ...words] = line
    .slice(colon + 1)
    .trim()
    .split(/\s+/)
  return /^<[^<>]*>$/.test(path) ? { path: path.slice(1, -1), words } : null
}

const badMailParameter = (parameters: Parameters): Reply | null => {
  if (parameters.has("REQUIRETLS")) return unsupportedParameter
  const size = parameters.get("SIZE")
  if (size !== undefined && (size === null || !/^\d{1,20}$/.test(size))) return badParameter
  if (Number(size ?? 0) > MESSAGE_MAX_BYTES) return tooLarge
  const body = parameters.get("BODY")
  if (body !== undefined && !/^(?:7BIT|8BITMIME)$/i.test(body ?? "")) return badParameter
  return (parameters.get("SMTPUTF8") ?? null) === null ? null : badParameter
}

/** `MAIL FROM:<address>`; the address of the null return path is empty. Unknown parameters are ignored. */
export const readMail = (line: string): AddressCommand => {
  const command = readAddressCommand(line, "MAIL FROM")
  if (command === null) return refused(badSender)
  const address = command.path === "" ? "" : readAddress(command.path, false)
  if (address === null) return refused(badSender)
  const parameters = readParameters(command.words)
  const reply = parameters === null ? badParameter : badMailParameter(parameters)
  return reply === null ? { address, refusal: null } : refused(reply)
}

/** `RCPT TO:<address>`. A lone `postmaster` is allowed (RFC 5321 §4.1.1.3). */
export const readRecipient = (line: string): AddressCommand => {
  const command = readAddressCommand(line, "RCPT TO")
  const address = command === null ? null : readAddress(command.path, true)
  if (command === null || address === null) return refused(badRecipient)
  return readParameters(command.words) === null ? refused(badParameter) : { address, refusal: null }
}
