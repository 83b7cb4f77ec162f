/** Waiting for mail, sharing it among workers, and marking what was done. */
import * as z from "zod"
import { fenced } from "../fence.js"
import { mailboxId, mailboxIdOrAll } from "../mailboxes.js"
import * as s from "../schemas.js"
import { tool } from "../tool.js"
import { readMessage } from "../views.js"

/** Seconds of a wait: clients give up a call after 60. */
const WAIT_DEFAULT = 30
const WAIT_MAX = 55

export const waitForMessage = tool({
  name: "wait_for_message",
  description:
    "Wait until a message arrives, and read it. Begins now, unless you pass since: take the time before the action that causes the mail. On timedOut, call again with after. Never poll list_messages.",
  input: z.strictObject({
    mailbox: s.anyMailbox,
    from: z.string().describe("address or @domain").optional(),
    subject: z.string().describe("part of the subject").optional(),
    threadId: s.id.optional(),
    hasCode: z.boolean().describe("with a one-time code").optional(),
    since: s.time,
    after: z.string().describe("after of the wait before").optional(),
    timeoutSeconds: z.number().int().min(0).max(WAIT_MAX).describe(`default ${WAIT_DEFAULT}`).optional(),
  }),
  output: z.object({
    timedOut: z.boolean(),
    after: z.string(),
    message: s.messageFields.nullable(),
    nextOffset: s.nextOffset,
    content: s.content.optional(),
  }),
  effects: "reads",
  run: async ({ mailbox, timeoutSeconds = WAIT_DEFAULT, ...filter }, context) => {
    const { mailroom, signal } = context
    const id = await mailboxIdOrAll(context, mailbox)
    const query = { ...filter, timeout: timeoutSeconds }
    const answer = await (id === undefined
      ? mailroom.messages.waitAny(query, { signal })
      : mailroom.messages.wait(id, query, { signal }))
    const { timedOut, after } = answer
    if (answer.message === null) return { fields: { timedOut, after, message: null, nextOffset: null } }
    const { message, rest, text, links } = readMessage(answer.message, {})
    return { fields: { timedOut, after, message, ...rest, content: fenced(text) }, links }
  },
})

export const claimMessage = tool({
  name: "claim_message",
  description:
    "Take the oldest message that no worker has (or the named one) and read it, so that others leave it alone until the lease ends. Then work on it, and call complete_message with the token.",
  input: z.strictObject({
    mailbox: s.mailbox,
    messageId: s.id.optional(),
    leaseSeconds: z.number().int().min(1).max(3600).describe("default 60").optional(),
  }),
  output: z.object({
    message: s.messageFields.nullable(),
    token: z.string().nullable(),
    expiresAt: z.string().nullable(),
    nextOffset: s.nextOffset,
    content: s.content.optional(),
  }),
  effects: "changes",
  run: async ({ mailbox, messageId, ...lease }, context) => {
    const { mailroom, signal } = context
    const id = await mailboxId(context, mailbox)
    const claimed = await (messageId === undefined
      ? mailroom.claims.next(id, lease, { signal })
      : mailroom.claims.one(id, messageId, lease, { signal }))
    if (claimed.message === null || claimed.claim === null)
      return { fields: { message: null, token: null, expiresAt: null, nextOffset: null } }
    const { token, expiresAt } = claimed.claim
    const { message, rest, text, links } = readMessage(claimed.message, {})
    return { fields: { message, token, expiresAt, ...rest, content: fenced(text) }, links }
  },
})

export const completeMessage = tool({
  name: "complete_message",
  description: "Mark the work on a claimed message as done, so that nobody gets it again.",
  input: z.strictObject({ mailbox: s.mailbox, messageId: s.id, token: z.string() }),
  output: z.object({ completed: z.boolean() }),
  effects: "changes",
  idempotent: true,
  run: async ({ mailbox, messageId, token }, context) => {
    const { mailroom, signal } = context
    await mailroom.claims.complete(await mailboxId(context, mailbox), messageId, { token }, { signal })
    return { fields: { completed: true } }
  },
})

export const updateMessage = tool({
  name: "update_message",
  description: "Mark a message as read or unread, and add or remove labels.",
  input: z.strictObject({
    mailbox: s.mailbox,
    messageId: s.id,
    read: z.boolean().optional(),
    addLabels: z.array(z.string()).optional(),
    removeLabels: z.array(z.string()).optional(),
  }),
  output: z.object({ id: z.string(), unread: z.boolean(), labels: z.array(z.string()) }),
  effects: "changes",
  idempotent: true,
  run: async ({ mailbox, messageId, ...changes }, context) => {
    const { mailroom, signal } = context
    const id = await mailboxId(context, mailbox)
    const { labels, readAt } = await mailroom.messages.update(id, messageId, changes, { signal })
    return { fields: { id: messageId, unread: readAt === null, labels: [...labels] } }
  },
})
