/** Complaints, counted for each account. */
import type { Complaint } from "@mailroom/client"

export interface Complained {
  readonly accountId: string
  readonly slug: string
  readonly count: number
  /** when the newest came, as the service writes it */
  readonly newest: string
}

/** The accounts of a list of complaints, newest first: those with the most at first. */
export const complaintsByAccount = (complaints: ReadonlyArray<Complaint>): ReadonlyArray<Complained> => {
  const found = new Map<string, Complained>()
  for (const { accountId, slug, at } of complaints) {
    const known = found.get(accountId) ?? { accountId, slug, count: 0, newest: at }
    found.set(accountId, { ...known, count: known.count + 1 })
  }
  return [...found.values()].toSorted((one, other) => other.count - one.count)
}
