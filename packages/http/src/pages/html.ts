/** The frame of the HTML pages: self-contained, without scripts. */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { escapeHtml } from "@mailroom/domain"

const style =
  "body{font:17px/1.6 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1.5rem;color:#1b1f24}" +
  "button{font:inherit;padding:.6rem 1.4rem;border:0;border-radius:.5rem;background:#1f5eff;color:#fff;cursor:pointer}" +
  "@media(prefers-color-scheme:dark){body{background:#14171a;color:#e6e8ea}}"

/** `body` is HTML, in which every variable text must be escaped with `escapeHtml`. */
export const page = (title: string, body: string, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.html(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `<title>${escapeHtml(title)} · Mailroom</title><style>${style}</style></head>` +
      `<body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`,
  ).pipe(
    HttpServerResponse.setStatus(status),
    HttpServerResponse.setHeaders({
      "cache-control": "no-store",
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    }),
  )
