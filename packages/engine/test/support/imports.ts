/** Imports of old mail. */
import { type ImportRequest, Imports } from "@mailroom/engine"
import { Effect, Stream } from "effect"
import { as, type Owner } from "./owners.js"

/** Imports a mail into the owner's mailbox. */
export const imported = (owner: Owner, mail: Uint8Array, over: Partial<ImportRequest> = {}) =>
  Effect.gen(function* () {
    const imports = yield* Imports
    return yield* imports.add(yield* as(owner), owner.mailboxId, {
      content: Stream.make(mail),
      sizeBytes: mail.length,
      direction: null,
      receivedAt: null,
      labels: [],
      read: true,
      ...over,
    })
  })
