/**
 * Reads HTML as lines and links. Uses only the tokenizer of htmlparser2, which has no stack and reads each character once:
 * elements that nest a hundred thousand deep or never close cost no more than text.
 */
import { Tokenizer } from "htmlparser2"
import type { Line, Role } from "./lines.js"
import { MAX_LINES, MAX_TEXT } from "./lines.js"
import { type Attributes, type Meaning, meaningOf, voidElements, words } from "./markup.js"
import { type LookAttributes, type ShownText, TextLooks } from "./shownText.js"

export interface Anchor {
  readonly href: string
  readonly text: string
  /** index of its first line */
  readonly line: number
}

export interface HtmlText {
  readonly lines: ReadonlyArray<Line>
  readonly anchors: ReadonlyArray<Anchor>
  /** the text by whether people see it */
  readonly looks: ShownText
}

/** UTF-16 units that are read; longer HTML mostly contains images as data URLs. */
export const MAX_HTML = 3_000_000
const MAX_ANCHORS = 2_000
const MAX_ANCHOR_TEXT = 400
const MAX_ATTRIBUTE = 4_000
/** Characters of an `alt` that is read as text: webmail turns emoji into images. */
const MAX_ALT_IN_TEXT = 8

const breaking = words(
  "address article aside blockquote body br center dd div dl dt fieldset figcaption figure footer form header hr html li " +
    "main nav ol p pre section table tbody tfoot thead tr ul h1 h2 h3 h4 h5 h6",
)
const spaced = words("p blockquote h1 h2 h3 h4 h5 h6 hr ul ol pre")
const unread = words("style script title textarea template noframes select")
const read = words("id class style data-marker href alt color bgcolor background hidden")

/** Invisible padding that senders put after the preview text. */
const padding = /^[\s\p{Default_Ignorable_Code_Point}]*$/u

/** An open element with a meaning. `depth` counts open elements of the same name, itself included. */
interface Region {
  readonly tag: string
  readonly meaning: Meaning
  depth: number
}

/** In order of precedence: a signature in a quote is quoted. */
const strength = ["quote", "attribution", "signature"] as const

/** Collects the lines and anchors while the tokenizer reads. */
class Page {
  readonly lines: Array<Line> = []
  readonly anchors: Array<Anchor> = []
  private readonly regions: Array<Region> = []
  private readonly open = new Map<Meaning, number>()
  private parts: Array<string> = []
  private length = 0
  private endsInSpace = true
  private anchor: { readonly href: string; text: string; readonly line: number } | null = null
  private preformatted = 0
  /** the rest of the page is history */
  private rest = false

  private is(meaning: Meaning): boolean {
    return (this.open.get(meaning) ?? 0) > 0
  }

  private get role(): Role {
    return this.rest ? "history" : (strength.find((meaning) => this.is(meaning)) ?? "text")
  }

  get isFull(): boolean {
    return this.lines.length >= MAX_LINES || this.length >= MAX_TEXT
  }

  text(text: string): void {
    if (this.is("hidden") || this.isFull) return
    if (this.preformatted > 0) {
      for (const [at, line] of text.split(/\r\n?|\n/, MAX_LINES).entries()) {
        if (at > 0) this.endLine(true)
        this.add(line)
      }
      return
    }
    const collapsed = /[\t\r\n\f]| {2}/.test(text) ? text.replace(/[ \t\r\n\f]+/g, " ") : text
    this.add(this.endsInSpace && collapsed.startsWith(" ") ? collapsed.slice(1) : collapsed)
  }

  private add(text: string): void {
    if (text === "") return
    this.parts.push(text)
    this.length += text.length
    this.endsInSpace = text.endsWith(" ")
    if (this.anchor !== null && this.anchor.text.length < MAX_ANCHOR_TEXT) this.anchor.text += text
  }

  /** `keepEmpty`: an empty line counts, for `<br>` and between paragraphs. */
  private endLine(keepEmpty: boolean): void {
    const joined = this.parts.join("")
    const text = padding.test(joined) ? "" : joined.replaceAll("\u00a0", " ").trimEnd()
    this.parts = []
    this.endsInSpace = true
    if (text === "" && !keepEmpty) return
    if (text === "" && this.lines.at(-1)?.text === "") return
    this.lines.push({ text, role: this.role })
    this.length += 1
    if (this.anchor !== null) this.anchor.text += " "
  }

  private endAnchor(): void {
    if (this.anchor !== null && this.anchors.length < MAX_ANCHORS) this.anchors.push(this.anchor)
    this.anchor = null
  }

