/** Which work lets other work of the process use the database first. */
import { FiberRef } from "effect"

/**
 * Whether the database serves this fiber after the others that wait: it delivers the mail of a flood, or prepares search. A store
 * with one connection heeds it (`packages/store-sql/src/sqlite/connectionTurns.ts`).
 */
export const isPatient: FiberRef.FiberRef<boolean> = FiberRef.unsafeMake(false)
