/** The fields of a report part (RFC 3464 §2.1, RFC 5965 §3): like header fields, in groups. Lenient and linear. */
import { decodeUndeclared, wellFormed } from "../parsing/charsets.js"

/** What of a part is read: hundreds of recipients, each with a long answer. */
const PART_MAX_BYTES = 256 * 1024

const VALUE_MAX_LENGTH = 4096

export interface ReportField {
  /** lower-case */
  readonly name: string
  /** unfolded, trimmed */
  readonly value: string
  /** an empty line stands before it */
  readonly startsGroup: boolean
}

export const partText = (bytes: Uint8Array): string =>
  wellFormed(decodeUndeclared(bytes.subarray(0, PART_MAX_BYTES)))

const fieldLine = /^([!-9;-~]{1,80})[ \t]*:(.*)$/

/** All that looks like a field. A line that does not is left out. */
export const readReportFields = (text: string): ReadonlyArray<ReportField> => {
  const fields: Array<{ name: string; value: string; startsGroup: boolean }> = []
  let startsGroup = true
  for (const line of text.split(/\r\n|\r|\n/)) {
    const field = fields.at(-1)
    const [, name, value = ""] = fieldLine.exec(line.slice(0, VALUE_MAX_LENGTH)) ?? []
    if (line.trim() === "") startsGroup = true
    else if (/^[ \t]/.test(line)) {
      const folded = `${field?.value ?? ""} ${line.slice(0, VALUE_MAX_LENGTH).trim()}`
      if (field !== undefined && !startsGroup) field.value = folded.slice(0, VALUE_MAX_LENGTH)
    } else if (name !== undefined) {
      fields.push({ name: name.toLowerCase(), value: value.trim(), startsGroup })
      startsGroup = false
    }
  }
  return fields
}
