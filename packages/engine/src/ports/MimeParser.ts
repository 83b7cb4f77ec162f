/** Raw bytes to values. */
import type { ParsedMail } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

/**
 * Mails in, mails out, in their order. Never fails and never stalls: a mail that is malformed, or takes longer than
 * the parser's deadline, comes back with what could be read of it and a `defect` that says why, and costs the others
 * nothing. Interruptible.
 */
export class MimeParser extends Context.Tag("@mailroom/MimeParser")<
  MimeParser,
  {
    readonly parse: (raws: ReadonlyArray<Uint8Array>) => Effect.Effect<ReadonlyArray<ParsedMail>>
    /**
     * For many small mails: gives up on a mail that takes much longer than small mails do (about a second). None means
     * that the mail needs `parse`. Never waits for a mail that `parse` reads.
     */
    readonly parsePromptly: (
      raws: ReadonlyArray<Uint8Array>,
    ) => Effect.Effect<ReadonlyArray<Option.Option<ParsedMail>>>
  }
>() {}
