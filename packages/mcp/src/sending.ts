/**
 * Sends once. A call whose model repeats it with the same content within a day gets the first result again, because its
 * `Idempotency-Key` is made from the content. The service keeps keys for 24 hours, apart for each API key, mailbox and
 * answered message (docs/decisions/0074).
 */
import {
  type Call,
  type Draft,
  type Mailroom,
  MailroomError,
  type RequestOptions,
  type SendResult,
} from "@mailroom/client"
import { createHash } from "node:crypto"
import * as z from "zod"
import { type Caller, clientOf } from "./Caller.js"
import { shortMessage, UNCERTAIN } from "./errors.js"
import type { Outcome } from "./result.js"
import type { ToolContext } from "./tool.js"

/** Of a key that the model did not choose: a refusal is not stored, because it must end with its reason. */
const RETRYING = { "Idempotency-Refusals": "retry" } as const

/** JSON in which the order of fields does not matter. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )

const keyOf = (tool: string, content: unknown): string =>
  createHash("sha256")
    .update(canonical([tool, content]))
    .digest("hex")

/** A client, and whether its last response was a stored one. */
const watched = (caller: Caller) => {
  const send = caller.fetch ?? fetch
  let replayed = false
  const mailroom = clientOf({
    ...caller,
    fetch: async (url, init) => {
      const response = await send(url, init)
      replayed = response.headers.get("idempotent-replayed") === "true"
      return response
    },
  })
  return { mailroom, isReplayed: () => replayed }
}

interface Keyed {
  readonly tool: string
  /** what the mail is made of, without the ids in the path */
  readonly content: unknown
  readonly idempotencyKey: string | undefined
}

/** Runs a send under the key of its content, or under the given key. */
const once = async <T>(
  { caller, signal }: ToolContext,
  { tool, content, idempotencyKey }: Keyed,
  send: (mailroom: Mailroom, options: RequestOptions) => Call<T>,
): Promise<{ readonly data: T; readonly replayed: boolean }> => {
  const { mailroom, isReplayed } = watched(caller)
  const data = await send(
    mailroom,
    idempotencyKey === undefined
      ? { signal, idempotencyKey: `mcp-${keyOf(tool, content)}`, headers: RETRYING }
      : { signal, idempotencyKey },
  )
  return { data, replayed: isReplayed() }
}

export const sendOutput = z.object({
  status: z.string().describe("sent, held (waits for a person), scheduled, …"),
  replayed: z.boolean(),
  messageId: z.string().optional(),
  draftId: z.string().optional(),
  threadId: z.string().optional(),
  why: z.string().optional(),
  next: z.string().optional(),
})
type SendFields = z.infer<typeof sendOutput>
type MailFields = Omit<SendFields, "replayed">

const reasonsOf = ({ review }: Draft): string =>
  (review?.reasons ?? [])
    .map((reason) =>
      reason.code === "NEW_RECIPIENT"
        ? `${reason.address} is a new recipient`
        : "every mail of this mailbox is reviewed",
    )
    .join("; ")

/** What a draft is, and what follows. */
const draftFields = (draft: Draft): MailFields => {
  const { id, status, sendAt, review, error } = draft
  switch (status) {
    case "PENDING_REVIEW":
      return {
        status: "held",
        draftId: id,
        why: `Not sent: ${reasonsOf(draft)}.`,
        next: `A person with the right to review (the owner of the account) approves or rejects it until ${review?.expiresAt ?? "the review ends"}. You cannot approve it, and must not send it in another way. Tell the person you work for.`,
      }
    case "SCHEDULED":
      return { status: "scheduled", draftId: id, why: `It is sent at ${sendAt ?? "its time"}.` }
    case "REJECTED":
    case "FAILED":
      return {
        status: status.toLowerCase(),
        draftId: id,
        why: shortMessage(`Not sent: ${error?.message ?? status}`),
        next: "Change the mail as the reason says, and send it as a new one.",
      }
    case "DRAFT":
      return { status: "draft", draftId: id, next: "Not sent yet: send_draft sends it." }
  }
}

