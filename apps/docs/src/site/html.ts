/** Building HTML from texts. */

const replacements: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => replacements[character] ?? character)

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }

/** The text of a piece of HTML that this program made. */
export const textOf = (html: string): string =>
  html
    .replace(/<\/(?:td|th|tr|li|p|pre|h\d)>/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => named[name] ?? "")
    .replace(/\s+/g, " ")
    .trim()

/** Text with `code` in backticks, as descriptions of the contract have it. */
export const inline = (text: string): string =>
  escapeHtml(text).replace(/`([^`]+)`/g, (_, code: string) => `<code>${code}</code>`)
