/** How mail clients mark quotes, attributions and signatures in HTML. */

/** The content of an element. `rest`: everything from it on is history. `hidden`: no reader shows it. */
export type Meaning = "quote" | "attribution" | "signature" | "rest" | "hidden"

export const words = (list: string): ReadonlySet<string> => new Set(list.split(" "))

/** Elements without an end tag (HTML §13.1.2). */
export const voidElements = words("area base br col embed hr img input link meta source track wbr")

/** The attributes of a start tag that are read, decoded. */
export interface Attributes {
  readonly id: string
  readonly class: string
  readonly style: string
  readonly "data-marker": string
}

const classes: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  // Gmail, Thunderbird
  ["gmail_attr", "attribution"],
  ["moz-cite-prefix", "attribution"],
  ["gmail_signature", "signature"],
  ["gmail_signature_prefix", "signature"],
  ["moz-signature", "signature"],
  // Yahoo, Proton Mail, Tutanota, Zoho
  ["yahoo_quoted", "quote"],
  ["protonmail_quote", "quote"],
  ["tutanota_quote", "quote"],
  ["zmail_extra", "quote"],
  ["protonmail_signature_block", "signature"],
  // Apple Mail, Zendesk, Freshdesk, Front
  ["applemailsignature", "signature"],
  ["freshdesk_quote", "quote"],
  ["front-blockquote", "quote"],
])

const ids: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  // Outlook on the web, for Windows, macOS, iOS and Android
  ["divrplyfwdmsg", "rest"],
  ["appendonsend", "rest"],
  ["olk_src_body_section", "rest"],
  ["mail-editor-reference-message-container", "rest"],
  ["ms-outlook-mobile-signature", "signature"],
  ["ms-outlook-mobile-body-separator-line", "rest"],
  ["signature", "signature"],
  // Yahoo on Android, Apple Mail, NetEase
  ["ymail_android_signature", "signature"],
  ["applemailsignature", "signature"],
  ["isreplycontent", "rest"],
])

/** Zimbra. */
const markers: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ["__QUOTED_TEXT__", "rest"],
  ["__HEADERS__", "rest"],
  ["__SIG_PRE__", "signature"],
  ["__SIG_POST__", "signature"],
])

/** Removes the `x_` that Outlook puts before ids and classes, once for each time it quotes them. */
const name = (value: string): string => value.toLowerCase().replace(/^(?:x_)*/, "")

const isHidden = (style: string): boolean =>
  /(?:^|[;\s])(?:display\s?:\s?none|visibility\s?:\s?hidden)/i.test(style)

/** The meaning of an element; null without one. */
export const meaningOf = (tag: string, attributes: Attributes): Meaning | null => {
  const byTag = tag === "blockquote" ? "quote" : null
  // A quick exit: most tags have none of these attributes, and a mail can have a million tags.
  if (`${attributes.style}${attributes.class}${attributes.id}${attributes["data-marker"]}` === "")
    return byTag
  if (isHidden(attributes.style)) return "hidden"
  const byClass = attributes.class.split(/\s/).map((one) => classes.get(name(one)))
  return (
    byClass.find((meaning) => meaning !== undefined) ??
    ids.get(name(attributes.id)) ??
    markers.get(attributes["data-marker"]) ??
    byTag
  )
}
