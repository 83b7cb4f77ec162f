/** Owners in a browser that is signed in; what their agents send, and what left. */
import { eventually } from "@mailroom/test-services"
import type { SharedBrowser } from "@mailroom/test-services/browser"
import { Effect, Schema, type Scope } from "effect"
import type { Account } from "../../../server/test/support/account.js"
import { call, read } from "../../../server/test/support/http.js"
import type { Server } from "../../../server/test/support/server.js"
import { submitSignIn } from "./reading.js"
import { type Look, type Visit, visit } from "./visit.js"

/** Every mail of the mailbox waits for a person. */
export const reviewEverything = ({ call: ask, mailboxId }: Account): Effect.Effect<unknown> =>
  ask(`PATCH /v1/mailboxes/${mailboxId}`, { body: { outboundPolicy: "review", displayName: "Support" } })

const Held = Schema.Struct({ draft: Schema.Struct({ id: Schema.String, digest: Schema.String }) })

/** The agent sends, and the mail is held. */
export const agentSends = ({ call: ask, mailboxId }: Account, body: object) =>
  Effect.map(ask(`POST /v1/mailboxes/${mailboxId}/messages`, { body }), (answer) => read(Held, answer).draft)

/** Opens a page of the dashboard as the owner. */
export const visitAs = (
  server: Server,
  account: Account,
  path: string,
  look: Look,
): Effect.Effect<Visit, never, Scope.Scope | SharedBrowser> =>
  Effect.tap(visit(server.url, `/signin?next=${encodeURIComponent(path)}`, look), ({ page, step }) =>
    step(async () => {
      await submitSignIn(page, account)
      await page.waitForURL((url) => url.pathname === path.split("?")[0])
    }),
  )

const Outbox = Schema.Struct({
  messages: Schema.Array(
    Schema.Struct({
      to: Schema.Array(Schema.String),
      subject: Schema.String,
      text: Schema.NullOr(Schema.String),
      attachments: Schema.Array(Schema.Struct({ filename: Schema.String, sizeBytes: Schema.Int })),
    }),
  ),
})

/** The mails that left to an address. */
export const leftTo = (server: Server, to: string) =>
  Effect.map(call(server, `GET /dev/outbox?to=${to}`), (answer) => read(Outbox, answer).messages)

/** The mails that left to an address, once there is one. */
export const firstLeftTo = (server: Server, to: string) =>
  eventually(`a mail left to ${to}`, leftTo(server, to), (mails) => mails.length > 0)
