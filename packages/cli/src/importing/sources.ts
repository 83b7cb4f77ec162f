/** Where mails are imported from: an mbox file, or a Maildir. */
import { createReadStream } from "node:fs"
import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { failure } from "../CliError.js"
import { type MboxFormat, MboxSplitter } from "./Mbox.js"

/** Bytes of the largest mail that the service takes: 40 MB. */
export const MAIL_MAX_BYTES = 40 * 1024 * 1024

/** A mail to import. */
export interface FoundMail {
  /** where it is: its byte offset in the mbox, or its file in the Maildir */
  readonly position: string
  /** `tooLarge`: the service does not take it; `gone`: its file was removed since the source was opened */
  readonly raw: Buffer<ArrayBuffer> | "tooLarge" | "gone"
  readonly isRead: boolean
  readonly labels: ReadonlyArray<string>
  /** how much of the source is read with it, of `MailSource.size` */
  readonly done: number
}

export interface MailSource {
  /** bytes of the mbox, or files of the Maildir */
  readonly size: number
  /** The mails in the order of the source, read as they are asked for. */
  readonly mails: () => AsyncGenerator<FoundMail>
}

/** The mail with CRLF line ends, unless its first line has one. */
export const withCrlf = (raw: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> => {
  const end = raw.indexOf("\n")
  if (end === -1 || raw[end - 1] === 0x0d) return raw
  return Buffer.from(raw.toString("latin1").replaceAll(/\r?\n/g, "\r\n"), "latin1")
}

/** An mbox file. `from`: the byte offset of a mail to begin at. */
const mboxSource = (path: string, size: number, format: MboxFormat, from: string | undefined): MailSource => {
  const start = Number(from ?? 0)
  if (!Number.isSafeInteger(start) || start < 0 || start > size)
    throw failure(`There is no mail at ${from} in ${path}.`, "Pass a position that an import has printed.")
  return {
    size,
    mails: async function* () {
      const splitter = new MboxSplitter(format, MAIL_MAX_BYTES, start)
      let isEmpty = true
      const found = (mails: ReturnType<MboxSplitter["end"]>) => {
        isEmpty &&= mails.length === 0
        return mails.map(({ start, end, raw }): FoundMail => ({
          position: String(start),
          raw: raw ?? "tooLarge",
          isRead: true,
          labels: [],
          done: end,
        }))
      }
      for await (const chunk of createReadStream(path, { start })) yield* found(splitter.push(chunk))
      yield* found(splitter.end())
      if (isEmpty && start < size)
        throw failure(
          `${path} is no mbox file: no line begins a mail, as "From ada@example.org Fri Jan  5 10:00:00 2018" does.`,
          "Import single mails as a Maildir: a folder with an empty folder cur, and the mails in a folder new.",
        )
    },
  }
}

/** The letters behind the last `2,` of a file name (https://cr.yp.to/proto/maildir.html). */
const FLAGS = /[:;!]2,([A-Za-z]*)$/

/** A mail that was trashed but not removed, and one that was never sent. */
const SKIPPED = /[TD]/

const labelsOf: Readonly<Record<string, string>> = { F: "flagged", R: "answered" }

/** The part of `cur/<name>` or `new/<name>` that a mail keeps when a mail program changes its flags, or moves it from new to cur. */
const uniquePart = (file: string): string => file.slice(file.indexOf("/") + 1).replace(FLAGS, "")

/** The files of a Maildir. `new` is read first: a mail that moves to `cur` meanwhile is then not missed. */
const filesOf = async (path: string): Promise<ReadonlyArray<string>> => {
  const filesIn = async (folder: string) =>
    (await readdir(join(path, folder)))
      .filter((name) => !name.startsWith("."))
      .map((name) => `${folder}/${name}`)
  return [...(await filesIn("new")), ...(await filesIn("cur"))]
}

interface MaildirFile {
  /** its path in the Maildir now */
  readonly file: string
  readonly raw: Buffer<ArrayBuffer> | "tooLarge"
}

/** A file of a Maildir; undefined when no file has this name. */
const readMaildirFile = async (path: string, file: string): Promise<MaildirFile | undefined> => {
  try {
    const { size } = await stat(join(path, file))
    return { file, raw: size > MAIL_MAX_BYTES ? "tooLarge" : withCrlf(await readFile(join(path, file))) }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  }
}

/** Reads files of a Maildir whose names may change meanwhile. A file is undefined when it is gone. */
const maildirReader = (path: string): ((file: string) => Promise<MaildirFile | undefined>) => {
  /** the file of each unique part, as the folders were read last: they are large, and many files may have new names */
  let names: ReadonlyMap<string, string> | undefined
  const renamed = async (unique: string): Promise<MaildirFile | undefined> => {
    const isFresh = names === undefined
    names ??= new Map((await filesOf(path)).map((file) => [uniquePart(file), file]))
    const file = names.get(unique)
    if (file === undefined) return undefined
    const found = await readMaildirFile(path, file)
    if (found !== undefined || isFresh) return found
    names = undefined
    return renamed(unique)
  }
  return async (file) => (await readMaildirFile(path, file)) ?? renamed(uniquePart(file))
}

/**
 * A Maildir: `cur` and `new`, in the order of the unique parts. `from`: the file to begin at, as `cur/<name>`; its flags and its folder may
 * have changed.
 */
const maildirSource = async (path: string, from: string | undefined): Promise<MailSource> => {
  const files = (await filesOf(path))
    .map((file) => ({ file, unique: uniquePart(file) }))
    .toSorted((one, other) => (one.unique < other.unique ? -1 : 1))
  const first = from === undefined ? 0 : files.findIndex(({ unique }) => unique === uniquePart(from))
  if (first === -1)
    throw failure(`There is no file ${from} in ${path}.`, "Pass a position that an import has printed.")
  const read = maildirReader(path)
  return {
    size: files.length,
    mails: async function* () {
      for (const [index, { file: position }] of files.entries()) {
        if (index < first) continue
        const { file, raw } = (await read(position)) ?? { file: position, raw: "gone" }
        const flags = file.startsWith("cur/") ? (FLAGS.exec(file)?.[1] ?? "") : ""
        if (SKIPPED.test(flags)) continue
        yield {
          position,
          raw,
          isRead: flags.includes("S"),
          labels: flags.split("").flatMap((flag) => labelsOf[flag] ?? []),
          done: index + 1,
        }
      }
    },
  }
}

/** The source at a path: a folder is a Maildir, a file is an mbox. */
export const openSource = async (
  path: string,
  format: MboxFormat,
  from: string | undefined,
): Promise<MailSource> => {
  const found = await stat(path)
  if (!found.isDirectory()) return mboxSource(path, found.size, format, from)
  const folders = await readdir(path)
  if (!folders.includes("cur") || !folders.includes("new"))
    throw failure(`${path} is no Maildir: it has no folders cur and new.`, "Name a Maildir or an mbox file.")
  return maildirSource(path, from)
}
