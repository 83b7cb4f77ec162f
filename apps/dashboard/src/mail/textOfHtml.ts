/** The text of a mail that is HTML alone, to write on. The document is parsed apart from the page: nothing in it runs or loads. */

const BLOCKS = "p,div,h1,h2,h3,h4,h5,h6,li,tr,blockquote,pre,table,ul,ol"

export const textOfHtml = (html: string): string => {
  const parsed = new DOMParser().parseFromString(html, "text/html")
  for (const hidden of parsed.querySelectorAll("script,style,head,template")) hidden.remove()
  for (const line of parsed.querySelectorAll("br")) line.replaceWith("\n")
  for (const block of parsed.querySelectorAll(BLOCKS)) block.append("\n")
  return (parsed.body.textContent ?? "")
    .replaceAll(/[ \t\u00a0]+/g, " ")
    .replaceAll(/ ?\n ?/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()
}
