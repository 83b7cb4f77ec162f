/**
 * Mails the owner about sends that wait for a review: one mail for all of a burst, and at most one in 15 minutes
 * (docs/decisions/0066). The mail links to the dashboard. Opening the link approves nothing.
 */
import {
  type AccountId,
  type AccountRecord,
  type DraftRecord,
  type Instant,
  REVIEW_NOTICE_AFTER,
  REVIEW_NOTICE_NAMES,
  REVIEW_NOTICES_APART,
  type RelayRefused,
  type RelayUnavailable,
  type RelayUncertain,
  toOneLine,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { JobQueue } from "../jobs/JobQueue.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { DraftStore } from "../ports/stores/DraftStore.js"
import { SystemMail } from "../sending/SystemMail.js"
import { UnitOfWork } from "../UnitOfWork.js"

/** Reviews that are read for one mail, which names the first of them and counts the others. */
const READ_AT_ONCE = 100

const line = ({ content }: DraftRecord): string =>
  toOneLine(`- to ${content.to.join(", ")}: ${content.subject ?? ""}`)

const noticeMail = (slug: string, waiting: ReadonlyArray<DraftRecord>, more: boolean, url: string) => {
  const named = waiting.slice(0, REVIEW_NOTICE_NAMES)
  const others = waiting.length - named.length
  const count = `${waiting.length}${more ? " or more" : ""}`
  const sends = waiting.length === 1 ? "1 mail waits" : `${count} mails wait`
  return {
    subject: `${sends} for your approval`,
    text: [
      `${sends} for your approval in the Mailroom account "${slug}":`,
      "",
      ...named.map(line),
      ...(others > 0 ? [`- and ${others}${more ? " or more" : ""} others`] : []),
      "",
      waiting.length === 1
        ? "Look at it, and approve or reject it, here:"
        : "Look at them, and approve or reject each, here:",
      "",
      url,
      "",
      "Opening this link approves nothing. What is not decided in time is not sent.",
      "",
    ].join("\n"),
  }
}

export class ReviewNotices extends Context.Tag("@mailroom/ReviewNotices")<
  ReviewNotices,
  {
    /** Inside `commit`, on the locked account: adds the job of the next mail, unless the queue holds it already. */
    readonly request: (account: AccountRecord, now: Instant) => Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<ReviewNotices, never, JobQueue> = Layer.effect(
    ReviewNotices,
    Effect.map(JobQueue, (jobs) => ({
      // Each job changes `reviewNoticedAt`, and with it the id of the next one.
      request: ({ id, reviewNoticedAt }, now) =>
        jobs.addOnce({
          id: `reviews-${id}-${reviewNoticedAt ?? 0}`,
          spec: { kind: "send-review-notice", accountId: id },
          dueAt: Math.max(now + REVIEW_NOTICE_AFTER, (reviewNoticedAt ?? 0) + REVIEW_NOTICES_APART),
        }),
    })),
  )
}

export class ReviewMail extends Context.Tag("@mailroom/ReviewMail")<
  ReviewMail,
  {
    /** Sends the mail of a job. Does nothing when no draft waits any more, or the account is gone. */
    readonly send: (
      accountId: AccountId,
    ) => Effect.Effect<void, RelayRefused | RelayUnavailable | RelayUncertain>
  }
>() {
  static readonly layer = Layer.effect(
    ReviewMail,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const drafts = yield* DraftStore
      const notices = yield* ReviewNotices
      const systemMail = yield* SystemMail
      const { commit } = yield* UnitOfWork
      const { baseUrl } = yield* Settings

      const waiting = (accountId: AccountId) =>
        drafts.list({ accountId, mailboxId: null, scope: null, status: "PENDING_REVIEW" }, null, READ_AT_ONCE)

      /**
       * Records a mail that told of these drafts, and requests the next one when other drafts wait by now. Without drafts there
       * was no mail: the next one need not wait, but its job needs another id than this one, which still is in the queue.
       */
      const noticed = Effect.fnUntraced(function* (
        accountId: AccountId,
        told: ReadonlyArray<DraftRecord>,
        at: Instant,
      ) {
        const [account] = yield* accounts.lock([accountId])
        if (account === undefined) return
        const reviewNoticedAt =
          told.length > 0 ? at : Math.max((account.reviewNoticedAt ?? 0) + 1, at - REVIEW_NOTICES_APART)
        const after = { ...account, reviewNoticedAt }
        yield* accounts.save(after)
        const { drafts: found } = yield* waiting(accountId)
        const known = new Set(told.map(({ id }) => id))
        const isUntold = ({ id, review }: DraftRecord) => !known.has(id) || (review?.requestedAt ?? 0) >= at
        if (found.some(({ draft }) => isUntold(draft))) yield* notices.request(after, at)
      })

      return {
        send: Effect.fn("ReviewMail.send")(function* (accountId) {
          const account = yield* accounts.byId(accountId)
          if (Option.isNone(account)) return
          const at = yield* Clock.currentTimeMillis
          const { drafts: found, hasMore } = yield* waiting(accountId)
          const reviews = found.map(({ draft }) => draft)
          if (reviews.length > 0)
            yield* systemMail.send({
              to: account.value.email,
              ...noticeMail(account.value.slug, reviews, hasMore, `${baseUrl}/dashboard`),
            })
          yield* commit(noticed(accountId, reviews, at))
        }),
      }
    }),
  )
}
