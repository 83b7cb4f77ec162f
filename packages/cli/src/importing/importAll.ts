/** Imports all mails of a source, several at a time. */
import { type Mailroom, MailroomError, type MessagesImportQuery, type RequestOptions } from "@mailroom/client"
import type { FoundMail, MailSource } from "./sources.js"

/** Imports that run at the same time. */
const AT_ONCE = 4
/** How often an import is repeated while the service is busy; it says when (`Retry-After`). */
const RETRIES = 10

export interface Totals {
  imported: number
  /** mails that the mailbox had already */
  existing: number
  refused: number
  /** mails that another program removed from the source meanwhile */
  gone: number
  /** bytes of the mails that were imported or existed */
  bytes: number
}

/** A mail that the service does not take. */
export interface Refusal {
  readonly position: string
  readonly error: string
  readonly code: string
}

export interface Importing {
  readonly mailboxId: string
  /** labels of all mails */
  readonly labels: ReadonlyArray<string>
  /** leaves all mails unread */
  readonly isUnread: boolean
  /** takes all mails for sent ones; else those whose From is the mailbox */
  readonly isSent: boolean
  readonly refuse: (refusal: Refusal) => Promise<void>
  /** Called after each mail. `done`: how much of the source was read. */
  readonly progress: (totals: Totals, done: number) => Promise<void>
}

const tooLarge = (position: string): Refusal => ({
  position,
  error: "The mail is larger than 40 MB.",
  code: "SIZE_EXCEEDED",
})

/** Whether only this mail is refused: others may be taken. `HTTP_413` is a proxy that takes no body of this size. */
const isOfMail = ({ status, code }: MailroomError): boolean =>
  status === 400 || code === "SIZE_EXCEEDED" || code === "HTTP_413" || code.startsWith("INBOUND_")

/** Positions of mails that are not done, in the order of the source. */
export type Unfinished = Set<string>

/** Ends at the first failure that is not about one mail. `unfinished` then has the mails to begin with again. */
export const importAll = async (
  mailroom: Mailroom,
  source: MailSource,
  { mailboxId, labels, isUnread, isSent, refuse, progress }: Importing,
  unfinished: Unfinished,
  options: RequestOptions,
): Promise<Totals> => {
  const totals: Totals = { imported: 0, existing: 0, refused: 0, gone: 0, bytes: 0 }
  const mails = source.mails()
  const ending = new AbortController()
  const { signal } = ending
  options.signal?.addEventListener("abort", () => ending.abort(options.signal?.reason), { once: true })

  const queryFor = (mail: FoundMail): MessagesImportQuery => {
    const all = [...labels, ...mail.labels]
    return {
      read: mail.isRead && !isUnread,
      ...(all.length > 0 && { labels: all }),
      ...(isSent && { direction: "OUTBOUND" }),
    }
  }

  const add = async (mail: FoundMail): Promise<Refusal | null> => {
    const { raw, position } = mail
    if (raw === "tooLarge") return tooLarge(position)
    if (raw === "gone") {
      totals.gone += 1
      return null
    }
    try {
      const { response } = await mailroom.messages
        .import(mailboxId, raw, queryFor(mail), { ...options, signal, maxRetries: RETRIES })
        .withResponse()
      totals[response.status === 201 ? "imported" : "existing"] += 1
      totals.bytes += raw.length
      return null
    } catch (error) {
      if (error instanceof MailroomError && isOfMail(error))
        return { position, error: error.message, code: error.code }
      throw error
    }
  }

  const work = async (): Promise<void> => {
    for (;;) {
      const { value: mail } = await mails.next()
      if (mail === undefined || signal.aborted) return
      unfinished.add(mail.position)
      const refusal = await add(mail)
      if (refusal !== null) {
        totals.refused += 1
        await refuse(refusal)
      }
      unfinished.delete(mail.position)
      await progress(totals, mail.done)
    }
  }

  const workers = Array.from({ length: AT_ONCE }, work)
  try {
    await Promise.all(workers)
  } catch (error) {
    ending.abort()
    await Promise.allSettled(workers)
    throw error
  }
  return totals
}
