/** Messages that arrived, and what is done with them: answered, answered to all, sent on. */
import { MessagesPage } from "@mailroom/api"
import { Effect } from "effect"
import type { Owner } from "./accounts.js"
import { ask, read } from "./contract.js"
import { type Incoming, receive } from "./mail.js"
import { One, send } from "./sends.js"

/** The ways to use a message, each with the least body that is in order. */
export const actions = [
  ["reply", { bodyText: "Yes." }],
  ["reply-all", { bodyText: "Yes." }],
  ["forward", { to: ["dan@partner.dev"] }],
] as const
type Action = (typeof actions)[number][0]

export const act = (
  { key, mailboxId }: Owner,
  id: string,
  action: Action,
  body: Readonly<Record<string, unknown>> = {},
) =>
  ask(`POST /v1/mailboxes/${mailboxId}/messages/${id}/${action}`, {
    key,
    body: { ...Object.fromEntries(actions)[action], ...body },
  })

/** The messages listed, newest first. */
export const listed = ({ key, mailboxId }: Owner, query = "") =>
  Effect.map(ask(`GET /v1/mailboxes/${mailboxId}/messages${query}`, { key }), (answer) =>
    read(MessagesPage)(answer).messages.map(({ id, subject, threadId }) => ({ id, subject, threadId })),
  )

/** A mail that arrived. */
export const arrival = Effect.fn(function* (account: Owner, mail: Incoming = {}) {
  yield* receive(account.address, [mail])
  const [message] = yield* listed(account, "?direction=INBOUND&limit=1")
  return message ?? { id: "", subject: "", threadId: "" }
})

/** A mail that the owner sent. */
export const sent = Effect.fn(function* (account: Owner) {
  return read(One)(yield* send(account, { cc: ["eve@partner.dev"] })).message
})
