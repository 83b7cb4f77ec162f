/** What the head of a request says: its path, its client, and what kind of client that is. */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { parseUrl } from "@mailroom/domain"
import { Option } from "effect"

type Request = HttpServerRequest.HttpServerRequest

/** The path of a request's URL as it came, without the query. */
export const pathOf = (url: string): string => url.split("?", 1)[0] ?? ""

/** Whether a browser posted a form. It gets a page as its answer, a program gets JSON. */
export const fromForm = (request: Request): boolean =>
  request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true

/** Whether `Accept` names HTML: browsers do, programs take JSON. */
export const takesPages = ({ headers }: Request): boolean =>
  (headers["accept"] ?? "")
    .split(",")
    .some((range) => range.split(";", 1)[0]?.trim().toLowerCase() === "text/html")

/** Whether a script of a page of this service sent it (Fetch Metadata). Older browsers and plain HTTP do not tell. */
export const fromOwnScript = ({ headers }: Request): boolean =>
  headers["sec-fetch-site"] === "same-origin" && headers["sec-fetch-dest"] === "empty"

/** The address that limits per address count: with TRUST_PROXY, the last entry of `X-Forwarded-For`. */
export const clientAddress = (request: Request, trustProxy: boolean): string => {
  const forwarded = trustProxy ? (request.headers["x-forwarded-for"]?.split(",").at(-1)?.trim() ?? "") : ""
  return forwarded === "" ? Option.getOrElse(request.remoteAddress, () => "unknown") : forwarded
}

const isLoopback = (address: string): boolean =>
  address === "::1" || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address)

/** Headers that proxies add. With one of them, the socket's address is the proxy's and not the client's. */
const PROXY_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
]

/** Names of this machine alone (RFC 6761 §6.3), as URLs have them. */
const isLoopbackName = (hostname: string): boolean =>
  /(?:^|\.)localhost$/.test(hostname) || isLoopback(hostname.replace(/^\[|\]$/g, ""))

/**
 * Whether the request names this machine or the service in `Host`. A page in a browser of this machine can point its own
 * name at a loopback address and read the answer (DNS rebinding), but the request then has that name. Every browser sends
 * the header.
 */
const isForThisService = ({ headers }: Request, baseUrl: string): boolean => {
  const host = headers["host"]
  if (host === undefined) return true
  const hostname = parseUrl(`http://${host}`)?.hostname ?? ""
  return isLoopbackName(hostname) || hostname === new URL(baseUrl).hostname
}

/**
 * Whether the client runs on this machine, used no proxy and means this service. A request without an address came over no
 * network.
 */
export const isFromThisMachine = (request: Request, baseUrl: string): boolean =>
  Option.match(request.remoteAddress, { onNone: () => true, onSome: isLoopback }) &&
  PROXY_HEADERS.every((name) => request.headers[name] === undefined) &&
  isForThisService(request, baseUrl)

/** Whether the client runs on this machine and means this service. With TRUST_PROXY the proxy says where it runs. */
export const isLocalClient = (request: Request, trustProxy: boolean, baseUrl: string): boolean =>
  trustProxy
    ? isLoopback(clientAddress(request, trustProxy)) && isForThisService(request, baseUrl)
    : isFromThisMachine(request, baseUrl)
