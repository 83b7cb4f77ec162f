/** Invitations to sign up, needed where `signup` is `invite`. */
import {
  DAY,
  type Invitation,
  InvitationId,
  INVITATION_DAYS_DEFAULT,
  INVITATIONS_SHOWN_MAX,
  InvitationRequired,
  InvalidToken,
  NotFound,
  operatorActor,
  SignupClosed,
  viewInvitation,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { AuditLog } from "../audit/AuditLog.js"
import { Ids } from "../ids/Ids.js"
import { Vault } from "../ports/Crypto.js"
import { Settings } from "../ports/Settings.js"
import { InvitationStore } from "../ports/stores/InvitationStore.js"
import { UnitOfWork } from "../UnitOfWork.js"

/** Random bytes of an invitation token. */
const TOKEN_BYTES = 24

export class Invitations extends Context.Tag("@mailroom/Invitations")<
  Invitations,
  {
    /**
     * Called by the operator. The invitation expires after `days` (default 7). Only its hash is stored, so the token is
     * shown only here.
     */
    readonly create: (
      days?: number,
    ) => Effect.Effect<{ readonly invitation: Invitation; readonly token: string }>
    /** The newest 100 invitations, newest first. Invitations are removed 30 days after they expire. */
    readonly list: Effect.Effect<ReadonlyArray<Invitation>>
    /** Removes an invitation: its token no longer works. */
    readonly revoke: (id: InvitationId) => Effect.Effect<void, NotFound>
    /** Fails unless signup is allowed with this token (null: none). Does not use the invitation up. */
    readonly check: (
      token: string | null,
    ) => Effect.Effect<void, SignupClosed | InvitationRequired | InvalidToken>
    /** Inside the transaction that creates the account: as `check`, and uses the invitation up where one is needed. */
    readonly redeem: (
      token: string | null,
    ) => Effect.Effect<void, SignupClosed | InvitationRequired | InvalidToken>
  }
>() {
  static readonly layer = Layer.effect(
    Invitations,
    Effect.gen(function* () {
      const store = yield* InvitationStore
      const vault = yield* Vault
      const ids = yield* Ids
      const audit = yield* AuditLog
      const { commit } = yield* UnitOfWork
      const { signup } = yield* Settings

      /** Applies the signup mode; where an invitation is needed, `isAccepted` decides by the hash of its token. */
      const admit = Effect.fnUntraced(function* (token: string | null, isAccepted: typeof store.isGood) {
        if (signup === "open") return
        if (signup === "closed") return yield* new SignupClosed()
        if (token === null) return yield* new InvitationRequired()
        const now = yield* Clock.currentTimeMillis
        if (!(yield* isAccepted(vault.digest(token), now)))
          return yield* new InvalidToken({ what: "invitation" })
      })

      return {
        create: Effect.fn("Invitations.create")(function* (days = INVITATION_DAYS_DEFAULT) {
          const now = yield* Clock.currentTimeMillis
          const token = yield* ids.secret(TOKEN_BYTES)
          const record = {
            id: InvitationId.make(yield* ids.uuid),
            hash: vault.digest(token),
            createdAt: now,
            expiresAt: now + days * DAY,
            usedAt: null,
          }
          yield* commit(
            Effect.zipRight(
              store.insert(record),
              audit.record({
                accountId: null,
                actor: operatorActor,
                action: "invitation.created",
                target: record.id,
                detail: { days },
              }),
            ),
          )
          return { invitation: viewInvitation(record), token }
        }),
        list: Effect.map(store.newest(INVITATIONS_SHOWN_MAX), (records) => records.map(viewInvitation)),
        revoke: Effect.fn("Invitations.revoke")(function* (id) {
          yield* commit(
            Effect.gen(function* () {
              if (!(yield* store.remove(id))) return yield* new NotFound({ resource: "invitation" })
              yield* audit.record({
                accountId: null,
                actor: operatorActor,
                action: "invitation.revoked",
                target: id,
              })
            }),
          )
        }),
        check: (token) => admit(token, store.isGood),
        redeem: (token) => admit(token, store.redeem),
      }
    }),
  )
}
