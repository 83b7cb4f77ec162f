/** Why a receiver did not answer, in a short line for the owner of the webhook. */
import { WEBHOOK_TIMEOUT } from "@mailroom/domain"
import { Data } from "effect"
import { errorCode } from "../errorCode.js"

export const TIMED_OUT = `timed out after ${WEBHOOK_TIMEOUT / 1000} s`
export const PRIVATE_ADDRESS = "private address"

/** Our own checks refuse to connect to the receiver. */
export class TargetRefused extends Data.TaggedError("TargetRefused")<{ readonly reason: string }> {}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed before an answer",
  EPIPE: "connection closed before an answer",
  UND_ERR_SOCKET: "connection closed before an answer",
  ETIMEDOUT: "timed out while connecting",
  UND_ERR_CONNECT_TIMEOUT: "timed out while connecting",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  EADDRNOTAVAIL: "network unreachable",
  UND_ERR_HEADERS_OVERFLOW: "the headers of the answer are too large",
  HPE_HEADER_OVERFLOW: "the headers of the answer are too large",
}

const CERTIFICATE =
  /CERT|^(?:DEPTH_ZERO_SELF_SIGNED_|UNABLE_TO_(?:VERIFY|GET|DECRYPT|DECODE)_|INVALID_(?:CA|PURPOSE))/

const MAX_LENGTH = 200

const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_LENGTH)

/** One line, without stack trace, for the error that ended an attempt. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof TargetRefused) return error.reason
  const code = errorCode(error) ?? ""
  const known = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined
  if (known !== undefined) return known
  const message = error instanceof Error ? error.message : ""
  if (CERTIFICATE.test(code)) return oneLine(`certificate is not valid: ${message}`)
  if (code.startsWith("ERR_SSL_") || code === "EPROTO") return "TLS handshake failed"
  if (code.startsWith("HPE_")) return "the answer is not HTTP"
  return oneLine(`request failed: ${message === "" ? code || "unknown error" : message}`)
}
