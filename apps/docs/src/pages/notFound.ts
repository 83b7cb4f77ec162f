/** The page for addresses below `/docs` that have none. */
import type { Page } from "../site/Page.js"

export const notFoundPage: Page = {
  path: "404",
  title: "Not found",
  description: "There is no such page.",
  html: '<h1>Not found</h1><p>There is no page at this address. The <a href="/docs">first page</a> and the <a href="/docs/reference">API reference</a> lead to all others.</p>',
  headings: [],
  sections: [],
  layout: "text",
}
