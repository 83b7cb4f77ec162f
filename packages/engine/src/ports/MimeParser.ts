/** Parses raw mail. */
import type { ParsedMail } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

/**
 * Both methods return results in the order of their arguments, never fail, and are interruptible. A mail that is malformed,
 * or exceeds the parser's deadline, returns what could be read and a `defect` with the reason; the other mails of the call
 * are not affected.
 */
export class MimeParser extends Context.Tag("@mailroom/MimeParser")<
  MimeParser,
  {
    readonly parse: (raws: ReadonlyArray<Uint8Array>) => Effect.Effect<ReadonlyArray<ParsedMail>>
    /**
     * For many small mails: None for a mail that takes longer than about a second, which then needs `parse`. Never
     * waits for a mail in `parse`.
     */
    readonly parsePromptly: (
      raws: ReadonlyArray<Uint8Array>,
    ) => Effect.Effect<ReadonlyArray<Option.Option<ParsedMail>>>
  }
>() {}
