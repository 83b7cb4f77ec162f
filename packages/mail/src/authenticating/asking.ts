/** `Lookup` for code that waits for promises. */
import type { Effect } from "effect"
import type { Answer, Lookup, RecordType } from "./lookup.js"

export type Ask = (type: RecordType, name: string) => Promise<Answer>

export const askingWith =
  (lookup: Lookup, run: <A>(effect: Effect.Effect<A>) => Promise<A>): Ask =>
  async (type, name) =>
    lookup.known(type, name) ?? run(lookup.ask(type, name))

/** Asks nobody: what is not known yet is unavailable, and counted. */
export const knowing = (lookup: Lookup): { readonly ask: Ask; readonly missed: () => boolean } => {
  let missed = false
  return {
    ask: async (type, name) => {
      const answer = lookup.known(type, name)
      missed ||= answer === undefined
      return answer ?? "unavailable"
    },
    missed: () => missed,
  }
}
