/** The mail of a mailbox as a file that other mail programs import. */
import { type Mailbox, MessageNotFoundError, type MessageListItem } from "@mailroom/client"
import { mboxEntry } from "../rules/mbox.js"
import { mailroom } from "./client.js"

/** Mails that are loaded at once. */
const AT_ONCE = 4
/** Bytes after which a part of the file is given to the browser, which may keep it on disk. */
const PART = 8 * 1024 * 1024

/** The part of the file for a message; null when the message was deleted after it was listed. */
const entryOf = async (
  { id, mailboxId, fromAddress, createdAt }: MessageListItem,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | null> => {
  try {
    const raw = await mailroom.messages.raw(mailboxId, id, { include: "quarantined" }, { signal })
    return mboxEntry(new Uint8Array(await raw.arrayBuffer()), fromAddress, new Date(createdAt))
  } catch (error) {
    if (error instanceof MessageNotFoundError) return null
    throw error
  }
}

/**
 * Loads every visible mail of a mailbox, quarantined ones too, oldest first. A message that is deleted meanwhile is left out.
 * `onProgress` gets the number of mails so far.
 */
export const exportMailbox = async (
  { id }: Pick<Mailbox, "id">,
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
      const found = await Promise.all(
        page.items.slice(at, at + AT_ONCE).map((message) => entryOf(message, signal)),
      )
      const entries = found.filter((entry) => entry !== null)
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
