/** The frame of every page: head, navigation, search, and the list of its headings. */
import { ICON, MARK } from "@mailroom/http/design"
import { escapeHtml } from "./html.js"
import { type Heading, type Page, urlOf } from "./Page.js"
import { neighbours, type Part } from "./navigation.js"

/** The addresses of the hashed files that pages load. */
export interface Assets {
  readonly style: string
  readonly theme: string
  readonly script: string
  readonly searchIndex: string
}

const pageLink =
  (current: string) =>
  ({ path, title }: Page): string =>
    `<li><a href="${urlOf(path)}"${path === current ? ' aria-current="page"' : ""}>${path === "" ? "Overview" : escapeHtml(title)}</a></li>`

const partHtml =
  (current: string) =>
  ({ title, brief, pages }: Part): string => {
    const isOpen = pages.some(({ path }) => path === current)
    const shown = brief && !isOpen ? pages.slice(0, 1) : pages
    return `<li><details${isOpen ? " open" : ""}><summary>${title}</summary><ul>${shown.map(pageLink(current)).join("")}</ul></details></li>`
  }

const navigationHtml = (parts: ReadonlyArray<Part>, current: string): string =>
  `<nav id="navigation" popover aria-label="Documentation"><ul>${parts.map(partHtml(current)).join("")}</ul></nav>`

const headingLink = ({ id, text }: Heading): string => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`

const contentsHtml = ({ layout, headings }: Page): string => {
  const shown = headings.filter(({ level }) => level === 2)
  if (layout === "reference" || shown.length < 2) return ""
  return `<aside class="contents" aria-labelledby="contents"><p id="contents">On this page</p><ul>${shown.map(headingLink).join("")}</ul></aside>`
}

const neighbourLink = (page: Page | undefined, label: string, relation: string): string =>
  page === undefined
    ? ""
    : `<a rel="${relation}" href="${urlOf(page.path)}"><span>${label}</span> ${escapeHtml(page.title)}</a>`

const footerHtml = (parts: ReadonlyArray<Part>, page: Page): string => {
  const [before, after] = neighbours(parts, page)
  const links = neighbourLink(before, "Previous", "prev") + neighbourLink(after, "Next", "next")
  return links === "" ? "" : `<nav class="turn" aria-label="Previous and next page">${links}</nav>`
}

const searchHtml = ({ searchIndex }: Assets): string =>
  `<dialog id="search" aria-label="Search" data-index="${searchIndex}">` +
  '<div class="query"><input type="search" id="query" placeholder="Search the documentation" aria-label="Search the documentation" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="results">' +
  '<button type="button" id="close-search">Close</button></div>' +
  '<ul id="results" role="listbox" aria-label="Results"></ul><p id="search-state" role="status"></p></dialog>'

// Search and theme need the script, which shows their buttons.
const headerHtml =
  '<header class="top"><button type="button" class="menu" popovertarget="navigation">Menu</button>' +
  `<a class="home" href="/docs">${MARK}Mailroom <span>docs</span></a>` +
  '<div class="actions"><button type="button" id="open-search" hidden>Search <kbd>/</kbd></button>' +
  '<button type="button" id="theme" hidden>Theme</button><a href="/docs/reference">API</a></div></header>'

/** The whole page. */
export const pageHtml = (page: Page, parts: ReadonlyArray<Part>, assets: Assets): string => {
  const title = page.path === "" ? "Mailroom documentation" : `${page.title} · Mailroom`
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>${escapeHtml(title)}</title><meta name="description" content="${escapeHtml(page.description)}">` +
    `<meta name="color-scheme" content="light dark"><link rel="icon" href="${ICON}">` +
    `<script src="${assets.theme}"></script><link rel="stylesheet" href="${assets.style}">` +
    `<script type="module" src="${assets.script}"></script></head>` +
    `<body><a class="skip" href="#main">To the content</a>${headerHtml}` +
    `<div class="frame ${page.layout}">${navigationHtml(parts, page.path)}` +
    `<main id="main" tabindex="-1"><article>${page.html}</article>${footerHtml(parts, page)}</main>${contentsHtml(page)}</div>` +
    `${searchHtml(assets)}</body></html>`
  )
}
