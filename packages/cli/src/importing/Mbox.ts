/** Splits an mbox file into mails, chunk by chunk (RFC 4155). */

/** How lines that begin with `From ` are quoted: in mboxrd those that are quoted already get one more `>`, in mboxo none. */
export type MboxFormat = "mboxrd" | "mboxo"

/** A mail in a file. */
export interface MboxMail {
  /** byte offset of its `From ` line */
  readonly start: number
  /** byte offset behind it */
  readonly end: number
  /** with CRLF line ends; null for a mail that is larger than `mostBytes` */
  readonly raw: Buffer<ArrayBuffer> | null
}

const LF = 0x0a
const CR = 0x0d
const CRLF = Buffer.from("\r\n")

/** Bytes of a line that are looked at together. The rest of a longer line follows as a part of it. */
const LINE_PART_BYTES = 64 * 1024

/** A line that begins a mail has a time: text that an author has not quoted may begin with `From `, too. */
const SEPARATOR = /^From .*\d:\d\d/

const quotes: Readonly<Record<MboxFormat, RegExp>> = { mboxrd: /^>+From /, mboxo: /^>From / }

const textOf = (line: Buffer): string => line.toString("latin1", 0, 200)

/** Bytes that a mail gets room for at first. */
const FIRST_ROOM = 64 * 1024

/** A mail whose lines are being read. Its room doubles as it grows, so that small lines cost no object each. */
interface OpenMail {
  readonly start: number
  room: Buffer<ArrayBuffer>
  bytes: number
  isTooLarge: boolean
}

const append = (mail: OpenMail, part: Uint8Array): void => {
  if (mail.bytes + part.length > mail.room.length) {
    const larger = Buffer.allocUnsafe(Math.max(2 * mail.room.length, mail.bytes + part.length))
    mail.room.copy(larger, 0, 0, mail.bytes)
    mail.room = larger
  }
  mail.room.set(part, mail.bytes)
  mail.bytes += part.length
}

/**
 * Takes a file by `push`, then `end`; both return the mails that are complete. Holds one mail and one chunk in memory. `start` is
 * the offset of the first byte that is pushed. Bytes before the first `From ` line are skipped.
 */
export class MboxSplitter {
  private pending: Buffer = Buffer.alloc(0)
  /** offset of `pending` */
  private position: number
  private mail: OpenMail | null = null
  /** whether the line before was empty, or there was none */
  private isAfterEmpty = true
  /** whether the next part continues a line, and whether the part before ended with CR */
  private continues = false
  private endedWithCr = false
  private readonly found: Array<MboxMail> = []

  constructor(
    private readonly format: MboxFormat,
    private readonly mostBytes: number,
    start = 0,
  ) {
    this.position = start
  }

  push(chunk: Uint8Array): ReadonlyArray<MboxMail> {
    this.pending = Buffer.concat([this.pending, chunk])
    let from = 0
    for (;;) {
      const at = this.pending.indexOf(LF, from)
      if (at === -1) break
      this.take(this.pending.subarray(from, at + 1))
      from = at + 1
    }
    if (this.pending.length - from > LINE_PART_BYTES) {
      this.take(this.pending.subarray(from))
      from = this.pending.length
    }
    this.pending = this.pending.subarray(from)
    return this.found.splice(0)
  }

  end(): ReadonlyArray<MboxMail> {
    if (this.pending.length > 0) this.take(this.pending)
    this.close()
    return this.found.splice(0)
  }

  /** Takes a line with its end, or a part of a line. */
  private take(line: Buffer): void {
    const isStart = !this.continues
    this.continues = line.at(-1) !== LF
    if (isStart && this.isAfterEmpty && SEPARATOR.test(textOf(line))) {
      this.close()
      this.mail = {
        start: this.position,
        room: Buffer.allocUnsafe(FIRST_ROOM),
        bytes: 0,
        isTooLarge: false,
      }
      this.isAfterEmpty = false
    } else {
      const isQuoted = isStart && quotes[this.format].test(textOf(line))
      this.add(isQuoted ? line.subarray(1) : line)
      this.isAfterEmpty = isStart && (line.length === 1 || (line.length === 2 && line[0] === CR))
    }
    this.endedWithCr = line.at(-1) === CR
    this.position += line.length
  }

  private add(line: Buffer): void {
    const { mail } = this
    if (mail === null || mail.isTooLarge) return
    const isBareLf = line.at(-1) === LF && (line.length > 1 ? line.at(-2) !== CR : !this.endedWithCr)
    append(mail, isBareLf ? line.subarray(0, -1) : line)
    if (isBareLf) append(mail, CRLF)
    // The empty line before the next mail is not a part of this one.
    if (mail.bytes > this.mostBytes + CRLF.length) {
      mail.isTooLarge = true
      mail.room = Buffer.alloc(0)
    }
  }

  private close(): void {
    const { mail } = this
    if (mail === null) return
    const bytes = mail.bytes - (this.isAfterEmpty ? CRLF.length : 0)
    const isTooLarge = mail.isTooLarge || bytes > this.mostBytes
    this.found.push({
      start: mail.start,
      end: this.position,
      raw: isTooLarge ? null : mail.room.subarray(0, bytes),
    })
    this.mail = null
  }
}
