/**
 * Hashes and verifies passwords, which takes 50 ms and 19 MB each: four at a time, behind a bounded queue that serves
 * the waiting sites in turn (docs/decisions/0045).
 */
import {
  networksOf,
  type Overloaded,
  PASSWORD_WORK_AT_ONCE,
  PASSWORD_WORK_WAITING_MAX,
  PASSWORD_WORK_WAITING_PER_SITE,
} from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { Passwords } from "../ports/Crypto.js"
import { makeFairSemaphore } from "../workers/fairSemaphore.js"

/** Seconds after which a refused client should try again. */
const RETRY_AFTER = 2

export class PasswordWork extends Context.Tag("@mailroom/PasswordWork")<
  PasswordWork,
  {
    readonly hash: (password: string, clientAddress: string) => Effect.Effect<string, Overloaded>
    readonly verify: (
      hash: string,
      password: string,
      clientAddress: string,
    ) => Effect.Effect<boolean, Overloaded>
  }
>() {
  static readonly layer: Layer.Layer<PasswordWork, never, Passwords> = Layer.effect(
    PasswordWork,
    Effect.map(Passwords, (passwords) => {
      const withPermit = makeFairSemaphore({
        permits: PASSWORD_WORK_AT_ONCE,
        perGroup: PASSWORD_WORK_AT_ONCE,
        waitingMax: PASSWORD_WORK_WAITING_MAX,
        waitingPerGroup: PASSWORD_WORK_WAITING_PER_SITE,
        retryAfter: RETRY_AFTER,
      })
      const inTurn = <A>(clientAddress: string, work: Effect.Effect<A>) =>
        withPermit(networksOf(clientAddress).site, work)
      return PasswordWork.of({
        hash: (password, clientAddress) => inTurn(clientAddress, passwords.hash(password)),
        verify: (hash, password, clientAddress) => inTurn(clientAddress, passwords.verify(hash, password)),
      })
    }),
  )
}
