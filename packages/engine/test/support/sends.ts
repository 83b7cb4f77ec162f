/** Sends and uploads. */
import type { AttachmentId, Audience, ForwardBody, MessageId, ReplyBody, SendBody } from "@mailroom/domain"
import { Attachments, type MessageRecord, Replies, Sending, type SendResult } from "@mailroom/engine"
import { Effect, Stream } from "effect"
import { as, type Owner } from "./owners.js"

export const RECIPIENT = "bob@elsewhere.org"

export const aBody = (over: Partial<SendBody> = {}): SendBody => ({
  to: [RECIPIENT],
  subject: "Hello",
  bodyText: "Good morning.",
  ...over,
})

/** The message of a send that nothing holds. */
export const messageOf = (result: SendResult) =>
  result.kind === "sent" ? Effect.succeed(result.message) : Effect.dieMessage(`the send is ${result.kind}`)

/** Sends, and returns the message or the draft. */
export const trySend = (owner: Owner, over: Partial<SendBody> = {}) =>
  Effect.gen(function* () {
    const sending = yield* Sending
    return yield* sending.send(yield* as(owner), owner.mailboxId, aBody(over))
  })

export const send = (owner: Owner, over: Partial<SendBody> = {}) =>
  Effect.flatMap(trySend(owner, over), messageOf)

const answer =
  (audience: Audience) =>
  (owner: Owner, id: MessageId, over: Partial<ReplyBody> = {}) =>
    Effect.gen(function* () {
      const replies = yield* Replies
      const result = yield* replies.reply(yield* as(owner), owner.mailboxId, id, audience, {
        bodyText: "Yes.",
        ...over,
      })
      return yield* messageOf(result)
    })

export const reply = answer("sender")
export const replyAll = answer("everybody")

export const forward = (owner: Owner, id: MessageId, over: Partial<ForwardBody> = {}) =>
  Effect.gen(function* () {
    const replies = yield* Replies
    const result = yield* replies.forward(yield* as(owner), owner.mailboxId, id, {
      to: [RECIPIENT],
      ...over,
    })
    return yield* messageOf(result)
  })

export const recipientsOf = ({ content }: MessageRecord) => ({
  to: content.toAddresses,
  cc: content.ccAddresses,
})

/** Runs `count` concurrent sends and returns the result of each. */
export const sendAtOnce = (owner: Owner, count: number, over: Partial<SendBody> = {}) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => `Hello ${index + 1}`),
    (subject) => Effect.either(send(owner, { ...over, subject })),
    { concurrency: "unbounded" },
  )

/** Uploads a file. `sizeBytes` may differ from the real size. */
export const upload = (
  owner: Pick<Owner, "key">,
  filename: string,
  bytes: Uint8Array,
  sizeBytes = bytes.length,
) =>
  Effect.gen(function* () {
    const attachments = yield* Attachments
    const content = Stream.make(bytes)
    const { id } = yield* attachments.upload(yield* as(owner), {
      filename,
      contentType: "application/octet-stream",
      sizeBytes,
      content,
    })
    return id satisfies AttachmentId
  })

/** An inline attachment. */
export const inline = (filename: string, content: Uint8Array) => ({
  filename,
  contentType: "application/octet-stream",
  content,
})
