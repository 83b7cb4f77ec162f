/** One mail through the `MimeParser` at hand. */
import type { ParsedMail } from "@mailroom/domain"
import { MimeParser } from "@mailroom/engine"
import { Effect } from "effect"

export const parsed = (raw: Uint8Array): Effect.Effect<ParsedMail, never, MimeParser> =>
  Effect.flatMap(MimeParser, ({ parse }) =>
    Effect.flatMap(parse([raw]), ([mail]) =>
      mail === undefined ? Effect.dieMessage("the parser gave no answer") : Effect.succeed(mail),
    ),
  )
