/** Plain text inside HTML. */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

/** Plain text as HTML that keeps its lines. */
export const textAsHtml = (text: string): string =>
  `<div>${escapeHtml(text).replace(/\r\n?|\n/g, "<br>\n")}</div>`
