/** Invitations: who has one may open an account while signing up is by invitation. */
import {
  DAY,
  type Invitation,
  InvitationId,
  INVITATION_DAYS_DEFAULT,
  INVITATIONS_SHOWN_MAX,
  InvitationRequired,
  InvalidToken,
  NotFound,
  SignupClosed,
  viewInvitation,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { Ids } from "../ids/Ids.js"
import { Vault } from "../ports/Crypto.js"
import { Settings } from "../ports/Settings.js"
import { InvitationStore } from "../ports/stores/InvitationStore.js"

/** Random bytes in a token. */
const TOKEN_BYTES = 24

export class Invitations extends Context.Tag("@mailroom/Invitations")<
  Invitations,
  {
    /** For the operator. Expires after `days`, 7 unless given. The token is returned here and never again. */
    readonly create: (
      days?: number,
    ) => Effect.Effect<{ readonly invitation: Invitation; readonly token: string }>
    /** The newest 100, newest first; those that expired 30 days ago are gone. */
    readonly list: Effect.Effect<ReadonlyArray<Invitation>>
    /** Nobody can use it from now on. */
    readonly revoke: (id: InvitationId) => Effect.Effect<void, NotFound>
    /** Whether somebody with this token, or with none, may open an account now; nothing is used up. */
    readonly check: (
      token: string | null,
    ) => Effect.Effect<void, SignupClosed | InvitationRequired | InvalidToken>
    /** Inside the transaction that opens the account: uses the invitation up, where one is needed. */
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
      const { signup } = yield* Settings

      /** `isAccepted` gets the hash of the token, where one is needed. */
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
          yield* store.insert(record)
          return { invitation: viewInvitation(record), token }
        }),
        list: Effect.map(store.newest(INVITATIONS_SHOWN_MAX), (records) => records.map(viewInvitation)),
        revoke: Effect.fn("Invitations.revoke")(function* (id) {
          if (!(yield* store.remove(id))) return yield* new NotFound({ resource: "invitation" })
        }),
        check: (token) => admit(token, store.isGood),
        redeem: (token) => admit(token, store.redeem),
      }
    }),
  )
}
