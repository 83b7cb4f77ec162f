/**
 * Parses mail for callers: imports, submissions, replies. Accounts take turns for the threads of `MimeParser`, which large and
 * slow mail in the inbound queue needs too, so that an account whose mails are slow to parse delays no other for long.
 */
import type { AccountId, Overloaded, ParsedMail } from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { MimeParser } from "../ports/MimeParser.js"
import { makeFairSemaphore } from "../workers/fairSemaphore.js"

/** One mail of each account at a time, and as many as there are threads. */
const PARSED_AT_ONCE = { permits: 2, perGroup: 1, waitingMax: 512, waitingPerGroup: 64, retryAfter: 5 }

export class CallerParser extends Context.Tag("@mailroom/CallerParser")<
  CallerParser,
  {
    /** Fails when too many mails wait. */
    readonly parse: (accountId: AccountId, raw: Uint8Array) => Effect.Effect<ParsedMail, Overloaded>
  }
>() {
  static readonly layer: Layer.Layer<CallerParser, never, MimeParser> = Layer.effect(
    CallerParser,
    Effect.map(MimeParser, (parser) => {
      const withPermit = makeFairSemaphore(PARSED_AT_ONCE)
      return {
        parse: (accountId, raw) =>
          withPermit(
            accountId,
            Effect.flatMap(parser.parse([raw]), ([mail]) =>
              mail === undefined ? Effect.dieMessage("the parser gave no answer") : Effect.succeed(mail),
            ),
          ),
      }
    }),
  )
}
