/**
 * Bounds the memory of large answers that their clients have not read yet, per account and in this process
 * (docs/decisions/0045). An answer counts until the request's scope closes, when it was read or its client is gone.
 */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import {
  type AccountId,
  DOWNLOAD_COUNTS_BYTES,
  Overloaded,
  SMALL_ANSWER_MAX_BYTES,
  TooManyUnread,
  UNREAD_MAX_BYTES,
  UNREAD_MAX_BYTES_PER_ACCOUNT,
} from "@mailroom/domain"
import { acquireLight, makeByteShares } from "@mailroom/engine"
import { Context, Effect, Layer, type Scope } from "effect"

type Response = HttpServerResponse.HttpServerResponse
type Refusal = TooManyUnread | Overloaded
/** The request, for its scope and its method: an answer to HEAD holds no body. */
type Request = Scope.Scope | HttpServerRequest.HttpServerRequest

/** Seconds until a refused client may try again. By then slow readers have read something, or are disconnected. */
const RETRY_AFTER = 10

const sizeOf = ({ body }: Response): number => (body._tag === "Uint8Array" ? body.body.length : 0)

export class UnreadAnswers extends Context.Tag("@mailroom/http/UnreadAnswers")<
  UnreadAnswers,
  {
    /** Counts a file of `sizeBytes` that is about to be streamed. */
    readonly countDownload: (accountId: AccountId, sizeBytes: number) => Effect.Effect<void, Refusal, Request>
    /** Counts an answer that is in memory, or refuses it. For reads, and for changes that are safe to repeat. */
    readonly count: (accountId: AccountId, response: Response) => Effect.Effect<Response, Refusal, Request>
    /**
     * Runs a read or a change that loads a whole message, and counts its answer. While the account has other answers,
     * looks up the `size` in bytes first and refuses before it loads an answer that has no room.
     */
    readonly aroundRead: <E, R, E2, R2>(
      accountId: AccountId,
      size: Effect.Effect<number, E, R>,
      work: Effect.Effect<Response, E2, R2>,
    ) => Effect.Effect<Response, E | E2 | Refusal, R | R2 | Request>
    /**
     * Runs a change whose answer may be large, such as a send. Refuses it before it begins, while the account holds more
     * than `UNREAD_MAX_BYTES_PER_ACCOUNT`; once it has run, its answer always counts.
     */
    readonly aroundChange: <E, R>(
      accountId: AccountId,
      work: Effect.Effect<Response, E, R>,
    ) => Effect.Effect<Response, E | Refusal, R | Request>
  }
>() {
  static readonly layer: Layer.Layer<UnreadAnswers> = Layer.sync(UnreadAnswers, () => {
    const shares = makeByteShares({ perAccount: UNREAD_MAX_BYTES_PER_ACCOUNT, total: UNREAD_MAX_BYTES })
    const loading = new Map<AccountId, number>()

    const countLoading = (accountId: AccountId, by: number) => {
      const now = (loading.get(accountId) ?? 0) + by
      if (now === 0) loading.delete(accountId)
      else loading.set(accountId, now)
    }

    /** The error for `bytes` more; null when there is room. */
    const refusal = (accountId: AccountId, bytes: number): Refusal | null => {
      switch (shares.exceeded(accountId, bytes)) {
        case "share":
          return new TooManyUnread({ retryAfter: RETRY_AFTER })
        case "total":
          return new Overloaded({ retryAfter: RETRY_AFTER })
        case null:
          return null
      }
    }

    const requireRoom = (accountId: AccountId, bytes: number): Effect.Effect<void, Refusal> =>
      Effect.suspend((): Effect.Effect<void, Refusal> => refusal(accountId, bytes) ?? Effect.void)

    /** Runs `check`, then counts `bytes` until the scope closes. */
    const hold = <E>(accountId: AccountId, bytes: number, check: Effect.Effect<void, E>) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method }) =>
        method === "HEAD" || bytes <= SMALL_ANSWER_MAX_BYTES
          ? Effect.void
          : acquireLight(
              Effect.tap(check, () => shares.add(accountId, bytes)),
              () => Effect.sync(() => shares.add(accountId, -bytes)),
            ),
      )

    const holdIfAllowed = (accountId: AccountId, bytes: number) =>
      hold(accountId, bytes, requireRoom(accountId, bytes))

    const count = (accountId: AccountId, response: Response) =>
      Effect.as(holdIfAllowed(accountId, sizeOf(response)), response)

    /** Runs `load`. `isAlone` is true when the account has no other answer that is loaded or read right now. */
    const loaded = <A, E, R>(accountId: AccountId, load: (isAlone: boolean) => Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const isAlone = shares.of(accountId) === 0 && !loading.has(accountId)
          countLoading(accountId, 1)
          return isAlone
        }),
        load,
        () => Effect.sync(() => countLoading(accountId, -1)),
      )

    return UnreadAnswers.of({
      countDownload: (accountId, sizeBytes) =>
        holdIfAllowed(accountId, sizeBytes <= SMALL_ANSWER_MAX_BYTES ? 0 : DOWNLOAD_COUNTS_BYTES),
      count,
      aroundRead: (accountId, size, work) =>
        loaded(accountId, (isAlone) =>
          isAlone
            ? Effect.flatMap(work, (response) => count(accountId, response))
            : Effect.zipRight(
                Effect.flatMap(size, (bytes) => holdIfAllowed(accountId, bytes)),
                work,
              ),
        ),
      aroundChange: (accountId, work) =>
        Effect.zipRight(requireRoom(accountId, 0), work).pipe(
          Effect.tap((response) => hold(accountId, sizeOf(response), Effect.void)),
        ),
    })
  })
}
