/** The text header fields of a draft: its subject, those for automated and list mail, and its custom fields. */
import { parseUrl } from "@mailroom/domain"
import type { MailDraft } from "@mailroom/engine"
import { isSendable, oneLine, unstructured } from "./headerText.js"

type Field = readonly [name: string, value: string]

/** Fields that other values of the draft, the composer or a mail server write. */
const reserved = new Set(
  (
    "from sender to cc bcc reply-to date message-id in-reply-to references subject mime-version " +
    "return-path received dkim-signature authentication-results"
  ).split(" "),
)

const isReserved = (name: string): boolean =>
  reserved.has(name) || name.startsWith("content-") || name.startsWith("resent-")

/** Percent-encodes every character that a URI may not have, so that none ends the angle brackets around it. */
const uri = (text: string): string =>
  oneLine(text).replace(/[^!#$%&'*+./0-9:;=?@A-Z[\]_a-z~-]/gu, (character) => encodeURIComponent(character))

/** List-Unsubscribe (RFC 2369 §3.2), and one-click unsubscribing, for which RFC 8058 §3.1 requires https. */
const unsubscribeFields = ({
  mailto,
  url,
}: NonNullable<MailDraft["listUnsubscribe"]>): ReadonlyArray<Field> => {
  const address = uri(url ?? "")
  const protocol = parseUrl(address)?.protocol ?? ""
  const isUsable = (protocol === "https:" || protocol === "http:") && isSendable(address)
  const places = [...(isUsable ? [address] : []), `mailto:${uri(mailto)}`]
  return [
    ["List-Unsubscribe", places.map((place) => `<${place}>`).join(", ")],
    ...(isUsable && protocol === "https:"
      ? [["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"] as const]
      : []),
  ]
}

/** Auto-Submitted (RFC 3834 §5) and the fields for unsubscribing. */
const automationFields = ({ autoSubmitted, listUnsubscribe }: MailDraft): ReadonlyArray<Field> => [
  ...(autoSubmitted === null ? [] : [["Auto-Submitted", autoSubmitted] as const]),
  ...(listUnsubscribe === null ? [] : unsubscribeFields(listUnsubscribe)),
]

/**
 * Prepared here and folded at spaces: nodemailer would pass on text that looks like an encoded word, and readers would
 * see it decoded. Drops a custom field that another value of the draft writes.
 */
export const headerFields = (draft: MailDraft) => {
  const automation = automationFields(draft)
  const taken = new Set(automation.map(([name]) => name.toLowerCase()))
  const own = Object.entries(draft.headers).filter(([name, value]) => {
    const lower = name.toLowerCase()
    return value !== "" && /^[!-9;-~]+$/.test(name) && !isReserved(lower) && !taken.has(lower)
  })
  const text = [["Subject", draft.subject] as const, ...own].map(([name, value]): Field => [
    name,
    unstructured(value),
  ])
  return [...text.filter(([, value]) => value !== ""), ...automation].map(([key, value]) => ({
    key,
    value: { prepared: true, foldLines: true, value },
  }))
}
