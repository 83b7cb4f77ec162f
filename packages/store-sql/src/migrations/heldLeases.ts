/** Leases by their holder, so that freeing those of a dead process reads no other rows. */
import { FIRST_LEASED } from "./leases.js"

export const heldLeases = (): ReadonlyArray<string> =>
  FIRST_LEASED.map((table) => `CREATE INDEX ${table}_held ON ${table} (locked_by) WHERE locked_until > 0`)
