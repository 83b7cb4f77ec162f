/** `Lookup` for code that waits for promises. */
import type { Effect } from "effect"
import type { Answer, Lookup, RecordType } from "./lookup.js"

export type Ask = (type: RecordType, name: string) => Promise<Answer>

export const askingWith =
  (lookup: Lookup, run: <A>(effect: Effect.Effect<A>) => Promise<A>): Ask =>
  async (type, name) =>
    lookup.known(type, name) ?? run(lookup.ask(type, name))

export interface Question {
  readonly type: RecordType
  readonly name: string
}

/** Asks nobody: what is not known yet is unavailable, and noted. */
export const knowing = (
  lookup: Lookup,
): { readonly ask: Ask; readonly missed: () => ReadonlyArray<Question> } => {
  const missed: Array<Question> = []
  return {
    ask: async (type, name) => {
      const answer = lookup.known(type, name)
      if (answer === undefined) missed.push({ type, name })
      return answer ?? "unavailable"
    },
    missed: () => missed,
  }
}
