/** Text inside HTML. */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

/** A plain text as HTML that shows its lines. */
export const textAsHtml = (text: string): string =>
  `<div>${escapeHtml(text).replace(/\r\n?|\n/g, "<br>\n")}</div>`
