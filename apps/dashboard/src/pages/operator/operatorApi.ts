/** What the operator's pages load. They are shown only with an admin token. */
import type { Mailroom, Stats } from "@mailroom/client"
import { operator, readCounters } from "../../data/operator.js"
import { loader } from "../../data/resource.js"
import { parseCounters, type Sample } from "../../rules/counters.js"

/** The operator's routes. The frame shows the form of the token while there is none. */
export const admin = (): Mailroom["admin"] => {
  const client = operator.value
  if (client === null) throw new Error("There is no admin token.")
  return client.admin
}

export const stats = loader(async (_, signal): Promise<Stats> => admin().stats({ signal }))
export const errors = loader(async (_, signal) => (await admin().errors({ signal })).items)
export const invitations = loader(async (_, signal) => (await admin().invitations({ signal })).items)
export const stopped = loader(
  async (_, signal) => (await admin().stoppedMailboxes({ limit: 20 }, { signal })).items,
)

export interface Reading {
  readonly samples: ReadonlyArray<Sample>
  /** milliseconds since 1970 */
  readonly at: number
}

export const counters = loader(async (_, signal): Promise<Reading> => ({
  samples: parseCounters(await readCounters(signal)),
  at: Date.now(),
}))
