/** The headers of HTML pages that tell browsers to be careful. */
import { createHash } from "node:crypto"

/** What a page of ours uses of the browser's devices: nothing. */
const PERMISSIONS = ["camera", "display-capture", "geolocation", "microphone", "payment", "usb"].map(
  (name) => `${name}=()`,
)

export const pageHeaders: Readonly<Record<string, string>> = {
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": PERMISSIONS.join(", "),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
}

/** The policy (CSP) of a page without script, whose only style is in the page. */
export const policyWithStyle = (style: string): string =>
  `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; img-src data:; ` +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
