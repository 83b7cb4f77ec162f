/**
 * Tells the text of HTML that people see from the text that its styles hide. Follows elements with a stack of bounded depth,
 * so that it takes linear time for elements that nest or never close.
 */
import { voidElements, words } from "./markup.js"
import { declarationsOf, StyleRules } from "./styleSheets.js"
import { isHidden, isSameLook, type Look, lookOf, plainLook } from "./styles.js"

/** The attributes of a start tag that say how text looks, decoded. */
export interface LookAttributes {
  readonly id: string
  readonly class: string
  readonly style: string
  readonly color: string
  readonly bgcolor: string
  readonly background: string
  /** not empty when the attribute is there */
  readonly hidden: string
  readonly alt: string
}

export interface ShownText {
  /** text that people see, in order */
  readonly shown: ReadonlyArray<string>
  /** hidden text before the first word that people see: what lists of mail show beside the subject */
  readonly preheader: ReadonlyArray<string>
  /** hidden text after it */
  readonly hidden: ReadonlyArray<string>
  /** texts in place of images */
  readonly alternatives: ReadonlyArray<string>
  readonly hasImages: boolean
}

/** Open elements that are followed. Deeper ones look like the last of them. */
const DEPTH_MAX = 500
/** Open elements in which an end tag looks for its start tag. */
const SEARCHED_MAX = 60

/** Looks that are kept for the next element with the same attributes. */
const LOOKS_MAX = 2_000
/** Length of the key of an element without attributes that matter. */
const NO_ATTRIBUTES = 6

const unread = words("script title textarea template noframes noscript select option")
/** Elements whose text no program shows: what they show is drawn, or comes from elsewhere. */
const neverShown = words("dialog datalist noembed iframe canvas meter progress svg annotation")
/** Elements whose start ends an open one of the same kind, whose end tag may be left out (HTML §13.1.2.4). */
const selfEnding = words("p li dt dd tr td th option")
const hasWord = /[\p{L}\p{N}]/u

interface Element {
  readonly tag: string
  readonly look: Look
  readonly isUnread: boolean
}

export class TextLooks {
  private readonly elements: Array<Element> = []
  /** by the look outside and the attributes */
  private readonly looks = new Map<Look, Map<string, Look>>()
  private kept = 0
  /** open elements beyond `DEPTH_MAX` */
  private beyond = 0
  private sheet: Array<string> = []
  private readonly rules = new StyleRules()
  private inSheet = false
  private readonly shown: Array<string> = []
  private readonly preheader: Array<string> = []
  private readonly hidden: Array<string> = []
  private readonly alternatives: Array<string> = []
  private hasImages = false
  private isBegun = false

  start(tag: string, attributes: LookAttributes): void {
    if (tag === "style") {
      this.inSheet = true
      return
    }
    if (tag === "img") {
      this.hasImages = true
      if (attributes.alt !== "") this.alternatives.push(attributes.alt)
    }
    if (voidElements.has(tag)) return
    if (this.elements.length >= DEPTH_MAX) {
      this.beyond += 1
      return
    }
    if (selfEnding.has(tag) && this.elements.at(-1)?.tag === tag) this.elements.pop()
    const outer = this.elements.at(-1)
    const look = this.lookOf(outer?.look ?? plainLook, tag, attributes)
    this.elements.push({ tag, look, isUnread: outer?.isUnread === true || unread.has(tag) })
  }

  end(tag: string): void {
    if (tag === "style") {
      if (!this.inSheet) return
      this.inSheet = false
      this.rules.add(this.sheet.join(""))
      this.sheet = []
      return
    }
    if (this.beyond > 0) {
      this.beyond -= 1
      return
    }
    const lowest = Math.max(0, this.elements.length - SEARCHED_MAX)
    for (let at = this.elements.length - 1; at >= lowest; at--)
      if (this.elements[at]?.tag === tag) {
        this.elements.length = at
        return
      }
  }

  text(text: string): void {
    if (this.inSheet) {
      this.sheet.push(text)
      return
    }
    const element = this.elements.at(-1)
    if (element?.isUnread === true) return
    if (element === undefined || !isHidden(element.look)) {
      this.shown.push(text)
      if (!this.isBegun) this.isBegun = hasWord.test(text)
    } else if (this.isBegun) this.hidden.push(text)
    else this.preheader.push(text)
  }

  finish(): ShownText {
    const { shown, preheader, hidden, alternatives, hasImages } = this
    return { shown, preheader, hidden, alternatives, hasImages }
  }

  /** Elements of one kind have the same attributes again and again. */
  private lookOf(outer: Look, tag: string, attributes: LookAttributes): Look {
    const { style, color, bgcolor, background, hidden } = attributes
    const ruled = neverShown.has(tag) || this.rules.of(tag) !== undefined ? tag : ""
    const key = `${ruled}${style}\n${attributes.class}\n${attributes.id}\n${color}\n${bgcolor}\n${background}\n${hidden}`
    if (key.length === NO_ATTRIBUTES) return outer
    const known = this.looks.get(outer)?.get(key)
    if (known !== undefined) return known
    const computed = this.computed(outer, tag, attributes)
    const look = isSameLook(computed, outer) ? outer : computed
    if (this.kept < LOOKS_MAX) {
      this.kept += 1
      this.looks.set(outer, (this.looks.get(outer) ?? new Map<string, Look>()).set(key, look))
    }
    return look
  }

  private computed(outer: Look, tag: string, attributes: LookAttributes): Look {
    const { style, color, bgcolor, background, hidden } = attributes
    let look = outer
    // A style sheet may set the colours of a class in ways that are not read.
    if (this.rules.hasSheets && attributes.class !== "") look = { ...look, background: null }
    if (background !== "") look = { ...look, background: null }
    if (color !== "") look = lookOf(look, new Map([["color", color.toLowerCase()]]))
    if (bgcolor !== "") look = lookOf(look, new Map([["background-color", bgcolor.toLowerCase()]]))
    for (const name of this.rules.isEmpty ? [] : namesOf(tag, attributes)) {
      const rule = this.rules.of(name)
      if (rule !== undefined) look = lookOf(look, rule)
    }
    if (style !== "") look = lookOf(look, declarationsOf(style))
    return hidden === "" && !neverShown.has(tag) ? look : { ...look, isGone: true }
  }
}

/** The selectors of an element, for at most ten classes. */
const namesOf = (tag: string, attributes: LookAttributes): ReadonlyArray<string> => [
  tag,
  ...attributes.class
    .toLowerCase()
    .split(/\s+/, 10)
    .map((name) => `.${name}`),
  `#${attributes.id.toLowerCase()}`,
]
