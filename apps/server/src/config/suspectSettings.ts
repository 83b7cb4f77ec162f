/** Warnings about settings that are valid and probably not intended. */
import { isPublicAddress, parseUrl } from "@mailroom/domain"
import { Option } from "effect"
import { isIP } from "node:net"
import type { ServerConfig } from "./variables.js"

/** Names without a public address (RFC 6761, RFC 6762, RFC 8375), and names without a dot. */
const LOCAL_NAME = /^[^.]+$|(?:^|\.)(?:localhost|local|test|example|invalid|internal|home\.arpa)$/

/** Whether an address is one that the world may reach. */
const isPublic = (baseUrl: string): boolean => {
  const host = (parseUrl(baseUrl)?.hostname ?? "localhost").replace(/^\[|\]$/g, "")
  return isIP(host) > 0 ? isPublicAddress(host) : !LOCAL_NAME.test(host)
}

const hasPath = (baseUrl: string): boolean => (parseUrl(baseUrl)?.pathname ?? "/") !== "/"

/** Addresses to which only programs of this machine connect. */
const LOOPBACK = /^(?:localhost|127\.[\d.]+|::1)$/

/** A line for each suspect setting, which says what to do. */
export const suspectSettings = ({
  baseUrl,
  outbound,
  billing,
  postmasterEmail,
  smtpHost,
  trustProxy,
  submissionPort,
  tlsCertificate,
}: Pick<
  ServerConfig,
  | "baseUrl"
  | "outbound"
  | "billing"
  | "postmasterEmail"
  | "smtpHost"
  | "trustProxy"
  | "submissionPort"
  | "tlsCertificate"
>): ReadonlyArray<string> => {
  const lines = []
  if (Option.isSome(submissionPort) && Option.isNone(tlsCertificate) && !LOOPBACK.test(smtpHost))
    lines.push(
      "SUBMISSION_PORT is set without SMTP_TLS_CERT: only clients of this machine can sign in. Set SMTP_TLS_CERT and SMTP_TLS_KEY.",
    )
  if (Option.exists(baseUrl, hasPath))
    lines.push(
      "BASE_URL has a path: the API and the links in mails work, but the dashboard and the documentation need the root of a host. Give the service a host name of its own.",
    )
  if (!Option.exists(baseUrl, isPublic)) return lines
  if (outbound.kind === "capture")
    lines.push(
      "OUTBOUND_URL is capture: and BASE_URL is public: no mail leaves, not even the mail that verifies an owner. Set OUTBOUND_URL to a relay.",
    )
  if (billing === "simulated")
    lines.push(
      "BILLING is simulated and BASE_URL is public: everybody can buy every plan without money. Set BILLING to stripe or none.",
    )
  if (Option.isNone(postmasterEmail))
    lines.push(
      "POSTMASTER_EMAIL is not set and BASE_URL is public: mail to postmaster@ and abuse@ of the platform domain is refused, where other servers report trouble with your mail. Set it to the operator's address.",
    )
  if (!trustProxy && Option.exists(baseUrl, (url) => url.startsWith("https:")))
    lines.push(
      "TRUST_PROXY is false and BASE_URL begins with https: all clients have the address of the proxy that ends TLS, and share its limits. Set TRUST_PROXY to true.",
    )
  return lines
}
