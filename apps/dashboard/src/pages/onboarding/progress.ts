/** How far an account is with its first steps. What happened before the page was opened counts, too. */
import type { Mailbox, MessageListItem } from "@mailroom/client"
import { mailroom } from "../../data/client.js"
import { loader } from "../../data/resource.js"

export interface Progress {
  readonly mailbox: Mailbox | null
  /** the newest mail that came in */
  readonly received: Pick<MessageListItem, "id" | "subject" | "fromAddress"> | null
  readonly isKeyUsed: boolean
  readonly isAnswered: boolean
}

/** Messages that are looked at for an answer. */
const LOOKED_AT = 20

export const progress = loader(async (_, signal): Promise<Progress> => {
  const [mailboxes, keys, inbound, outbound] = await Promise.all([
    mailroom.mailboxes.list({ signal }),
    mailroom.keys.list({ signal }),
    mailroom.messages.listAll({ direction: "INBOUND", bodies: "preview", limit: 1 }, { signal }),
    mailroom.messages.listAll({ direction: "OUTBOUND", bodies: "preview", limit: LOOKED_AT }, { signal }),
  ])
  return {
    mailbox: mailboxes.items[0] ?? null,
    received: inbound.items[0] ?? null,
    isKeyUsed: keys.items.some(({ lastUsedAt }) => lastUsedAt !== null),
    isAnswered: outbound.items.some(({ inReplyTo }) => inReplyTo !== null),
  }
})
