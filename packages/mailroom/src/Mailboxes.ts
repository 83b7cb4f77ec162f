/** The mailboxes of an embedded Mailroom. */
import { type Mailbox, LocalPart, type MailboxId, InvalidInput } from "@mailroom/domain"
import { Mailboxes as EngineMailboxes } from "@mailroom/engine"
import { Context, Effect, Layer, Schema } from "effect"
import { EmbeddedAccount } from "./EmbeddedAccount.js"
import { atBorder, type MailroomFailure } from "./failures.js"

const decodeName = Schema.decode(LocalPart)

export class Mailboxes extends Context.Tag("mailroom/Mailboxes")<
  Mailboxes,
  {
    /** The mailbox with this address before the `@`. Makes it if there is none. */
    readonly adopt: (name: string) => Effect.Effect<Mailbox, MailroomFailure>
    readonly get: (id: MailboxId) => Effect.Effect<Mailbox, MailroomFailure>
    /** Oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<Mailbox>, MailroomFailure>
    /** Removes the mailbox and all its mail, and frees its address at once. */
    readonly remove: (id: MailboxId) => Effect.Effect<void, MailroomFailure>
  }
>() {
  static readonly layer: Layer.Layer<Mailboxes, never, EngineMailboxes | EmbeddedAccount> = Layer.effect(
    Mailboxes,
    Effect.gen(function* () {
      const mailboxes = yield* EngineMailboxes
      const { principal, domainId } = yield* EmbeddedAccount

      const named = (localPart: string) =>
        Effect.map(mailboxes.list(principal), (all) =>
          all.find((mailbox) => mailbox.domainId === domainId && mailbox.address === localPart),
        )

      const adopt = Effect.fn("Mailboxes.adopt")(function* (name: string) {
        const localPart = yield* Effect.mapError(
          decodeName(name),
          () =>
            new InvalidInput({
              issues: [
                { path: "name", message: "must be the part of an address before the @, such as agent" },
              ],
            }),
        )
        const found = yield* named(localPart)
        if (found !== undefined) return found
        return yield* mailboxes.create(principal, { localPart, displayName: null, domainId }).pipe(
          // Another process made it meanwhile.
          Effect.catchTag("AlreadyTaken", (taken) =>
            Effect.flatMap(named(localPart), (other) =>
              other === undefined ? taken : Effect.succeed(other),
            ),
          ),
        )
      })

      return {
        adopt: (name) => atBorder(adopt(name)),
        get: (id) => atBorder(mailboxes.get(principal, id)),
        list: atBorder(mailboxes.list(principal)),
        remove: (id) => atBorder(mailboxes.remove(principal, id)),
      }
    }),
  )
}
