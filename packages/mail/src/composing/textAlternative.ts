/** The text alternative to HTML. Loaded with the first mail that needs one. */
import { compile } from "html-to-text"

/**
 * UTF-16 units of HTML; a longer one gets no text. html-to-text takes quadratic time for thousands of unclosed tags: 90 ms
 * for this much, 15 s for 1 MB, and blocks the event loop.
 */
const HTML_MAX_LENGTH = 64 * 1024

const toText = compile({
  // Quoted-printable and base64 break the lines.
  wordwrap: false,
  limits: { maxDepth: 100, maxChildNodes: 10_000 },
  formatters: {
    // The `cid:` URL of an image in the mail means nothing in a text, so only its alternative text is written.
    words: (element, _, builder) => builder.addInline(element.attribs?.["alt"] ?? ""),
  },
  selectors: [
    { selector: "img", format: "words" },
    { selector: "a", options: { hideLinkHrefIfSameAsText: true } },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
})

/**
 * The text/plain alternative to HTML (RFC 2046 §5.1.4), for readers that show no HTML and filters that distrust mail
 * without text. null for HTML without text, and for HTML longer than `HTML_MAX_LENGTH`.
 */
export const textAlternative = (html: string): string | null => {
  if (html.length > HTML_MAX_LENGTH) return null
  const text = toText(html).trim()
  return text === "" ? null : text
}
