/** Paragraphs that were broken for the way (RFC 3676, format=flowed), in one line again. */

/** Longer text is no letter, and stays as it is. */
const MAX_LENGTH = 1024 * 1024

/**
 * A line that ends with a space goes on in the next, except the line before a signature. Quoted lines stay as they
 * are: what they were broken from, those who quoted them no longer say reliably.
 */
export const unflowed = (text: string, deletesSpace: boolean): string => {
  if (text.length > MAX_LENGTH) return text
  const out: Array<string> = []
  let paragraph = ""
  for (const line of text.split("\n")) {
    const isQuoted = line.startsWith(">")
    const content = line.startsWith(" ") ? line.slice(1) : line
    if (isQuoted || content === "-- ") {
      if (paragraph !== "") out.push(paragraph)
      paragraph = ""
      out.push(content)
    } else if (content.endsWith(" ")) paragraph += deletesSpace ? content.slice(0, -1) : content
    else {
      out.push(paragraph + content)
      paragraph = ""
    }
  }
  if (paragraph !== "") out.push(paragraph)
  return out.join("\n")
}
