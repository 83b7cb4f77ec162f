/** The elements and attributes of HTML that a mail may have. Whatever is not here is removed; its text stays. */

export const allowedTags: ReadonlyArray<string> = (
  "a abbr acronym address article aside b bdi bdo big blockquote body br caption center cite code col colgroup dd del " +
  "details dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li mark " +
  "menu nav nobr ol p pre q rp rt ruby s samp section small span strike strong style sub summary sup table tbody td " +
  "tfoot th thead time tr tt u ul var wbr"
).split(" ")

/** `name` is missing because an element with one hides a property of its document. */
export const allowedAttributes: ReadonlyArray<string> = (
  "align alt abbr background bgcolor border cellpadding cellspacing class clear color colspan datetime dir face headers " +
  "height href hspace id lang noshade nowrap open reversed rowspan rules scope size span src start style summary text " +
  "title type valign value vspace width"
).split(" ")

/** Schemes of links that may be followed. */
const LINKS = /^(?:https?|mailto):$/

/** The address of a link, as the browser understands it; null for one that is not followed, such as `javascript:` or `#top`. */
export const linkOf = (href: string): string | null => {
  if (!URL.canParse(href)) return null
  const url = new URL(href)
  return LINKS.test(url.protocol) ? url.href : null
}

export type ImageSource =
  /** a file of the mail, by its Content-ID */
  | { readonly kind: "inline"; readonly contentId: string }
  | { readonly kind: "data"; readonly url: string }
  /** somewhere else, asked for by https */
  | { readonly kind: "remote"; readonly url: string }

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Where an image comes from; null when it cannot be shown. */
export const imageSourceOf = (src: string): ImageSource | null => {
  const text = src.trim()
  const url = text.startsWith("//") ? `https:${text}` : text
  if (!URL.canParse(url)) return null
  const { href, protocol } = new URL(url)
  switch (protocol) {
    case "cid:":
      return { kind: "inline", contentId: decoded(href.slice("cid:".length)) }
    case "data:":
      return /^data:image\//i.test(href) ? { kind: "data", url: href } : null
    case "http:":
    case "https:":
      return { kind: "remote", url: href.replace(/^http:/, "https:") }
    default:
      return null
  }
}
