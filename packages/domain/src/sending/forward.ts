/** The send body of a forward: comment, header block, original text and files (spec: decisions.messages.forward). */
import { Either } from "effect"
import { InvalidInput } from "../errors.js"
import { ATTACHMENTS_MAX_COUNT } from "../limits.js"
import { namedAddress } from "../mailboxes/address.js"
import { escapeHtml, textAsHtml } from "../messages/html.js"
import type { HeaderMap, MessageContent } from "../messages/Message.js"
import { toOneLine } from "../messages/oneLine.js"
import type { ForwardBody, SendBody } from "./send.js"
import { forwardSubject } from "../messages/subjects.js"

const RULE = "---------- Forwarded message ---------"

/** Names and values of the header block. Blind copies are not shown. */
const blockOf = (content: MessageContent, headers: HeaderMap): ReadonlyArray<readonly [string, string]> => {
  const [written] = [headers["date"] ?? []].flat()
  const date = written ?? new Date(content.receivedAt ?? content.createdAt).toUTCString()
  const lines = [
    ["From", namedAddress(content.fromAddress, content.fromName)],
    ["Date", date],
    ["Subject", content.subject],
    ["To", content.toAddresses.join(", ")],
    ["Cc", content.ccAddresses.join(", ")],
  ] as const
  return lines.map(([name, value]) => [name, toOneLine(value)] as const).filter(([, value]) => value !== "")
}

type Block = ReturnType<typeof blockOf>

const forwardedText = (comment: string, block: Block, original: string): string =>
  [
    ...(comment === "" ? [] : [comment, ""]),
    RULE,
    ...block.map(([name, value]) => `${name}: ${value}`),
    ...(original === "" ? [] : ["", original]),
  ].join("\n")

const forwardedHtml = (comment: string, block: Block, original: string): string => {
  const lines = [RULE, ...block.map(([name, value]) => `<b>${name}:</b> ${escapeHtml(value)}`)]
  return [comment, `<div>${lines.join("<br>\n")}</div>`, original]
    .filter((part) => part !== "")
    .join("\n<br>\n")
}

const orAsHtml = (html: string, text: string): string =>
  html !== "" || text === "" ? html : textAsHtml(text)

/** The files of the message first, each once. */
const filesOf = (content: MessageContent, added: NonNullable<ForwardBody["attachments"]>) => {
  const ids = content.attachments.map(({ id }) => id)
  const files = [...ids, ...added.filter((file) => typeof file !== "string" || !ids.includes(file))]
  if (files.length <= ATTACHMENTS_MAX_COUNT) return Either.right(files)
  const message = `with the message's own ${ids.length} these are ${files.length}; at most ${ATTACHMENTS_MAX_COUNT} are allowed`
  return Either.left(new InvalidInput({ issues: [{ path: "attachments", message }] }))
}

/**
 * The send body of a forward. It has HTML when the message or the comment has HTML. Its text shows the whole message, so
 * it has no text when the text of the message is unknown.
 */
export const forwardOf = (
  { content, headers }: { readonly content: MessageContent; readonly headers: HeaderMap },
  { bodyText: commentText = "", bodyHtml: commentHtml = "", attachments, ...body }: ForwardBody,
): Either.Either<SendBody, InvalidInput> =>
  Either.map(filesOf(content, attachments ?? []), (files) => {
    const block = blockOf(content, headers)
    const [text, html] = [content.bodyText ?? "", content.bodyHtml ?? ""]
    const hasHtml = html !== "" || commentHtml !== ""
    return {
      ...body,
      subject: forwardSubject(content.subject),
      ...((text !== "" || !hasHtml) && { bodyText: forwardedText(commentText, block, text) }),
      ...(hasHtml && {
        bodyHtml: forwardedHtml(orAsHtml(commentHtml, commentText), block, orAsHtml(html, text)),
      }),
      attachments: files,
    }
  })
