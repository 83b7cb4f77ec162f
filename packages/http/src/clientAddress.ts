/** Whose request it is, for what is limited per address (decisions §1, TRUST_PROXY). */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Option } from "effect"

export const clientAddress = (request: HttpServerRequest.HttpServerRequest, trustProxy: boolean): string => {
  const forwarded = trustProxy ? request.headers["x-forwarded-for"]?.split(",").at(-1)?.trim() : undefined
  return forwarded ?? Option.getOrElse(request.remoteAddress, () => "unknown")
}

export const isLoopback = (address: string): boolean =>
  address === "::1" || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address)
