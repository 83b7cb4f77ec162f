/** The header fields of a draft that are text: its subject, what it says of itself as a machine's mail, its own. */
import { parseUrl } from "@mailroom/domain"
import type { MailDraft } from "@mailroom/engine"
import { isSendable, oneLine, unstructured } from "./headerText.js"

type Field = readonly [name: string, value: string]

/** Fields that the draft's own values or the composer write, and others that only a server writes. */
const reserved = new Set(
  (
    "from sender to cc bcc reply-to date message-id in-reply-to references subject mime-version " +
    "return-path received dkim-signature authentication-results"
  ).split(" "),
)

const isReserved = (name: string): boolean =>
  reserved.has(name) || name.startsWith("content-") || name.startsWith("resent-")

/** Printable ASCII as a URI may have it, the rest percent-encoded: nothing in it ends its angle brackets. */
const uri = (text: string): string =>
  oneLine(text).replace(/[^!#$%&'*+./0-9:;=?@A-Z[\]_a-z~-]/gu, (character) => encodeURIComponent(character))

/** RFC 2369 §3.2; and what a button may do at once, which only https may promise (RFC 8058 §3.1). */
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

/** What the draft says of itself (RFC 3834 §5). */
const machineFields = ({ autoSubmitted, listUnsubscribe }: MailDraft): ReadonlyArray<Field> => [
  ...(autoSubmitted === null ? [] : [["Auto-Submitted", autoSubmitted] as const]),
  ...(listUnsubscribe === null ? [] : unsubscribeFields(listUnsubscribe)),
]

/**
 * Written as they are, folded at spaces: the library would pass text that looks like an encoded word, and readers
 * would see what it encodes. A field of the draft's own gives way to one that something else in it writes.
 */
export const headerFields = (draft: MailDraft) => {
  const machine = machineFields(draft)
  const taken = new Set(machine.map(([name]) => name.toLowerCase()))
  const own = Object.entries(draft.headers).filter(([name, value]) => {
    const lower = name.toLowerCase()
    return value !== "" && /^[!-9;-~]+$/.test(name) && !isReserved(lower) && !taken.has(lower)
  })
  const text = [["Subject", draft.subject] as const, ...own].map(([name, value]): Field => [
    name,
    unstructured(value),
  ])
  return [...text.filter(([, value]) => value !== ""), ...machine].map(([key, value]) => ({
    key,
    value: { prepared: true, foldLines: true, value },
  }))
}
