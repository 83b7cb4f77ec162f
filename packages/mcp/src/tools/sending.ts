/** Sending, replying, forwarding, drafts and invitations. */
import * as z from "zod"
import { bodyOf } from "../bodyOf.js"
import { mailboxId } from "../mailboxes.js"
import { sendDraftOnce, sendOnce, sendOutput, writeOnce } from "../sending.js"
import * as s from "../schemas.js"
import { tool } from "../tool.js"

const sendAt = z.string().describe("ISO 8601, up to 90 days ahead; default now").optional()

export const sendMessage = tool({
  name: "send_message",
  description:
    "Send a new mail, with text or html. To answer, use reply_to_message. The same content within 24 hours is sent once (replayed: true), so a call that failed can be repeated. status held: a person decides.",
  input: z.strictObject({
    mailbox: s.mailbox,
    to: s.recipients,
    subject: z.string().min(1),
    ...s.writing,
    replyTo: z.string().optional(),
    sendAt,
    idempotencyKey: s.idempotencyKey,
  }),
  output: sendOutput,
  effects: "sends",
  run: async ({ mailbox, idempotencyKey, ...mail }, context) => {
    const id = await mailboxId(context, mailbox)
    return sendOnce(context, { tool: "send", content: mail, idempotencyKey }, (mailroom, options) =>
      mailroom.messages.send(id, bodyOf(mail), options),
    )
  },
})

export const replyToMessage = tool({
  name: "reply_to_message",
  description:
    "Answer a message in its thread. Goes to its sender, with all: to everybody on it. Do not answer automated mail. Sent once, as with send_message.",
  input: z.strictObject({
    mailbox: s.mailbox,
    messageId: s.id,
    all: z.boolean().optional(),
    ...s.writing,
    sendAt,
    idempotencyKey: s.idempotencyKey,
  }),
  output: sendOutput,
  effects: "sends",
  run: async ({ mailbox, messageId, idempotencyKey, all = false, ...mail }, context) => {
    const id = await mailboxId(context, mailbox)
    return sendOnce(context, { tool: "reply", content: mail, idempotencyKey }, ({ messages }, options) =>
      all
        ? messages.replyAll(id, messageId, bodyOf(mail), options)
        : messages.reply(id, messageId, bodyOf(mail), options),
    )
  },
})

export const forwardMessage = tool({
  name: "forward_message",
  description:
    "Forward a message with its attachments; text comes before it. Sent once, as with send_message.",
  input: z.strictObject({
    mailbox: s.mailbox,
    messageId: s.id,
    to: s.recipients,
    text: z.string().optional(),
    cc: s.copies,
    bcc: s.copies,
    idempotencyKey: s.idempotencyKey,
  }),
  output: sendOutput,
  effects: "sends",
  run: async ({ mailbox, messageId, idempotencyKey, ...mail }, context) => {
    const id = await mailboxId(context, mailbox)
    return sendOnce(context, { tool: "forward", content: mail, idempotencyKey }, (mailroom, options) =>
      mailroom.messages.forward(id, messageId, bodyOf(mail), options),
    )
  },
})

export const createDraft = tool({
  name: "create_draft",
  description:
    "Write a mail that is not sent yet; send_draft sends it, or sendAt does. inReplyTo: the id of the message it answers.",
  input: z.strictObject({
    mailbox: s.mailbox,
    to: s.copies,
    subject: z.string().optional(),
    ...s.writing,
    inReplyTo: s.id.optional(),
    sendAt,
    idempotencyKey: s.idempotencyKey,
  }),
  output: sendOutput,
  effects: "changes",
  idempotent: true,
  run: async ({ mailbox, idempotencyKey, ...mail }, context) => {
    const id = await mailboxId(context, mailbox)
    return writeOnce(context, { tool: "draft", content: mail, idempotencyKey }, ({ drafts }, options) =>
      drafts.create(id, bodyOf(mail), options),
    )
  },
})

export const sendDraft = tool({
  name: "send_draft",
  description: "Send a draft now. A draft is sent once.",
  input: z.strictObject({ mailbox: s.mailbox, draftId: s.id }),
  output: sendOutput,
  effects: "sends",
  run: async ({ mailbox, draftId }, context) =>
    sendDraftOnce(context, await mailboxId(context, mailbox), draftId),
})

export const respondToInvitation = tool({
  name: "respond_to_invitation",
  description: "Answer the calendar invitation in a message, so that the organizer's calendar shows it.",
  input: z.strictObject({
    mailbox: s.mailbox,
    messageId: s.id,
    status: z.enum(["accepted", "tentative", "declined"]),
    comment: z.string().optional(),
    idempotencyKey: s.idempotencyKey,
  }),
  output: sendOutput,
  effects: "sends",
  run: async ({ mailbox, messageId, idempotencyKey, ...answer }, context) => {
    const id = await mailboxId(context, mailbox)
    return sendOnce(context, { tool: "rsvp", content: answer, idempotencyKey }, (mailroom, options) =>
      mailroom.messages.rsvp(id, messageId, answer, options),
    )
  },
})
