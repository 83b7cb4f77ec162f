/** The text and the HTML of a body: those of its parts, in their order. */
import { htmlText, MAX_HTML } from "../reading/html.js"
import type { Line } from "../reading/lines.js"

/** A part as mailparser keeps it. */
export interface BodyPart {
  readonly contentType: string | false
  /** decoded; only of texts that are no files */
  readonly textContent?: string
  readonly children: ReadonlyArray<BodyPart>
}

/** Each is empty when the mail has none. */
export interface BodyTexts {
  readonly text: string
  readonly html: string
}

const contentOf = ({ contentType, textContent = "" }: BodyPart, type: string): string =>
  contentType === type ? textContent : ""

const hasPlain = (part: BodyPart): boolean =>
  contentOf(part, "text/plain").trim() !== "" || part.children.some(hasPlain)

/** With `>` before quotes, which plain text marks in no other way. */
const written = ({ text, role }: Line): string =>
  text !== "" && (role === "quote" || role === "history") ? `> ${text}` : text

const converted = (html: string): string => htmlText(html).lines.map(written).join("\n").trim()

const withoutSpaces = (text: string): string => text.replace(/\s+/g, "")

/**
 * HTML without a plain alternative is a part of the text, too: a mailing list appends a plain footer to it. Mail of HTML
 * alone has no text. All HTML that is converted has the length of one page, because that takes a second for 5 MB.
 */
export const bodyTexts = (root: BodyPart): BodyTexts => {
  const texts: Array<string> = []
  /** Some programs send the two forms of a body without saying that they are alternatives. */
  const plains = new Set<string>()
  const pages: Array<string> = []
  const isMixed = hasPlain(root)
  let room = MAX_HTML
  const add = (part: BodyPart, isSaid: boolean): void => {
    const plain = contentOf(part, "text/plain")
    const html = contentOf(part, "text/html")
    if (plain.trim() !== "") {
      texts.push(plain)
      plains.add(withoutSpaces(plain))
    }
    if (html !== "") pages.push(html)
    if (html !== "" && isMixed && !isSaid && room > 0) {
      const own = converted(html.slice(0, room))
      if (!plains.has(withoutSpaces(own))) texts.push(own)
      room -= html.length
    }
    const isSaidInside = isSaid || (part.contentType === "multipart/alternative" && hasPlain(part))
    for (const child of part.children) add(child, isSaidInside)
  }
  add(root, false)
  return { text: isMixed ? texts.join("\n") : "", html: pages.join("<br/>\n") }
}
