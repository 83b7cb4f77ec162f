/** The headers of HTML pages that tell browsers to be careful. */

/** Seconds for which browsers use https alone for the host: a year. */
const HTTPS_ONLY = 31_536_000

/** What a page of ours uses of the browser's devices and sensors: nothing. */
const PERMISSIONS = ["camera", "display-capture", "geolocation", "microphone", "payment", "usb"].map(
  (name) => `${name}=()`,
)

/** Headers of all pages of the service at this URL. */
export const pageHeaders = (baseUrl: string): Readonly<Record<string, string>> => ({
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": PERMISSIONS.join(", "),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  ...(baseUrl.startsWith("https:") && { "strict-transport-security": `max-age=${HTTPS_ONLY}` }),
})
