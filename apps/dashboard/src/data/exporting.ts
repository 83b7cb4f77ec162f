/** The mail of a mailbox as a file that other mail programs import. */
import type { Mailbox } from "@mailroom/client"
import { mboxEntry } from "../rules/mbox.js"
import { mailroom } from "./client.js"

/** Mails that are loaded at once. */
const AT_ONCE = 4
/** Bytes after which a part of the file is given to the browser, which may keep it on disk. */
const PART = 8 * 1024 * 1024

/** Loads every visible mail of a mailbox, quarantined ones too, oldest first. `onProgress` gets the number of mails so far. */
export const exportMailbox = async (
  { id }: Mailbox,
  onProgress: (mails: number) => void,
  signal: AbortSignal,
): Promise<Blob> => {
  const parts: Array<Blob> = []
  let pending: Array<Uint8Array<ArrayBuffer>> = []
  let size = 0
  let mails = 0
  const keep = () => {
    parts.push(new Blob(pending))
    pending = []
    size = 0
  }
  let page = await mailroom.messages.list(
    id,
    { order: "asc", limit: 100, include: "quarantined" },
    { signal },
  )
  for (;;) {
    for (let at = 0; at < page.items.length; at += AT_ONCE) {
      const entries = await Promise.all(
        page.items.slice(at, at + AT_ONCE).map(async (message) => {
          const raw = await mailroom.messages.raw(id, message.id, { include: "quarantined" }, { signal })
          const bytes = new Uint8Array(await raw.arrayBuffer())
          return mboxEntry(bytes, message.fromAddress, new Date(message.createdAt))
        }),
      )
      pending.push(...entries)
      size += entries.reduce((sum, { length }) => sum + length, 0)
      mails += entries.length
      onProgress(mails)
      if (size > PART) keep()
    }
    if (!page.hasMore) break
    page = await page.nextPage()
  }
  keep()
  return new Blob(parts, { type: "application/mbox" })
}

/** Has the browser save a file. */
export const saveFile = (content: Blob, name: string): void => {
  const url = URL.createObjectURL(content)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
