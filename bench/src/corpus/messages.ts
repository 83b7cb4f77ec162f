/** The messages of a corpus: which files they are, and what goes over the wire. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

export interface SourceMessage {
  /** path within the corpus */
  readonly name: string
  readonly path: string
  /** CRLF line ends, no mbox line */
  readonly bytes: Buffer
}

/** A text file is a message when it begins like one. */
const beginsWithHeader = /^(?:From |[!-9;-~]+:)/

const isMessage = (name: string, bytes: Buffer): boolean => {
  if (/\.(?:eml|msg|mbox)$/i.test(name)) return true
  if (!/(?:^|\/)[^.]+$|\.txt$/i.test(name) || /_decoded_|-summary\.txt$/i.test(name)) return false
  return beginsWithHeader.test(bytes.toString("latin1", 0, 200))
}

/** Line ends as CRLF, a lone CR left as it is; without the `From ` line of an mbox. */
export const asSent = (bytes: Buffer): Buffer => {
  const text = bytes.toString("latin1").replace(/^From .*\r?\n/, "")
  return Buffer.from(text.replace(/\r?\n/g, "\r\n"), "latin1")
}

/** What follows the 354: dots stuffed, and the end of data. */
export const dataOf = (bytes: Buffer): Buffer => {
  const text = bytes.toString("latin1")
  const whole = text === "" || text.endsWith("\r\n") ? text : `${text}\r\n`
  return Buffer.from(`${whole.replace(/^\./gm, "..")}.\r\n`, "latin1")
}

export const readCorpus = (folder: string): ReadonlyArray<SourceMessage> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .flatMap((name) => {
      const path = join(folder, name)
      if (!statSync(path).isFile()) return []
      const bytes = readFileSync(path)
      return isMessage(name, bytes) ? [{ name, path, bytes: asSent(bytes) }] : []
    })

/** Fields that change on a mail's way, with their continuation lines. */
const traceFields =
  /^(?:received|return-path|delivered-to|x-original-to|x-received):.*\r\n(?:[ \t].*\r\n)*/gim

/**
 * The messages that repeat an earlier one, and which. A mail with a Message-ID that comes again, the same but for its
 * trace, is stored once.
 */
export const repeatsIn = (messages: ReadonlyArray<SourceMessage>): ReadonlyMap<string, string> => {
  const first = new Map<string, string>()
  const repeats = new Map<string, string>()
  for (const { name, bytes } of messages) {
    const text = bytes.toString("latin1")
    const end = text.indexOf("\r\n\r\n")
    const header = (end === -1 ? text : text.slice(0, end + 2)).replace(traceFields, "")
    if (!/^message-id:.*\S/im.test(header)) continue
    const hash = createHash("sha256").update(header).update(text.slice(end)).digest("hex")
    const before = first.get(hash)
    if (before === undefined) first.set(hash, name)
    else repeats.set(name, before)
  }
  return repeats
}
