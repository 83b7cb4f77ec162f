/** The list of decision records. */
import { escapeHtml } from "../site/html.js"
import { type Page, urlOf } from "../site/Page.js"

export const decisionsPage = (pages: ReadonlyArray<Page>): Page => {
  const records = pages.filter(({ path }) => path.startsWith("decisions/"))
  const items = records.map(({ path, title }) => `<li><a href="${urlOf(path)}">${escapeHtml(title)}</a></li>`)
  return {
    path: "decisions",
    title: "Decisions",
    description: "Why the service is built as it is.",
    html: `<h1>Decisions</h1><p>Why the service is built as it is: a record for each choice that somebody could ask about.</p><ul>${items.join("")}</ul>`,
    headings: [],
    sections: [{ anchor: "", heading: "Decisions", text: "" }],
    layout: "text",
  }
}
