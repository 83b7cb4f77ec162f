/** The order of lists: by creation, and by id where two were created in the same millisecond. */
import type { Instant } from "./time.js"

interface Created {
  readonly createdAt: Instant
  readonly id: string
}

export const oldestFirst = (a: Created, b: Created): number =>
  a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

export const newestFirst = (a: Created, b: Created): number => oldestFirst(b, a)