  start(tag: string, attributes: Attributes & { readonly href: string; readonly alt: string }): void {
    const meaning = unread.has(tag) ? "hidden" : meaningOf(tag, attributes)
    if (breaking.has(tag)) this.endLine(tag === "br")
    if (spaced.has(tag)) this.endLine(true)
    if (tag === "li") this.text("- ")
    if (tag === "td" || tag === "th") this.text(" ")
    if (tag === "pre") this.preformatted += 1
    if (tag === "img") this.image(attributes.alt)
    if ((tag === "a" || tag === "area") && !this.is("hidden")) {
      this.endAnchor()
      if (attributes.href !== "") this.anchor = { href: attributes.href, text: "", line: this.lines.length }
      if (tag === "area") {
        if (this.anchor !== null) this.anchor.text = attributes.alt
        this.endAnchor()
      }
    }
    if (meaning === "rest") {
      this.endLine(false)
      this.rest = true
    }
    if (!voidElements.has(tag)) this.enter(tag, meaning)
  }

  private image(alt: string): void {
    if (this.is("hidden") || alt === "") return
    if (alt.length <= MAX_ALT_IN_TEXT && !/[\p{L}\p{N}]/u.test(alt)) this.text(alt)
    else if (this.anchor !== null && this.anchor.text.trim() === "")
      this.anchor.text = alt.slice(0, MAX_ANCHOR_TEXT)
  }

  private enter(tag: string, meaning: Meaning | null): void {
    const inner = this.regions.at(-1)
    if (meaning !== null && meaning !== "rest") {
      this.endLine(false)
      this.regions.push({ tag, meaning, depth: 1 })
      this.open.set(meaning, (this.open.get(meaning) ?? 0) + 1)
    } else if (inner?.tag === tag && tag !== "p") inner.depth += 1
  }

  end(tag: string): void {
    if (tag === "a") this.endAnchor()
    if (tag === "pre" && this.preformatted > 0) this.preformatted -= 1
    if (breaking.has(tag)) this.endLine(false)
    if (spaced.has(tag)) this.endLine(true)
    const inner = this.regions.at(-1)
    if (inner === undefined || inner.tag !== tag) return
    inner.depth -= 1
    if (inner.depth > 0) return
    this.endLine(false)
    this.regions.pop()
    this.open.set(inner.meaning, (this.open.get(inner.meaning) ?? 1) - 1)
  }

  finish(): Pick<HtmlText, "lines" | "anchors"> {
    this.endAnchor()
    this.endLine(false)
    return { lines: this.lines, anchors: this.anchors }
  }
}

const noAttributes = {
  id: "",
  class: "",
  style: "",
  "data-marker": "",
  href: "",
  alt: "",
  color: "",
  bgcolor: "",
  background: "",
  hidden: "",
} satisfies Attributes & LookAttributes & { readonly href: string; readonly alt: string }
const isRead = (name: string): name is keyof typeof noAttributes => read.has(name)

export const htmlText = (html: string): HtmlText => {
  const source = html.slice(0, MAX_HTML)
  const page = new Page()
  const looks = new TextLooks()
  const addText = (text: string) => {
    page.text(text)
    looks.text(text)
  }
  let tag = ""
  let attributes = { ...noAttributes }
  let name = ""
  let value: Array<string> = []
  const openTag = () => {
    page.start(tag, attributes)
    looks.start(tag, attributes)
    if (page.isFull) tokenizer.pause()
  }
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontext: (start, end) => addText(source.slice(start, end)),
      ontextentity: (code) => addText(String.fromCodePoint(code)),
      onopentagname: (start, end) => {
        tag = source.slice(start, Math.min(end, start + 20)).toLowerCase()
        attributes = { ...noAttributes }
      },
      onattribname: (start, end) => {
        name = source.slice(start, Math.min(end, start + 20)).toLowerCase()
        // An attribute without a value is there.
        value = name === "hidden" ? [name] : []
      },
      onattribdata: (start, end) => {
        if (isRead(name)) value.push(source.slice(start, end))
      },
      onattribentity: (code) => {
        if (isRead(name)) value.push(String.fromCodePoint(code))
      },
      onattribend: () => {
        // Of duplicate attributes, the first counts.
        if (isRead(name) && attributes[name] === "") attributes[name] = value.join("").slice(0, MAX_ATTRIBUTE)
      },
      onopentagend: openTag,
      onselfclosingtag: openTag,
      onclosetag: (start, end) => {
        const closed = source.slice(start, Math.min(end, start + 20)).toLowerCase()
        page.end(closed)
        looks.end(closed)
      },
      oncomment: () => {},
      oncdata: () => {},
      ondeclaration: () => {},
      onprocessinginstruction: () => {},
      onend: () => {},
    },
  )
  tokenizer.write(source)
  tokenizer.end()
  return { ...page.finish(), looks: looks.finish() }
}
