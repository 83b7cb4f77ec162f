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
     * For mail of the fast lane, many at a time: None for a mail that takes longer than about a second, which then needs
     * `parse`. Has threads of its own, so it never waits for a mail in `parse`.
     */
    readonly parseFast: (
      raws: ReadonlyArray<Uint8Array>,
    ) => Effect.Effect<ReadonlyArray<Option.Option<ParsedMail>>>
  }
>() {}
