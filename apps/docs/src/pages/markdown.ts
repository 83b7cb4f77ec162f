/** Markdown of the repository as pages: headings with anchors, highlighted code, links between pages. */
import { Marked, type Tokens } from "marked"
import { codeBlock } from "../site/highlight.js"
import { escapeHtml, textOf } from "../site/html.js"
import type { Heading, Page, SearchSection } from "../site/Page.js"
import { tableHtml } from "../site/table.js"
import { slugs } from "./slugs.js"
import { fence } from "./fences.js"

/** Resolves a link of a file to an address; throws for a file that does not exist. */
export type ResolveLink = (href: string) => string

export interface Source {
  readonly path: string
  readonly markdown: string
  readonly resolve: ResolveLink
}

const anchored = ({ id, level }: Heading, html: string): string =>
  level === 1
    ? `<h1>${html}</h1>`
    : `<h${level} id="${id}"><a class="anchor" href="#${id}">${html}</a></h${level}>`

const labels: Readonly<Record<string, string>> = {
  sh: "Commands",
  json: "JSON",
  js: "Program",
  ts: "Program",
}

const codeHtml = ({ text, lang = "" }: Tokens.Code): string => {
  const { language, output, file } = fence(lang)
  const label = output ? "Output" : (file ?? labels[language] ?? "Code")
  const caption = file === undefined ? "" : `<p class="file">${escapeHtml(file)}</p>`
  const block = `${caption}${codeBlock(text, language, label)}`
  return output ? `<div class="output">${block}</div>` : block
}

interface Section extends SearchSection {
  text: string
}

const firstSentence = (text: string): string => {
  const [sentence = ""] = /^.*?[.:](?=\s|$)/.exec(text.trim()) ?? [text.trim()]
  return sentence.length > 160 ? `${sentence.slice(0, 157)}…` : sentence
}

/** Renders a file. Its first heading is the title of the page. */
export const markdownPage = ({ path, markdown, resolve }: Source): Page => {
  const headings: Array<Heading> = []
  const sections: Array<Section> = []
  const slug = slugs()
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens)
        const text = textOf(html)
        const heading = { id: slug(text), text, level: depth }
        if (depth > 1) headings.push(heading)
        sections.push({ anchor: depth > 1 ? heading.id : "", heading: text, text: "" })
        return anchored(heading, html)
      },
      code: codeHtml,
      link({ href, tokens }) {
        return `<a href="${escapeHtml(resolve(href))}">${this.parser.parseInline(tokens)}</a>`
      },
      table(token) {
        const cells = (row: ReadonlyArray<Tokens.TableCell>, tag: string) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")
        const rows = token.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("")
        return tableHtml(cells(token.header, "th"), rows)
      },
      // Comments mark generated tables; the sources have no other HTML.
      html: ({ text }) => (text.trimStart().startsWith("<!--") ? "" : escapeHtml(text)),
    },
  })
  const html = marked.lexer(markdown).map((token) => {
    const part = marked.parser([token])
    const section = sections.at(-1)
    if (token.type !== "heading" && section !== undefined) section.text += ` ${textOf(part)}`
    return part
  })
  const [first] = sections
  if (first === undefined) throw new Error(`${path} has no title`)
  return {
    path,
    title: first.heading,
    description: firstSentence(first.text),
    html: html.join(""),
    headings,
    sections,
    layout: "text",
  }
}
