/** The frame of the HTML pages without script: each has its style in itself. */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { escapeHtml } from "@mailroom/domain"
import { ICON, MARK, pageStyle } from "./design.js"
import { pageHeaders, policyWithStyle } from "./headers.js"

interface Document {
  readonly title: string
  readonly style: string
  /** HTML, in which every variable text must be escaped with `escapeHtml` */
  readonly body: string
}

/** The text of a document. */
export const documentText = ({ title, style, body }: Document): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
  `<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">` +
  `<title>${escapeHtml(title)} · Mailroom</title><link rel="icon" href="${ICON}"><style>${style}</style></head>` +
  `<body>${body}</body></html>`

const headers = {
  ...pageHeaders,
  "cache-control": "no-store",
  "content-security-policy": policyWithStyle(pageStyle),
}

/** A short page with a title. `body` is HTML, in which every variable text must be escaped with `escapeHtml`. */
export const page = (title: string, body: string, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.html(
    documentText({
      title,
      style: pageStyle,
      body:
        `<header><a class="brand" href="/">${MARK}Mailroom</a></header>` +
        `<main><h1>${escapeHtml(title)}</h1>${body}</main>`,
    }),
  ).pipe(HttpServerResponse.setStatus(status), HttpServerResponse.setHeaders(headers))
