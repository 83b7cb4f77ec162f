/**
 * Mailroom inside your own Node process, without a server or HTTP. The engine is one layer; this file configures its
 * storage, receives mail on port 2526, and runs an agent.
 *
 * `npm start -w @mailroom/embedded`, then write to it:
 * `curl smtp://127.0.0.1:2526 --mail-from you@corp.org --mail-rcpt agent@demo.mailroom.localhost -T mail.txt`
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Accounts } from "@mailroom/engine"
import { SmtpReceiver } from "@mailroom/mail"
import { NodeMailroom } from "@mailroom/node"
import { Effect, Layer, Redacted } from "effect"
import { agent } from "./agent.js"

const relayUrl = process.env["OUTBOUND_URL"]

/** The engine, its background workers, and the SMTP receiver. */
const mailroom = SmtpReceiver.layer({ host: "127.0.0.1", port: 2526, name: "mx.mailroom.localhost" }).pipe(
  Layer.provideMerge(
    NodeMailroom.layer(
      {
        baseUrl: "http://localhost",
        platformDomain: "mailroom.localhost",
        postmasterEmail: null,
        billing: "none",
        defaultPlan: "Developer",
        signup: "closed",
        signupsPerHour: 5,
        sendVelocityPerMinute: 60,
        webhookAllowPrivate: false,
        headerPrefix: "X-Service-",
      },
      NodeMailroom.inFolder(
        "data/embedded",
        relayUrl === undefined ? { kind: "capture" } : { kind: "relay", url: Redacted.make(relayUrl) },
      ),
    ),
  ),
)

const program = Effect.gen(function* () {
  const accounts = yield* Accounts
  // Creates the account at the first start, without signup and verification mail.
  const me = yield* accounts.adopt({ email: "owner@mailroom.localhost", slug: "demo", name: "Demo agent" })
  yield* agent(me)
})

program.pipe(Effect.scoped, Effect.provide(mailroom), NodeRuntime.runMain)
