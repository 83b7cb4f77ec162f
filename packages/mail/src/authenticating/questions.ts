/** The questions that sender authentication asks of DNS, within the budget of one mail. */
import type { Dns, DnsAnswer, RecordType } from "@mailroom/engine"
import type { Effect } from "effect"
import { isHostName } from "./hostName.js"

export type Ask = (type: RecordType, name: string) => Promise<DnsAnswer>

/**
 * Questions of one mail that are not answered from the cache. Ten signatures, ten look-ups of SPF (RFC 7208 §4.6.4) and the
 * addresses of some exchanges fit in.
 */
export const QUESTIONS_PER_MAIL = 50

/** Names that mean nothing in DNS (RFC 6761 §6): they are nobody's, so they are not asked for. */
const specialUse: ReadonlySet<string> = new Set(["test", "invalid", "example", "localhost"])

const isAskable = (host: string): boolean =>
  host.length <= 253 &&
  isHostName(host) &&
  !specialUse.has(host.slice(host.lastIndexOf(".") + 1).toLowerCase())

const known = (dns: Dns["Type"], type: RecordType, name: string): DnsAnswer | undefined =>
  isAskable(name.replace(/\.$/, "")) ? dns.known({ type, name }) : []

/** Answers from the cache alone. `isComplete` is false once an answer was missing. */
export const cachedOnly = (dns: Dns["Type"]): { readonly ask: Ask; readonly isComplete: () => boolean } => {
  let complete = true
  return {
    ask: async (type, name) => {
      const answer = known(dns, type, name)
      if (answer === undefined) complete = false
      return answer ?? "unavailable"
    },
    isComplete: () => complete,
  }
}

export interface MailQuestions {
  /** Beyond the budget of the mail everything is unavailable. */
  readonly ask: Ask
  /** Spends the budget: what is open or asked from now on is unavailable. */
  readonly end: () => void
}

/** `asker` is the address that handed the mail over. */
export const questionsOfMail = (
  dns: Dns["Type"],
  run: <A>(effect: Effect.Effect<A>) => Promise<A>,
  asker: string,
): MailQuestions => {
  let left = QUESTIONS_PER_MAIL
  const open = new Set<() => void>()
  return {
    ask: async (type, name) => {
      const answer = known(dns, type, name)
      if (answer !== undefined) return answer
      if (left === 0) return "unavailable"
      left -= 1
      return new Promise((resolve) => {
        const giveUp = () => resolve("unavailable")
        open.add(giveUp)
        // While everything closes nobody answers any more.
        void run(dns.ask({ type, name }, asker))
          .then(resolve, giveUp)
          .finally(() => open.delete(giveUp))
      })
    },
    end: () => {
      left = 0
      for (const giveUp of open) giveUp()
    },
  }
}

/** For work that asks nothing. */
export const noQuestions: MailQuestions = { ask: async () => "unavailable", end: () => {} }
