/**
 * Makes the HTML of a mail harmless: DOMPurify removes all but plain HTML; links open elsewhere, pictures come from the mail alone
 * unless remote ones were asked for. The nodes that were examined are those that are shown: nothing is parsed a second time, so
 * no text can become another tree. All of it happens in documents of the frame, under the frame's policy.
 */
import createPurifier, { type Config } from "dompurify"
import { allowedAttributes, allowedTags, imageSourceOf, linkOf } from "./allowed.js"
import { makeStyleFilter } from "./css.js"

export interface CleanMail {
  /** the mail's body, to be adopted by the frame's document */
  readonly body: HTMLElement
  /** images that wait for a file of the mail, with its Content-ID */
  readonly inlineImages: ReadonlyArray<{ readonly image: Element; readonly contentId: string }>
  /** how many images of the mail are elsewhere */
  readonly remoteImages: number
}

const config: Config & { RETURN_DOM: true } = {
  ALLOWED_TAGS: [...allowedTags],
  ALLOWED_ATTR: [...allowedAttributes],
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  // Styles in the head of the mail belong to what is shown.
  FORCE_BODY: true,
  RETURN_DOM: true,
}

interface SanitiseOptions {
  /** the window of the frame */
  readonly realm: Window & typeof globalThis
  readonly remoteImages: boolean
}

export const sanitise = (html: string, { realm, remoteImages }: SanitiseOptions): CleanMail => {
  const inlineImages: Array<{ image: Element; contentId: string }> = []
  let remote = 0
  const onRemoteImage = () => void remote++
  const styles = makeStyleFilter(realm, { remoteImages, onRemoteImage })

  /** What an attribute becomes; null removes it. */
  const attribute = (element: Element, name: string, value: string): string | null => {
    switch (name) {
      case "style":
        return styles.attribute(value)
      case "href":
        return element.localName === "a" ? linkOf(value) : null
      case "src":
      case "background": {
        const source = imageSourceOf(value)
        if (source?.kind === "remote") onRemoteImage()
        if (source?.kind === "inline" && name === "src")
          inlineImages.push({ image: element, contentId: source.contentId })
        return source?.kind === "data" || (source?.kind === "remote" && remoteImages) ? source.url : null
      }
      default:
        return value
    }
  }

  const purifier = createPurifier(realm)
  purifier.addHook("uponSanitizeElement", (node, { tagName }) => {
    if (tagName === "style") node.textContent = styles.sheet(node.textContent ?? "")
  })
  purifier.addHook("uponSanitizeAttribute", (element, event) => {
    const value = attribute(element, event.attrName, event.attrValue)
    if (value === null) event.keepAttr = false
    else event.attrValue = value
  })
  purifier.addHook("afterSanitizeAttributes", (element) => {
    if (element.localName !== "a") return
    element.setAttribute("target", "_blank")
    element.setAttribute("rel", "noopener noreferrer")
  })
  const body = purifier.sanitize(html, config)
  if (!(body instanceof realm.HTMLElement)) throw new Error("The sanitiser gave no element")
  if (body.dir === "") body.dir = "auto"
  return { body, inlineImages, remoteImages: remote }
}
