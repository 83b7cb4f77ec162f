/** HTML as plain text, for readers that show no HTML and filters that distrust mail without text (RFC 2046 §5.1.4). */
import { compile } from "html-to-text"

/**
 * In UTF-16 units; above it there is no twin. The library's time grows with the square of what it is given when tags
 * are left open by the thousand: this much takes up to 90 ms, 1 MB takes 15 s, and nothing else runs meanwhile.
 */
export const TWIN_MAX_HTML = 64 * 1024

const toText = compile({
  // Lines are broken where the mail is encoded.
  wordwrap: false,
  limits: { maxDepth: 100, maxChildNodes: 10_000 },
  formatters: {
    // What is shown from a part of the mail has no address that means something in a text.
    words: (element, _, builder) => builder.addInline(element.attribs?.["alt"] ?? ""),
  },
  selectors: [
    { selector: "img", format: "words" },
    { selector: "a", options: { hideLinkHrefIfSameAsText: true } },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
})

/** null when there is nothing to read in it, or too much of it. */
export const textTwin = (html: string): string | null => {
  if (html.length > TWIN_MAX_HTML) return null
  const text = toText(html).trim()
  return text === "" ? null : text
}
