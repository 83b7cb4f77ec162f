/** Messages and threads. Lists are joined from the stored JSON of their items. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as Multipart from "@effect/platform/Multipart"
import { Api, CurrentPrincipal, type MessagesMetadata } from "@mailroom/api"
import {
  instantOf,
  type MailboxId,
  type MailroomError,
  type MessageId,
  type Principal,
  type Thread,
  THREADS_MAX,
} from "@mailroom/domain"
import {
  DraftViews,
  Imports,
  type LimitMetadata,
  Lists,
  MessageChanges,
  type MessageRecord,
  Messages,
  Quarantines,
  Replies,
  Sending,
  type SendResult,
  Takeovers,
  viewMessage,
} from "@mailroom/engine"
import { Effect, Stream } from "effect"
import { attachmentDisposition } from "../downloads.js"
import { pageMetadata } from "../pageMetadata.js"
import { ErrorResponses } from "../errors.js"
import { filterOf, includesQuarantined, messageCursors, quarantineOf } from "../filters.js"
import { group } from "../group.js"
import { json, jsonText, listText, mergedText, objectText } from "../json.js"
import { sendAnswer } from "../idempotency.js"
import { shownItems } from "../previews.js"
import { UnreadAnswers } from "../UnreadAnswers.js"

export const limitFields = ({ overLimitCount, upgrade, limitHint }: LimitMetadata) => ({
  overLimitCount,
  ...(upgrade !== null && { upgrade }),
  ...(limitHint !== null && { limitHint }),
})

export const messageRoutes = group(Api, "messages", (handlers) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const imports = yield* Imports
    const messages = yield* Messages
    const lists = yield* Lists
    const changes = yield* MessageChanges
    const sending = yield* Sending
    const replies = yield* Replies
    const quarantines = yield* Quarantines
    const views = yield* DraftViews
    const unreadAnswers = yield* UnreadAnswers
    const { answer } = yield* ErrorResponses

    /**
     * Sends for the caller, and answers 201 with the message, or 202 with the draft that is held or scheduled. Before the send begins, 429
     * TOO_MANY_UNREAD when this account, and 503 OVERLOADED when all accounts of the process have too many unread large responses.
     */
    const sent = (send: (principal: Principal) => Effect.Effect<SendResult, MailroomError>) =>
      Effect.flatMap(CurrentPrincipal, (principal) =>
        unreadAnswers.aroundChange(principal.account.id, Effect.flatMap(send(principal), sendAnswer(views))),
      ).pipe(answer)

    /** Answers with a message that was read, or changed in a way that is safe to repeat. */
    const shown = (
      { id, msgId }: { readonly id: MailboxId; readonly msgId: MessageId },
      find: (principal: Principal) => Effect.Effect<MessageRecord, MailroomError>,
      withQuarantined = false,
    ) =>
      Effect.flatMap(CurrentPrincipal, (principal) =>
        unreadAnswers.aroundRead(
          principal.account.id,
          Effect.map(messages.reference(principal, id, msgId, withQuarantined), ({ bodyBytes }) => bodyBytes),
          Effect.map(find(principal), (message) => json({ message: viewMessage(message) })),
        ),
      ).pipe(answer)

    /** The raw mail of a request, which `RequestBodies` has written to a file. */
    const rawMail = (payload: Uint8Array | Multipart.PersistedFile) =>
      payload instanceof Uint8Array
        ? Effect.succeed({ sizeBytes: payload.length, content: Stream.make(payload) })
        : Effect.map(Effect.orDie(files.stat(payload.path)), ({ size }) => ({
            sizeBytes: Number(size),
            content: Stream.orDie(files.stream(payload.path)),
          }))

    return handlers
      .handle(
        "import",
        ({ path, payload, urlParams: { direction = null, receivedAt, labels = [], read } }) =>
          Effect.gen(function* () {
            const principal = yield* CurrentPrincipal
            const imported = imports.add(principal, path.id, {
              ...(yield* rawMail(payload)),
              direction,
              receivedAt: receivedAt === undefined ? null : instantOf(receivedAt),
              labels,
              read,
            })
            return yield* unreadAnswers.aroundChange(
              principal.account.id,
              Effect.map(imported, ({ message, isNew }) =>
                json({ message: viewMessage(message) }, { status: isNew ? 201 : 200 }),
              ),
            )
          }).pipe(answer),
        { uninterruptible: true },
      )
      .handle("list", ({ path, urlParams }) =>
        Effect.gen(function* () {
          const { bodies, cursor, limit, offset, order } = urlParams
          const filter = filterOf(urlParams)
          const quarantine = quarantineOf(urlParams)
          const cursors = messageCursors({
            in: path.id,
            filter,
            order,
            ...quarantine,
          })
          const after = yield* cursors.decode(cursor)
          const principal = yield* CurrentPrincipal
          const { page, limits } = yield* lists.inMailbox(principal, path.id, {
            filter,
            order,
            ...quarantine,
            after,
            offset,
            limit,
          })
          const metadata: MessagesMetadata = {
            ...limitFields(limits),
            ...pageMetadata(cursors, limit, page.hasMore ? page.last : null),
            offset,
          }
          const items = yield* shownItems(page.items, bodies)
          const text = objectText({ messages: listText(items), metadata: JSON.stringify(metadata) })
          return yield* unreadAnswers.count(principal.account.id, jsonText(text))
        }).pipe(answer),
      )
      .handle("send", ({ path, payload }) => sent((principal) => sending.send(principal, path.id, payload)), {
        uninterruptible: true,
      })
      .handle(
        "reply",
        ({ path: { id, msgId }, payload }) =>
          sent((principal) => replies.reply(principal, id, msgId, "sender", payload)),
        { uninterruptible: true },
      )
      .handle(
        "replyAll",
        ({ path: { id, msgId }, payload }) =>
          sent((principal) => replies.reply(principal, id, msgId, "everybody", payload)),
        { uninterruptible: true },
      )
      .handle(
        "rsvp",
        ({ path: { id, msgId }, payload }) =>
          sent((principal) => replies.rsvp(principal, id, msgId, payload)),
        { uninterruptible: true },
      )
      .handle(
        "forward",
        ({ path: { id, msgId }, payload }) =>
          sent((principal) => replies.forward(principal, id, msgId, payload)),
        { uninterruptible: true },
      )
      .handle("get", ({ path, urlParams }) => {
        const withQuarantined = includesQuarantined(urlParams)
        return shown(
          path,
          (principal) => messages.get(principal, path.id, path.msgId, withQuarantined),
          withQuarantined,
        )
      })
      .handle(
        "update",
        ({ path, payload }) =>
          shown(path, (principal) => changes.update(principal, path.id, path.msgId, payload)),
        { uninterruptible: true },
      )
      .handle(
        "remove",
        ({ path }) =>
          Effect.flatMap(CurrentPrincipal, (principal) =>
            changes.remove(principal, path.id, path.msgId),
          ).pipe(Effect.as({ deleted: true as const }), answer),
        { uninterruptible: true },
      )
      .handle(
        "quarantine",
        ({ path }) =>
          shown(path, (principal) => quarantines.quarantine(principal, path.id, path.msgId), true),
        { uninterruptible: true },
      )
      .handle("raw", ({ path, urlParams }) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          const { content, sizeBytes } = yield* changes.source(
            principal,
            path.id,
            path.msgId,
            includesQuarantined(urlParams),
          )
          yield* unreadAnswers.countDownload(principal.account.id, sizeBytes)
          return HttpServerResponse.stream(content, {
            contentType: "message/rfc822",
            contentLength: sizeBytes,
            headers: {
              "content-disposition": attachmentDisposition(`${path.msgId}.eml`),
              "x-content-type-options": "nosniff",
            },
          })
        }).pipe(answer),
      )
  }),
)

