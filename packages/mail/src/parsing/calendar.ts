/** Invitations: a calendar part says what it asks for (RFC 6047 §2.4, RFC 5546 §1.4). */

const isMethod = (text: string): boolean => /^[A-Z][A-Z-]{1,30}$/.test(text)

/** REQUEST, REPLY, CANCEL and so on: as the part declares it, else as the calendar itself says; null without one. */
export const calendarMethod = (declared: string | undefined, bytes: Uint8Array): string | null => {
  const method = (declared ?? "").trim().toUpperCase()
  if (isMethod(method)) return method
  const head = Buffer.from(bytes.subarray(0, 2048)).toString("latin1")
  const written = /^METHOD:([A-Za-z-]+)\s*$/m.exec(head)?.[1]?.toUpperCase() ?? ""
  return isMethod(written) ? written : null
}
