/**
 * Mailroom inside your own Node process, without a server or HTTP: it receives mail on port 2525, and an agent answers it.
 *
 * `npm start -w @mailroom/embedded`, then write to it:
 * `curl smtp://127.0.0.1:2525 --mail-from you@corp.org --mail-rcpt agent@mailroom.localhost -T mail.txt --crlf`
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Layer } from "effect"
import { Mailroom } from "mailroom"
import { agent } from "./agent.js"

Layer.scopedDiscard(agent).pipe(
  Layer.provide(Mailroom.layer({ folder: "data/embedded" })),
  Layer.launch,
  NodeRuntime.runMain,
)
