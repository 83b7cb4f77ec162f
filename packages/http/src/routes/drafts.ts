/** Drafts and reviews. */
import { Api, CurrentPrincipal } from "@mailroom/api"
import {
  DraftId,
  type DraftRecord,
  type MailroomError,
  previewOfDraft,
  type Principal,
  queryCursorsByCreation,
} from "@mailroom/domain"
import {
  type DraftPage,
  type DraftPosition,
  Drafts,
  DraftViews,
  type FireResult,
  Reviews,
} from "@mailroom/engine"
import { Effect } from "effect"
import { pageMetadata } from "../pageMetadata.js"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"
import { draftAnswer, sendAnswer } from "../idempotency.js"
import { json } from "../json.js"
import { UnreadAnswers } from "../UnreadAnswers.js"

const cursorsOf = queryCursorsByCreation(DraftId)

interface Paging {
  readonly bodies?: "preview" | undefined
  readonly cursor?: string | undefined
  readonly limit: number
}

/** The helpers of both groups. */
const answers = Effect.gen(function* () {
  const unreadAnswers = yield* UnreadAnswers
  const views = yield* DraftViews
  const { answer } = yield* ErrorResponses

  /** Answers with a page of drafts. `query`: what its cursor belongs to. */
  const page = (
    query: unknown,
    { bodies, cursor, limit }: Paging,
    read: (principal: Principal, after: DraftPosition | null) => Effect.Effect<DraftPage, MailroomError>,
  ) =>
    Effect.gen(function* () {
      const cursors = cursorsOf(query)
      const after = yield* cursors.decode(cursor)
      const principal = yield* CurrentPrincipal
      const found = yield* read(principal, after)
      const last = found.hasMore ? (found.drafts.at(-1)?.draft ?? null) : null
      const items = yield* views.page(found)
      const drafts = bodies === undefined ? items : items.map(previewOfDraft)
      return yield* unreadAnswers.count(
        principal.account.id,
        json({ drafts, metadata: pageMetadata(cursors, limit, last) }),
      )
    }).pipe(answer)

  /** Answers with a draft that was read or changed. */
  const shown = (find: (principal: Principal) => Effect.Effect<DraftRecord, MailroomError>, status = 200) =>
    Effect.flatMap(CurrentPrincipal, (principal) =>
      unreadAnswers.aroundChange(
        principal.account.id,
        Effect.flatMap(find(principal), (draft) => draftAnswer(views, draft, status)),
      ),
    ).pipe(answer)

  /** Sends, and answers with the message, or with the draft that was not sent. */
  const sent = (send: (principal: Principal) => Effect.Effect<FireResult, MailroomError>) =>
    Effect.flatMap(CurrentPrincipal, (principal) =>
      unreadAnswers.aroundChange(principal.account.id, Effect.flatMap(send(principal), sendAnswer(views))),
    ).pipe(answer)

  return { answer, page, shown, sent }
})

export const draftRoutes = group(Api, "drafts", (handlers) =>
  Effect.gen(function* () {
    const drafts = yield* Drafts
    const { answer, page, shown, sent } = yield* answers

    return handlers
      .handle("listAll", ({ urlParams: { status = null, ...paging } }) =>
        page({ in: "account", status }, paging, (principal, after) =>
          drafts.list(principal, { mailboxId: null, status, after, limit: paging.limit }),
        ),
      )
      .handle("list", ({ path, urlParams: { status = null, ...paging } }) =>
        page({ in: path.id, status }, paging, (principal, after) =>
          drafts.list(principal, { mailboxId: path.id, status, after, limit: paging.limit }),
        ),
      )
      .handle(
        "create",
        ({ path, payload }) => shown((principal) => drafts.create(principal, path.id, payload), 201),
        { uninterruptible: true },
      )
      .handle("get", ({ path }) => shown((principal) => drafts.get(principal, path.id, path.draftId)))
      .handle(
        "update",
        ({ path, payload }) => shown((principal) => drafts.update(principal, path.id, path.draftId, payload)),
        { uninterruptible: true },
      )
      .handle(
        "remove",
        ({ path }) =>
          Effect.flatMap(CurrentPrincipal, (principal) =>
            drafts.remove(principal, path.id, path.draftId),
          ).pipe(Effect.as({ deleted: true as const }), answer),
        { uninterruptible: true },
      )
      .handle("send", ({ path }) => sent((principal) => drafts.send(principal, path.id, path.draftId)), {
        uninterruptible: true,
      })
  }),
)

export const reviewRoutes = group(Api, "reviews", (handlers) =>
  Effect.gen(function* () {
    const reviews = yield* Reviews
    const { page, shown, sent } = yield* answers

    return handlers
      .handle("list", ({ urlParams }) =>
        page({ in: "reviews" }, urlParams, (principal, after) =>
          reviews.list(principal, after, urlParams.limit),
        ),
      )
      .handle(
        "approve",
        ({ path, payload }) => sent((principal) => reviews.approve(principal, path.draftId, payload)),
        { uninterruptible: true },
      )
      .handle(
        "reject",
        ({ path, payload }) =>
          shown((principal) => reviews.reject(principal, path.draftId, payload?.reason ?? null)),
        { uninterruptible: true },
      )
  }),
)
