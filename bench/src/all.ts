/** Every benchmark, one after the other. */
import { Effect } from "effect"
import { accepting } from "./accepting.js"
import { fairness } from "./fairness.js"
import { program } from "./harness/alone.js"
import { inbound } from "./inbound.js"
import { latency } from "./latency.js"
import { lists } from "./lists.js"
import { page } from "./page.js"
import { startup } from "./startup.js"
import { streams } from "./streams.js"

const all = Effect.map(
  Effect.forEach([startup, latency, fairness, inbound, accepting, page, lists, streams], (benchmark) =>
    Effect.scoped(benchmark),
  ),
  (checks) => checks.flat(),
)

program(import.meta.url, all, 35)
