/** What the header of a mail says of its author and its signatures, as far as that needs no checking. */
import { isSigned, readHeaderBlock } from "../parsing/headerBlock.js"
import { readHeaders } from "../parsing/headers.js"
import type { SignatureFindings } from "./findings.js"

/** As much of a header is read in the calling thread; a longer one is left to whoever checks signatures. */
const SMALL_HEADER_BYTES = 32 * 1024

/** Who wrote the mail, without any signature. */
const unsigned = (raw: Buffer) => {
  const { fields } = readHeaderBlock(raw)
  const authors = readHeaders(
    fields.filter(({ name }) => name === "from"),
    null,
  )
  const from = authors.addresses("from").map(({ address }) => address)
  return { fields, findings: { from, dkim: [], arc: null } satisfies SignatureFindings }
}

/** The findings, when no signature has to be checked for them; else null. */
export const glance = (raw: Uint8Array): SignatureFindings | null => {
  const start = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, SMALL_HEADER_BYTES))
  const end = start.indexOf("\r\n\r\n")
  if (end === -1 && raw.byteLength > start.byteLength) return null
  const { fields, findings } = unsigned(end === -1 ? start : start.subarray(0, end + 4))
  return isSigned(fields) ? null : findings
}

/** What is said of a mail that has more of everything than is looked at. */
export const tooMuch = (raw: Buffer): SignatureFindings => ({
  ...unsigned(raw).findings,
  dkim: [{ result: "permerror", domain: "" }],
})
