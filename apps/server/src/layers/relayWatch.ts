/** Checks at the start and every minute whether the relay answers, for the log and for `/readyz`. */
import { Readiness } from "@mailroom/http"
import { SmtpRelay } from "@mailroom/mail"
import { Effect, Layer, Schedule } from "effect"
import type { ServerConfig } from "../config/variables.js"

const CHECK_EVERY = "1 minute"

/** Logs one line when the relay stops taking mail, and one when it takes mail again. */
export const relayWatch = ({ outbound }: ServerConfig): Layer.Layer<never, never, Readiness> =>
  outbound.kind === "capture"
    ? Layer.empty
    : Layer.scopedDiscard(
        Effect.gen(function* () {
          const { relayProblem, setRelayProblem } = yield* Readiness
          const check = Effect.gen(function* () {
            const before = yield* relayProblem
            const now = yield* SmtpRelay.check({ url: outbound.url }).pipe(
              Effect.match({
                onFailure: ({ reason }) => `does not take mail: ${reason}`,
                onSuccess: () => null,
              }),
            )
            yield* setRelayProblem(now)
            if (now !== null && now !== before)
              yield* Effect.logWarning(
                `The relay of OUTBOUND_URL ${now}. Mail that is to leave is refused until it does.`,
              )
            if (now === null && before !== null)
              yield* Effect.logInfo("The relay of OUTBOUND_URL takes mail again")
          })
          yield* Effect.forkScoped(Effect.repeat(check, Schedule.spaced(CHECK_EVERY)))
        }),
      )
