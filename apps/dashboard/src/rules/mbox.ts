/** Mail as an mbox file (RFC 4155), which other mail programs import. */

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const two = (value: number): string => String(value).padStart(2, "0")

/** The time of a separator line, in UTC as `asctime` writes it. */
const asctime = (time: Date): string =>
  `${DAYS[time.getUTCDay()]} ${MONTHS[time.getUTCMonth()]} ${String(time.getUTCDate()).padStart(2, " ")} ` +
  `${two(time.getUTCHours())}:${two(time.getUTCMinutes())}:${two(time.getUTCSeconds())} ${time.getUTCFullYear()}`

const LF = 0x0a
const CR = 0x0d
const QUOTE = 0x3e
const FROM = [0x46, 0x72, 0x6f, 0x6d, 0x20]

/** Whether the line at `start` begins with `From `, or with that after some `>`, which would end the mail for a reader. */
const isSeparator = (raw: Uint8Array, start: number): boolean => {
  let at = start
  while (raw[at] === QUOTE) at++
  return FROM.every((byte, index) => raw[at + index] === byte)
}

/** A mail of an mbox file: the separator, then the mail with Unix line ends and quoted `From ` lines (variant "mboxrd"). */
export const mboxEntry = (raw: Uint8Array, from: string, at: Date): Uint8Array<ArrayBuffer> => {
  const head = new TextEncoder().encode(
    `From ${from.replaceAll(/\s/g, "") || "MAILER-DAEMON"} ${asctime(at)}\n`,
  )
  const isQuoted = (index: number) => (index === 0 || raw[index - 1] === LF) && isSeparator(raw, index)
  let quotes = 0
  for (let index = 0; index < raw.length; index++) if (isQuoted(index)) quotes++
  // Room for the quotes, the last line end and the empty line.
  const entry = new Uint8Array(head.length + raw.length + quotes + 2)
  entry.set(head)
  let end = head.length
  for (let index = 0; index < raw.length; index++) {
    if (isQuoted(index)) entry[end++] = QUOTE
    if (raw[index] === CR && raw[index + 1] === LF) continue
    entry[end++] = raw[index] ?? 0
  }
  if (entry[end - 1] !== LF) entry[end++] = LF
  entry[end++] = LF
  return entry.slice(0, end)
}
