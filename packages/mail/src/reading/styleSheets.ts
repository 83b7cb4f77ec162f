/** The rules and declarations of CSS, as far as they can hide text. Read in time linear in their length. */
import { words } from "./markup.js"

/** By name. A name with `!` before it says that the value of this name is important. */
export type Declarations = ReadonlyMap<string, string>

const noDeclarations: Declarations = new Map()

/** Without the escapes of CSS, which may stand for any letter of a name or a value (CSS Syntax 3 §4.3.7). */
const unescaped = (style: string): string =>
  style
    .replace(/\\([0-9a-f]{1,6})\s?/gi, (_, code: string) => {
      const point = Number.parseInt(code, 16)
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd"
    })
    .replace(/\\(.)/g, "$1")

/** Without comments. One that is not closed ends with the text (CSS Syntax 3 §4.3.2). */
const uncommented = (css: string): string => {
  const kept: Array<string> = []
  let at = 0
  for (let start = css.indexOf("/*"); start !== -1; start = css.indexOf("/*", at)) {
    kept.push(css.slice(at, start))
    const end = css.indexOf("*/", start + 2)
    at = end === -1 ? css.length : end + 2
  }
  return at === 0 ? css : kept.join("") + css.slice(at)
}

/** A declaration. A semicolon in quotes or in parentheses does not end it. */
const declarationPattern = /(?:[^;"'(]+|"[^"]*(?:"|$)|'[^']*(?:'|$)|\([^)]*(?:\)|$))+/g

const declarationsIn = (style: string): ReadonlyArray<string> =>
  /["'(]/.test(style) ? (style.match(declarationPattern) ?? []) : style.split(";")

/** The properties that can hide text. Others are not kept. */
const properties = words(
  "display visibility content-visibility opacity filter font font-size color -webkit-text-fill-color background " +
    "background-color background-image overflow overflow-x overflow-y height max-height width max-width position " +
    "left top right bottom inset margin-left margin-top text-indent translate transform scale clip clip-path",
)

const important = /!\s*important$/

const everywhere = "inherit|initial|unset|revert"
/** Values that programs know. They pass over any other, which then does not undo an earlier one. */
const knownValues: ReadonlyMap<string, RegExp> = new Map([
  [
    "display",
    new RegExp(
      `^(?:none|block|inline|flow-root|contents|list-item|flex|grid|ruby|table|inline-|table-|${everywhere})`,
    ),
  ],
  ["visibility", new RegExp(`^(?:visible|hidden|collapse|${everywhere})$`)],
  ["opacity", new RegExp(`^[-+.\\d]|\\(|^(?:${everywhere})$`)],
  ["font-size", new RegExp(`^[-+.\\d]|\\(|small|large|medium|^(?:${everywhere})$`)],
])

/** Characters of a value that are read. A rule can be applied to each element of a mail. */
const VALUE_MAX_LENGTH = 1000

/** The declarations of a `style`, names and values in lower case, without comments and escapes. The last of a name counts. */
export const declarationsOf = (style: string): Declarations => {
  if (style === "") return noDeclarations
  const found = new Map<string, string>()
  const clean = uncommented(style)
  const plain = clean.includes("\\") ? unescaped(clean) : clean
  for (const declaration of declarationsIn(plain.toLowerCase())) {
    const colon = declaration.indexOf(":")
    if (colon === -1) continue
    const name = declaration.slice(0, colon).trim()
    if (!properties.has(name)) continue
    const text = declaration.slice(colon + 1).trim()
    const isImportant = important.test(text)
    const value = (isImportant ? text.replace(important, "").trim() : text).slice(0, VALUE_MAX_LENGTH)
    if (knownValues.get(name)?.test(value) === false || (found.has(`!${name}`) && !isImportant)) continue
    found.set(name, value)
    if (isImportant) found.set(`!${name}`, "")
  }
  return found
}

/** One rule and another behind it: the last of a name counts, unless the first alone is important. */
const joined = (first: Declarations | undefined, second: Declarations): Declarations =>
  first === undefined
    ? second
    : new Map([...first, ...[...second].filter(([name]) => !first.has(`!${name}`) || second.has(`!${name}`))])

/** Characters of style sheets that are read, and rules that are kept. */
const SHEET_MAX = 100_000
const RULES_MAX = 1_000

/** What a rule for all elements of a name must not set: mail clients and other rules set colours in ways that are not read. */
const COLORS = ["color", "background", "background-color", "background-image"]

const withoutColors = (declarations: Declarations): Declarations =>
  new Map([...declarations].filter(([name]) => !COLORS.includes(name)))

/** A block of a style sheet that holds for every screen, so that its rules are read. */
const everyScreen =
  /^\s*@(?:media\s+(?:only\s+)?(?:screen|all)(?:\s+and\s*\(\s*min-(?:device-)?width\s*:\s*[01][a-z]*\s*\))?|supports[^{]*|layer[^{]*)\s*$/i
/** The selector before a block, without rules that have no block, such as `@import`, and the marks of an HTML comment. */
const selectorIn = (part: string): string => part.slice(part.lastIndexOf(";") + 1).replace(/<!--|-->/g, "")
/** A selector that ends in one class or id, or in the name of an element; the names of elements around it may come first. */
const selectorPattern = /^(?:[a-z0-9*]+ )*(?:(?:[a-z0-9]+)?([.#][\w-]+)|([a-z][a-z0-9]*))$/

/** The class with its dot, the id with its `#`, or the name of the elements that a selector is for; none for other selectors. */
const nameIn = (selector: string): string | undefined => {
  const [, name, element] =
    selectorPattern.exec(
      unescaped(selector)
        .trim()
        .replace(/\s*[>+~]\s*|\s+/g, " "),
    ) ?? []
  return name ?? element
}

/**
 * The rules of the style sheets of a mail for one class, one id or the elements of one name: `.name`, `#name` or `name`,
 * lower-case. Those inside of `@media` and the like are left out, unless they hold for every screen.
 */
export class StyleRules {
  private readonly rules = new Map<string, Declarations>()
  /** characters that may still be read */
  private left = SHEET_MAX

  /** whether the mail has a sheet, also one without a rule that is read */
  hasSheets = false

  get isEmpty(): boolean {
    return this.rules.size === 0
  }

  of(name: string): Declarations | undefined {
    return this.rules.get(name)
  }

  /** Adds the rules of one more sheet. Of all sheets together, `SHEET_MAX` characters and `RULES_MAX` names are read. */
  add(sheet: string): void {
    this.hasSheets = true
    const read = sheet.slice(0, this.left)
    this.left -= read.length
    /** the open blocks: `rule` has declarations, `read` rules that are read, `unread` others */
    const blocks: Array<"rule" | "read" | "unread"> = []
    /** how many of them are not `read` */
    let closed = 0
    let selector = ""
    for (const [part] of uncommented(read).matchAll(/[^{}]+|[{}]/g)) {
      if (this.rules.size >= RULES_MAX) break
      if (part === "{") {
        const block = !selector.includes("@") ? "rule" : everyScreen.test(selector) ? "read" : "unread"
        blocks.push(block)
        if (block !== "read") closed += 1
      } else if (part === "}") {
        const block = blocks.pop()
        if (block !== undefined && block !== "read") closed -= 1
      } else if (closed === 0) selector = selectorIn(part)
      else if (closed === 1 && blocks.at(-1) === "rule") this.addRule(selector, declarationsOf(part))
    }
  }

  private addRule(selectors: string, declarations: Declarations): void {
    for (const selector of selectors.toLowerCase().split(",")) {
      const name = nameIn(selector)
      if (name === undefined) continue
      const isForElements = !/^[.#]/.test(name)
      const added = isForElements ? withoutColors(declarations) : declarations
      this.rules.set(name, joined(this.rules.get(name), added))
    }
  }
}
