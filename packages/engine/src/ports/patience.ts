/** Which work lets other work of the process use the database first. */
import { FiberRef } from "effect"

/**
 * Low priority for the database: true while a fiber delivers the mail of a flood, or prepares search. SQLite serves such fibers last
 * (`packages/store-sql/src/sqlite/connectionTurns.ts`).
 */
export const isPatient: FiberRef.FiberRef<boolean> = FiberRef.unsafeMake(false)
