/**
 * The empty document in which the dashboard shows the HTML of a mail, inside a frame (docs/decisions/0077). Its policy (CSP) holds
 * for whatever is put there: no script, no form, nothing from elsewhere; `?images=remote` permits images by https.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"

export const mailFramePath = "/mail-frame"

/** Links open in a new tab, which the sandbox of the mail does not follow. */
const SANDBOX = "allow-same-origin allow-popups allow-popups-to-escape-sandbox"

const policyWith = (images: string): string =>
  `default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; form-action 'none'; base-uri 'none'; ` +
  `frame-ancestors 'self'; sandbox ${SANDBOX}`

/**
 * Mail is written for white paper. What is wider than the frame scrolls to the side; the dashboard makes the frame as high as
 * `main` with what leaves its boxes, which is why `main` contains what is positioned.
 */
const style = `
:root { color-scheme: light; background: #fff; color: #16181d; }
html { overflow: auto hidden; }
/* Styles of the mail are for the body inside of main. */
html:root > body:not(#a):not(#b) {
  all: unset !important;
  display: block !important;
}
html:root > body:not(#a):not(#b) > main {
  all: unset !important;
  display: flow-root !important;
  position: relative !important;
}
/* What a mail says of its body goes before this. */
:where(main > body) {
  display: flow-root;
  box-sizing: border-box;
  margin: 0;
  padding: 16px 20px;
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif;
  overflow-wrap: break-word;
}
img { max-width: 100%; }
img:not([height]) { height: auto; }
img[alt]:not([alt=""], [src]) { border: 1px dashed #c3c7d0; color: #606673; font-size: 12px; }
a { color: #4348cf; }
pre { white-space: pre-wrap; }
blockquote { margin: 8px 0; padding-inline-start: 12px; border-inline-start: 2px solid #d6d9e0; }
`

const documentWith = (images: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.html(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Mail</title>` +
      `<meta name="color-scheme" content="light"><style>${style}</style></head>` +
      `<body><main dir="auto"></main></body></html>`,
  ).pipe(
    HttpServerResponse.setHeaders({
      "cache-control": "private, max-age=300",
      "content-security-policy": policyWith(images),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      // Without it, browsers look up the hosts of links before they are followed.
      "x-dns-prefetch-control": "off",
    }),
  )

const local = documentWith("data: blob:")
const remote = documentWith("data: blob: https:")

export const mailFrame = HttpApiBuilder.Router.use((router) =>
  router.get(
    mailFramePath,
    Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => {
      const { searchParams } = new URL(url, "http://localhost")
      return searchParams.get("images") === "remote" ? remote : local
    }),
  ),
)
