/** Previews: what a list shows of a mail instead of its bodies, for readers of few bytes (docs/decisions/0079). */
import type { DraftListItem } from "../drafts/Draft.js"
import { truncated } from "../unicode.js"
import type { MessageListItem } from "./Message.js"
import { textOf } from "./textOf.js"

/** Characters of a preview's text; more than a row of a list is wide. */
export const PREVIEW_MAX_LENGTH = 200

/** The beginning of a text, in one line. */
export const previewText = (text: string): string => {
  const line = text
    .trimStart()
    .slice(0, 2 * PREVIEW_MAX_LENGTH)
    .replace(/\s+/g, " ")
  return truncated(line, PREVIEW_MAX_LENGTH).trimEnd()
}

const beginningOf = (text: string | null): string | null => (text === null ? null : previewText(text))

/** What a preview changes in a draft. */
type DraftBodies = Pick<DraftListItem, "bodyText" | "bodyHtml" | "truncated">

export const previewOfDraft = <Item extends DraftBodies>(draft: Item): Item & DraftBodies => ({
  ...draft,
  bodyText: beginningOf(textOf(draft)),
  bodyHtml: null,
  truncated: true,
})

/** What a preview changes in a message. */
type MessageBodies = DraftBodies & Pick<MessageListItem, "extractedText" | "links" | "references">

/** The text is that of its author, where it has such, without what it quotes. */
export const previewOfMessage = <Item extends MessageBodies>(message: Item): Item & MessageBodies => {
  const { extractedText } = message
  const hasNew = extractedText !== null && extractedText.trim() !== ""
  return {
    ...message,
    bodyText: beginningOf(hasNew ? extractedText : textOf(message)),
    bodyHtml: null,
    extractedText: null,
    links: [],
    references: [],
    truncated: true,
  }
}
