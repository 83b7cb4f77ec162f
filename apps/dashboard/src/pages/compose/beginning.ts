/** Where a mail begins, by the address of the page: new, an answer, a forward, or a draft. */
import type { Mailbox, Message } from "@mailroom/client"
import { answeredBy } from "../../data/answered.js"
import { mailroom } from "../../data/client.js"
import { textOfHtml } from "../../mail/textOfHtml.js"
import { answerTo, emptyWriting, forwardOf, writingOf } from "../../rules/writing.js"
import type { Beginning } from "./Composition.js"

/** Finds what is in one of the mailboxes: in that of the address, or in whichever has it. */
const findIn = <T>(
  mailboxes: ReadonlyArray<Mailbox>,
  mailboxId: string | null,
  get: (mailboxId: string) => Promise<T>,
): Promise<T> => {
  if (mailboxId !== null) return get(mailboxId)
  return Promise.any(mailboxes.map(({ id }) => get(id))).catch((error: unknown) => {
    throw error instanceof AggregateError ? error.errors[0] : error
  })
}

export interface Wanted {
  readonly draft: string | null
  readonly reply: string | null
  readonly forward: string | null
  readonly thread: string | null
  readonly mailbox: string | null
  readonly to: string | null
  readonly everybody: boolean
}

export const wantedOf = (query: URLSearchParams): Wanted => ({
  draft: query.get("draft"),
  reply: query.get("reply"),
  forward: query.get("forward"),
  thread: query.get("thread"),
  mailbox: query.get("mailbox"),
  to: query.get("to"),
  everybody: query.has("all"),
})

/** The newest message of a thread that others wrote, else the newest. */
const lastOf = async (mailboxId: string, threadId: string, signal: AbortSignal): Promise<Message> => {
  const { messages } = await mailroom.threads.get(mailboxId, threadId, { bodies: "preview" }, { signal })
  const last = messages.findLast(({ direction }) => direction === "INBOUND") ?? messages.at(-1)
  return mailroom.messages.get(mailboxId, last?.id ?? threadId, { include: "quarantined" }, { signal })
}

/** Loads it, with the mailboxes of the account. `mailboxes` must not be empty. */
export const begin = async (
  wanted: Wanted,
  mailboxes: ReadonlyArray<Mailbox>,
  signal: AbortSignal,
): Promise<Beginning> => {
  const { draft: draftId, reply, forward, thread, mailbox, to, everybody } = wanted
  const addressOf = (id: string) => mailboxes.find((one) => one.id === id)?.fullAddress ?? ""
  if (draftId !== null) {
    const draft = await findIn(mailboxes, mailbox, (id) => mailroom.drafts.get(id, draftId, { signal }))
    const message = await answeredBy(draft, signal)
    return { mailboxId: draft.mailboxId, writing: writingOf(draft, textOfHtml), draft, message }
  }
  const messageId = reply ?? forward
  if (messageId !== null || thread !== null) {
    const message = await findIn(mailboxes, mailbox, (id) =>
      messageId === null
        ? lastOf(id, thread ?? "", signal)
        : mailroom.messages.get(id, messageId, { include: "quarantined" }, { signal }),
    )
    const { mailboxId } = message
    const writing =
      reply === null && forward !== null
        ? forwardOf(message)
        : answerTo(message, addressOf(mailboxId), everybody)
    return { mailboxId, writing, draft: null, message }
  }
  const from =
    mailboxes.find(({ id }) => id === mailbox) ?? mailboxes.find(({ status }) => status === "ACTIVE")
  return {
    mailboxId: from?.id ?? mailboxes[0]?.id ?? "",
    writing: { ...emptyWriting, to: to === null ? [] : [to] },
    draft: null,
    message: null,
  }
}
