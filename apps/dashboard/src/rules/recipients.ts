/** Recipients as people write them: one or several, with or without names. */

export interface Recipient {
  readonly address: string
  /** null without a display name */
  readonly name: string | null
}

/** Recipients that a mail may have in To, Cc or Bcc each. */
export const RECIPIENTS_MAX = 50

/** The separators of a list: commas, semicolons and line breaks, but not those inside of quotes or angle brackets. */
const parts = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let part = ""
  let closes: string | null = null
  for (const letter of text) {
    if (closes === null && /[,;\n\r]/.test(letter)) {
      found.push(part)
      part = ""
      continue
    }
    if (letter === closes) closes = null
    else if (closes === null && letter === '"') closes = '"'
    else if (closes === null && letter === "<") closes = ">"
    part += letter
  }
  return [...found, part].map((one) => one.trim()).filter((one) => one !== "")
}

/** The recipients in a text that was typed or pasted. Bare addresses may stand apart by spaces, too. */
export const splitRecipients = (text: string): ReadonlyArray<string> =>
  parts(text).flatMap((part) => {
    const words = part.split(/\s+/)
    return words.length > 1 && words.every(isAddress) ? words : [part]
  })

/** `Ada <ada@example.org>` or `"Doe, Ada" <ada@example.org>`; any other text is an address. */
export const recipientOf = (text: string): Recipient => {
  const found = /^(.*)<([^<>]*)>$/s.exec(text.trim())
  if (found === null) return { address: text.trim(), name: null }
  const written = (found[1] ?? "").trim()
  const name = /^".*"$/s.test(written) ? written.slice(1, -1).replaceAll(/\\(.)/gs, "$1") : written
  return { address: (found[2] ?? "").trim(), name: name === "" ? null : name }
}

/** The text of a recipient, which the service and `recipientOf` read. */
export const recipientText = ({ address, name }: Recipient): string =>
  name === null
    ? address
    : `"${name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").replaceAll(/["\\]/g, String.raw`\$&`)}" <${address}>`

/** Whether a text looks like an address. The service has the last word. */
export const isAddress = (text: string): boolean =>
  text.length <= 254 && /^[^\s@<>()[\]",:;\\]{1,64}@[^\s@<>()[\]",:;\\]+\.[^\s@<>()[\]",:;\\.]+$/u.test(text)

/** The form in which addresses are compared. Longer text is no address, and accents may take quadratic time to compose. */
export const sameAddress = (text: string): string => {
  const { address } = recipientOf(text)
  return address.length > 254 ? address : address.toLowerCase().normalize("NFC")
}

export const isRecipient = (text: string): boolean => isAddress(recipientOf(text).address)

/** The list with more recipients at its end, each address once. */
export const withRecipients = (
  list: ReadonlyArray<string>,
  added: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const seen = new Set(list.map(sameAddress))
  const fresh = added.filter((text) => {
    const address = sameAddress(text)
    if (seen.has(address)) return false
    seen.add(address)
    return true
  })
  return [...list, ...fresh]
}

/** What is wrong with a list of recipients, in words; undefined when nothing is. */
export const recipientsIssue = (list: ReadonlyArray<string>): string | undefined => {
  const wrong = list.find((text) => !isRecipient(text))
  if (wrong !== undefined) return `“${wrong}” is not a mail address. Correct or remove it.`
  return list.length > RECIPIENTS_MAX
    ? `These are ${list.length} recipients. At most ${RECIPIENTS_MAX} are allowed here.`
    : undefined
}
