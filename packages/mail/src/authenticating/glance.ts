/** What the header of a mail says of its author and its signatures, as far as that needs no checking. */
import { readHeaderBlock } from "../parsing/headerBlock.js"
import { readHeaders } from "../parsing/headers.js"
import type { SignatureFindings } from "./findings.js"

/** As much of a header is read in the calling thread; a longer one is left to whoever checks signatures. */
const SMALL_HEADER_BYTES = 32 * 1024

/** Nobody who wants to be believed has a longer one, and the library takes too long for it. */
const HEADER_MAX_BYTES = 64 * 1024

/** Signatures of one mail that are looked at; nobody signs more often, and each costs a question and a computation. */
const SIGNATURES_MAX = 10

/** Of a mail that has more of everything than is looked at. */
const tooMuch = (from: ReadonlyArray<string>): SignatureFindings => ({
  from,
  dkim: [{ result: "permerror", domain: "" }],
  arc: null,
})

const headerLength = (raw: Uint8Array): number => {
  const start = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, HEADER_MAX_BYTES))
  const end = start.indexOf("\r\n\r\n")
  return end === -1 ? raw.byteLength : end
}

/** The findings, when no signature has to be checked for them; else null. */
export const glance = (raw: Uint8Array): SignatureFindings | null => {
  const length = headerLength(raw)
  if (length > HEADER_MAX_BYTES) return tooMuch([])
  if (length > SMALL_HEADER_BYTES) return null
  const header = Buffer.from(raw.buffer, raw.byteOffset, Math.min(length + 4, raw.byteLength))
  const { fields } = readHeaderBlock(header)
  const authors = readHeaders(
    fields.filter(({ name }) => name === "from"),
    null,
  )
  const from = authors.addresses("from").map(({ address }) => address)
  const signatures = fields.filter(({ name }) => name === "dkim-signature" || name === "arc-seal").length
  if (signatures === 0) return { from, dkim: [], arc: null }
  return signatures > SIGNATURES_MAX ? tooMuch(from) : null
}
