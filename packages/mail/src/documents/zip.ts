/** Files of a ZIP archive in memory, with bounds on their number and their size. */
import { type Entry, fromBuffer, type ZipFile } from "yauzl"
import { Unreadable } from "./collect.js"

/** Entries of an archive. A presentation of 1,000 slides has some 5,000. */
const ENTRIES_MAX = 20_000
/** Inflated bytes of one file, and of all files that are read. A text of 2,000,000 characters has some 40 MB of markup. */
const ENTRY_MAX_BYTES = 64 * 1024 * 1024
const ALL_MAX_BYTES = 128 * 1024 * 1024

export interface Archive {
  readonly names: ReadonlyArray<string>
  /** null without a file of this name. Throws `Unreadable` for an encrypted file, and beyond the limits. */
  readonly read: (name: string) => Promise<string | null>
}

const opened = (bytes: Uint8Array): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    fromBuffer(buffer, { lazyEntries: true, autoClose: false }, (error, zip) =>
      error === null ? resolve(zip) : reject(error),
    )
  })

const entriesOf = (zip: ZipFile): Promise<ReadonlyMap<string, Entry>> =>
  new Promise((resolve, reject) => {
    const entries = new Map<string, Entry>()
    zip.on("entry", (entry: Entry) => {
      if (entries.size >= ENTRIES_MAX) reject(new Unreadable("too large"))
      else {
        if (!entries.has(entry.fileName)) entries.set(entry.fileName, entry)
        zip.readEntry()
      }
    })
    zip.on("end", () => resolve(entries))
    zip.on("error", reject)
    zip.readEntry()
  })

/** Fails when a file inflates to another size than it declares. */
const inflated = (zip: ZipFile, entry: Entry): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error !== null) {
        reject(error)
        return
      }
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => resolve(Buffer.concat(chunks)))
      stream.on("error", reject)
    })
  })

const decoded = (bytes: Buffer): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes)
  return bytes.toString("utf8")
}

export const openArchive = async (bytes: Uint8Array): Promise<Archive> => {
  const zip = await opened(bytes)
  const entries = await entriesOf(zip)
  let left = ALL_MAX_BYTES
  return {
    names: [...entries.keys()],
    read: async (name) => {
      const entry = entries.get(name)
      if (entry === undefined) return null
      if (entry.isEncrypted()) throw new Unreadable("encrypted")
      left -= entry.uncompressedSize
      if (entry.uncompressedSize > ENTRY_MAX_BYTES || left < 0) throw new Unreadable("too large")
      return decoded(await inflated(zip, entry))
    },
  }
}
