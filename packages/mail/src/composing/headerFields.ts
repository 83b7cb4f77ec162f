/**
 * The text header fields of a draft: its subject, those for automated and list mail, and its custom fields. Every string
 * becomes header text that cannot end its field or be decoded as something else.
 */
import { parseUrl } from "@mailroom/domain"
import type { MailDraft } from "@mailroom/engine"
import { encodeWord } from "nodemailer/lib/mime-funcs"

/** Replaces line ends, also those that only some readers know, by a space, and drops other control characters. */
export const oneLine = (value: string): string =>
  value
    .replace(/[\r\n\u0085\u2028\u2029]+/g, " ")
    .replace(/[\0-\u001f\u007f-\u009f]/g, "")
    .replace(/\p{Surrogate}/gu, "\ufffd")

/** Whether folding can keep lines within 998 characters (RFC 5322 §2.1.1). */
const isSendable = (value: string): boolean => !/[^ ]{900}/.test(value)

const isPlain = (value: string): boolean =>
  /^[\u0020-\u007e]*$/.test(value) &&
  isSendable(value) &&
  // Readers would decode plain text that looks like an encoded word.
  !value.includes("=?") &&
  // Folding does not keep runs of spaces.
  !/^ | {2}| $/.test(value)

/** An unstructured field (RFC 5322 §2.2.1): a subject, a custom header. */
const unstructured = (value: string): string => {
  const line = oneLine(value)
  return isPlain(line) ? line : encodeWord(line, "B", 52)
}

/** An address without characters that could end it or start another one. */
export const plainAddress = (address: string): string =>
  oneLine(address).replace(/[\s()<>[\]:;\\,"\u200e\u200f\u202a-\u202e]/g, "")

/** Breaks up what looks like an encoded word, because many readers decode one even inside quotes. */
export const quotable = (text: string): string => text.replaceAll("=?", "= ?")

/** A display name; nodemailer quotes it. */
export const displayName = (name: string | null): string =>
  quotable(oneLine(name ?? "").replace(/\s+/g, " ")).trim()

/** A message id in angle brackets, without spaces and brackets inside. */
export const messageId = (id: string): string => `<${oneLine(id).replace(/[\s<>]/g, "")}>`

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
