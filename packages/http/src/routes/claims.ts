/** Claims of messages. */
import { Api, CurrentPrincipal } from "@mailroom/api"
import {
  CLAIM_LEASE_DEFAULT,
  type MailboxId,
  type MailroomError,
  type MessageClaim,
  type MessageId,
  type Principal,
  timestamp,
} from "@mailroom/domain"
import { type Claimed, Claims, Quarantines, viewMessage } from "@mailroom/engine"
import { Effect } from "effect"
import { Draining } from "../Draining.js"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"
import { json } from "../json.js"
import { UnreadAnswers } from "../UnreadAnswers.js"
import { waitFilter } from "../waitFilters.js"

const claimedBody = (claimed: Claimed | null) =>
  claimed === null
    ? { message: null, claim: null }
    : {
        message: viewMessage(claimed.message),
        claim: { token: claimed.token, expiresAt: timestamp(claimed.expiresAt) },
      }

export const claimRoutes = group(Api, "claims", (handlers) =>
  Effect.gen(function* () {
    const claims = yield* Claims
    const quarantines = yield* Quarantines
    const draining = yield* Draining
    const unreadAnswers = yield* UnreadAnswers
    const { answer } = yield* ErrorResponses

    /** Claims a message for the caller, and answers with it. */
    const claimed = (claim: (principal: Principal) => Effect.Effect<Claimed | null, MailroomError>) =>
      Effect.flatMap(CurrentPrincipal, (principal) =>
        unreadAnswers.aroundChange(
          principal.account.id,
          Effect.map(claim(principal), (found) => json(claimedBody(found))),
        ),
      ).pipe(answer)

    /** Changes a claim, and answers with it. */
    const changed = (
      { id, msgId }: { readonly id: MailboxId; readonly msgId: MessageId },
      change: (
        principal: Principal,
        target: { readonly mailboxId: MailboxId; readonly id: MessageId },
      ) => Effect.Effect<MessageClaim | null, MailroomError>,
    ) =>
      Effect.flatMap(CurrentPrincipal, (principal) =>
        Effect.map(change(principal, { mailboxId: id, id: msgId }), (claim) => ({ claim })),
      ).pipe(answer)

    /** Releases a quarantined message, and answers with it. */
    const released = ({ id, msgId }: { readonly id: MailboxId; readonly msgId: MessageId }) =>
      Effect.flatMap(CurrentPrincipal, (principal) =>
        unreadAnswers.aroundChange(
          principal.account.id,
          Effect.map(quarantines.release(principal, id, msgId), (message) =>
            json({ claim: message.claim, message: viewMessage(message) }),
          ),
        ),
      ).pipe(answer)

    return (
      handlers
        // Interruptible while it waits: a client that hangs up frees its slot. The claim itself is one transaction.
        .handle("next", ({ path, payload }) =>
          claimed((principal) =>
            claims.oldest(principal, path.id, {
              leaseSeconds: payload?.leaseSeconds ?? CLAIM_LEASE_DEFAULT,
              filter: payload?.filter === undefined ? null : waitFilter("INBOUND", payload.filter),
              timeoutSeconds: payload?.timeout ?? 0,
              stopped: draining.begun,
            }),
          ),
        )
        .handle(
          "one",
          ({ path, payload }) =>
            claimed((principal) =>
              claims.one(
                principal,
                { mailboxId: path.id, id: path.msgId },
                payload?.leaseSeconds ?? CLAIM_LEASE_DEFAULT,
              ),
            ),
          { uninterruptible: true },
        )
        .handle(
          "renew",
          ({ path, payload: { token, leaseSeconds } }) =>
            changed(path, (principal, target) =>
              claims.renew(principal, target, token, leaseSeconds ?? null),
            ),
          { uninterruptible: true },
        )
        .handle(
          "release",
          ({ path, payload }) => {
            const token = payload?.token
            return token === undefined
              ? released(path)
              : changed(path, (principal, target) => claims.end(principal, target, token, "RELEASED"))
          },
          { uninterruptible: true },
        )
        .handle(
          "complete",
          ({ path, payload: { token } }) =>
            changed(path, (principal, target) => claims.end(principal, target, token, "COMPLETED")),
          { uninterruptible: true },
        )
        .handle(
          "takeBack",
          ({ path }) =>
            Effect.flatMap(CurrentPrincipal, (principal) =>
              claims.takeBack(principal, { mailboxId: path.id, id: path.msgId }),
            ).pipe(Effect.as({ deleted: true as const }), answer),
          { uninterruptible: true },
        )
    )
  }),
)