const SENT_BEFORE =
  "The same content was sent within the last 24 hours; this is its result, and nothing was sent now. To send it again on purpose, pass a new idempotencyKey."
const WRITTEN_BEFORE =
  "The same draft was written within the last 24 hours; this is what became of it, and no other was written now. To write another on purpose, pass a new idempotencyKey."

const sentFields = ({ message, draft }: SendResult): MailFields => {
  if (message === undefined) return draftFields(draft)
  const { id: messageId, threadId, status } = message
  return status === "UNKNOWN"
    ? { status: "unknown", messageId, threadId, next: UNCERTAIN }
    : { status: "sent", messageId, threadId }
}

/** Why neither a draft nor its message is found, by the code of the second search. */
const whyGone: Readonly<Record<string, string | undefined>> = {
  MESSAGE_NOT_FOUND: "The draft was deleted, or it was sent and its message was deleted.",
  PERMISSION_DENIED: "The draft was sent or deleted. This key may not read which.",
}

/** What a stored result is now: a draft may have been sent, decided or deleted since. */
const currentFields = async ({ mailroom, signal }: ToolContext, result: SendResult): Promise<MailFields> => {
  if (result.draft === undefined) return sentFields(result)
  const { id, mailboxId } = result.draft
  try {
    return draftFields(await mailroom.drafts.get(mailboxId, id, { signal }))
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error
    if (error.code !== "DRAFT_NOT_FOUND") return sentFields(result)
  }
  try {
    // A draft that was sent is a message of the same id.
    return sentFields({ message: await mailroom.messages.get(mailboxId, id, {}, { signal }) })
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error
    const why = whyGone[error.code]
    if (why === undefined) throw error
    return { status: "gone", why }
  }
}

/** The outcome of a call that runs once. `before` tells a repetition what happened before, and how to get another. */
const outcomeOf = async (
  context: ToolContext,
  result: SendResult,
  replayed: boolean,
  before: string,
): Promise<Outcome<SendFields>> => {
  if (!replayed) return { fields: { ...sentFields(result), replayed } }
  const fields = await currentFields(context, result)
  if (fields.status === "unknown") return { fields: { ...fields, replayed } }
  const next = fields.next === undefined ? before : `${fields.next} ${before}`
  return { fields: { ...fields, replayed, next } }
}

/** Sends once, and tells how it went. */
export const sendOnce = async (
  context: ToolContext,
  keyed: Keyed,
  send: (mailroom: Mailroom, options: RequestOptions) => Call<SendResult>,
): Promise<Outcome<SendFields>> => {
  const { data, replayed } = await once(context, keyed, send)
  return outcomeOf(context, data, replayed, SENT_BEFORE)
}

/** Writes a draft once, and tells what it is or what became of it. */
export const writeOnce = async (
  context: ToolContext,
  keyed: Keyed,
  write: (mailroom: Mailroom, options: RequestOptions) => Call<Draft>,
): Promise<Outcome<SendFields>> => {
  const { data: draft, replayed } = await once(context, keyed, write)
  return outcomeOf(context, { draft }, replayed, WRITTEN_BEFORE)
}

/** Sends a draft once. It needs no key: a draft that was sent is a message of the same id. */
export const sendDraftOnce = async (
  { mailroom, signal }: ToolContext,
  mailboxId: string,
  draftId: string,
): Promise<Outcome<SendFields>> => {
  try {
    return {
      fields: { ...sentFields(await mailroom.drafts.send(mailboxId, draftId, { signal })), replayed: false },
    }
  } catch (error) {
    if (!(error instanceof MailroomError) || error.code !== "DRAFT_NOT_FOUND") throw error
    const message = await mailroom.messages.get(mailboxId, draftId, {}, { signal }).catch(() => undefined)
    if (message === undefined) throw error
    return { fields: { ...sentFields({ message }), replayed: true } }
  }
}