export const threadRoutes = group(Api, "threads", (handlers) =>
  Effect.gen(function* () {
    const lists = yield* Lists
    const messages = yield* Messages
    const changes = yield* MessageChanges
    const takeovers = yield* Takeovers
    const unreadAnswers = yield* UnreadAnswers
    const { answer } = yield* ErrorResponses

    /** Answers with a thread that was changed. */
    const changed = (change: (principal: Principal) => Effect.Effect<Thread, MailroomError>) =>
      Effect.flatMap(CurrentPrincipal, change).pipe(
        Effect.map((thread) => ({ thread })),
        answer,
      )

    return handlers
      .handle("list", ({ path }) =>
        Effect.gen(function* () {
          const { threads, limits } = yield* lists.threadsInMailbox(yield* CurrentPrincipal, path.id, {
            after: null,
            limit: THREADS_MAX,
          })
          const metadata = { ...limitFields(limits), limit: THREADS_MAX, offset: 0, hasMore: false }
          return json({ threads, metadata })
        }).pipe(answer),
      )
      .handle("get", ({ path, urlParams: { bodies } }) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          const found = yield* messages.thread(principal, path.id, path.tid)
          const items = yield* shownItems(found.messages, bodies)
          const withMessages = mergedText(
            JSON.stringify(found.thread),
            objectText({ messages: listText(items) }),
          )
          return yield* unreadAnswers.count(
            principal.account.id,
            jsonText(objectText({ thread: withMessages })),
          )
        }).pipe(answer),
      )
      .handle(
        "update",
        ({ path, payload }) =>
          changed((principal) => changes.updateThread(principal, path.id, path.tid, payload)),
        { uninterruptible: true },
      )
      .handle("takeOver", ({ path }) => changed((principal) => takeovers.takeOver(principal, path.tid)), {
        uninterruptible: true,
      })
      .handle("release", ({ path }) => changed((principal) => takeovers.release(principal, path.tid)), {
        uninterruptible: true,
      })
  }),
)
