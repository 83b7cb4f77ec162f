/** Rows without a test yet, and what they wait for. A test fails when this is not exactly what is missing. */
import type { RowId } from "./index.js"

const until = (what: string, ...ids: ReadonlyArray<RowId>) => ids.map((id) => [id, what] as const)

/** By row. */
export const waiting: Readonly<Record<string, string>> = Object.fromEntries([
  ...until(
    "comes with reports of delivery",
    "events.emission.delivered",
    "events.emission.bounced",
    "events.emission.complaint",
    "events.shape.delivered",
    "events.shape.bounced",
    "events.shape.complaint",
  ),
  ...until("comes with loop protection", "decisions.send.loop"),
])
