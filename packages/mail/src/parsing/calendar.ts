/** Invitations: a calendar part says what it asks for (RFC 6047 §2.4, RFC 5546 §1.4). */
import type { StructuredField } from "./parameters.js"

const isMethod = (text: string): boolean => /^[A-Z][A-Z-]{1,30}$/.test(text)

/** REQUEST, REPLY, CANCEL and so on: as the part declares it, else as the calendar itself says; null without one. */
export const calendarMethod = (contentType: StructuredField, bytes: Uint8Array): string | null => {
  const declared = contentType.parameter("method")?.toUpperCase() ?? ""
  if (isMethod(declared)) return declared
  const head = Buffer.from(bytes.subarray(0, 2048)).toString("latin1")
  const written = /^METHOD:([A-Za-z-]+)\s*$/m.exec(head)?.[1]?.toUpperCase() ?? ""
  return isMethod(written) ? written : null
}
