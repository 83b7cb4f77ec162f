/** Whose request it is, for what is limited per address (decisions §1, TRUST_PROXY). */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Option } from "effect"

export const clientAddress = (request: HttpServerRequest.HttpServerRequest, trustProxy: boolean): string => {
  const forwarded = trustProxy ? (request.headers["x-forwarded-for"]?.split(",").at(-1)?.trim() ?? "") : ""
  return forwarded === "" ? Option.getOrElse(request.remoteAddress, () => "unknown") : forwarded
}

export const isLoopback = (address: string): boolean =>
  address === "::1" || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address)

/** Headers that a proxy adds: a request that has one was not made by the client that the socket leads to. */
const PROXY_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
]

/** Whether a request was made on this machine and came through no proxy. One without an address came over no network. */
export const isFromThisMachine = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): boolean =>
  Option.match(remoteAddress, { onNone: () => true, onSome: isLoopback }) &&
  PROXY_HEADERS.every((name) => headers[name] === undefined)
