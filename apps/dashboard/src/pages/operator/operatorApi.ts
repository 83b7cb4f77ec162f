/** What the operator's pages load. They are shown only with an admin token. */
import type { Mailroom, Stats } from "@mailroom/client"
import { operator, readCounters } from "../../data/operator.js"
import { loader } from "../../data/resource.js"
import { type Complained, complaintsByAccount } from "../../rules/complaints.js"
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

interface ComplainedAbout extends Complained {
  readonly bouncedToday: number
  readonly sentToday: number
}

/** Complaints that are looked at, and accounts that are shown, at most. */
const COMPLAINTS = 100
const ACCOUNTS = 10

/** The accounts with the most of the newest complaints. */
export const complainedAbout = loader(async (_, signal): Promise<ReadonlyArray<ComplainedAbout>> => {
  const { items } = await admin().complaints({ limit: COMPLAINTS }, { signal })
  const accounts = complaintsByAccount(items).slice(0, ACCOUNTS)
  return Promise.all(
    accounts.map(async (complained) => {
      const [account] = (await admin().accounts({ q: complained.accountId, limit: 1 }, { signal })).items
      return { ...complained, bouncedToday: account?.bouncedToday ?? 0, sentToday: account?.sentToday ?? 0 }
    }),
  )
})

export interface Reading {
  readonly samples: ReadonlyArray<Sample>
  /** milliseconds since 1970 */
  readonly at: number
}

export const counters = loader(async (_, signal): Promise<Reading> => ({
  samples: parseCounters(await readCounters(signal)),
  at: Date.now(),
}))
