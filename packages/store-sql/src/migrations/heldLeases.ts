/** Leases by their holder: freeing those of a dead process reads them alone, however many rows have none. */
import { LEASED } from "./leases.js"

export const heldLeases = (): ReadonlyArray<string> =>
  LEASED.map((table) => `CREATE INDEX ${table}_held ON ${table} (locked_by) WHERE locked_until > 0`)
