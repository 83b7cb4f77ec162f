/** Mail that a machine sent by itself: auto-replies, lists, bulk, reports (RFC 3834, RFC 2369, RFC 3464). */
import type { HeaderMap } from "./Message.js"

const first = (headers: HeaderMap, name: string): string => {
  const value = headers[name]
  return (typeof value === "string" ? value : (value?.[0] ?? "")).trim().toLowerCase()
}

/**
 * `envelopeFrom` is empty for the null return path, which only reports and auto-replies use; null: it is not known, because
 * the mail did not arrive here.
 */
export const isAutomated = (headers: HeaderMap, envelopeFrom: string | null): boolean => {
  const submitted = first(headers, "auto-submitted")
  return (
    envelopeFrom === "" ||
    (submitted !== "" && submitted !== "no") ||
    /^(?:bulk|junk|list|auto_reply)$/.test(first(headers, "precedence")) ||
    ["list-id", "list-unsubscribe", "x-auto-response-suppress", "x-autoreply", "x-autorespond"].some(
      (name) => first(headers, name) !== "",
    ) ||
    first(headers, "content-type").startsWith("multipart/report")
  )
}
