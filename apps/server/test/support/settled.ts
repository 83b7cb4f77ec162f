/** What is stored after a crash, once no mail waits. */
import { eventually } from "@mailroom/test-services"
import { Effect } from "effect"
import { type Account, at } from "./account.js"
import { rows } from "./database.js"
import { messages } from "./messages.js"
import type { Server } from "./server.js"

/** Variables of a server that refuses no mail of a test. */
export const unlimited = { BILLING: "none", DEFAULT_PLAN: "Scale" }

const received = (folder: string) =>
  Effect.map(rows(folder, "SELECT envelope FROM events WHERE kind = 'message.received'"), (events) =>
    events.map(({ envelope }) => /"subject":"([^"]*)"/.exec(String(envelope))?.[1] ?? ""),
  )

/** Waits until nothing is queued, and returns the subjects of the messages and of the events. */
export const settled = Effect.fn(function* (server: Server, account: Account) {
  yield* eventually(
    "the queue is empty",
    rows(server.folder, "SELECT count(*) AS queued FROM inbound_queue"),
    ([row]) => row?.["queued"] === 0,
  )
  const stored = yield* messages(at(server, account))
  return {
    stored: stored.map(({ subject }) => subject).sort(),
    events: (yield* received(server.folder)).sort(),
  }
})
