/** After kill -9, the simulator reacts to each mail that was sent to it (docs/specification/bulk.md). */
import { describe, expect, it } from "@effect/vitest"
import { eventually, temporaryFolder } from "@mailroom/test-services"
import { Effect } from "effect"
import { at, verifiedAccount } from "../support/account.js"
import { messages } from "../support/messages.js"
import { startServer } from "../support/server.js"

describe("after kill -9", () => {
  it.scopedLive("the next process reports the bounce of a mail to the simulator", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const first = yield* startServer(folder)
      const account = yield* verifiedAccount(first, "simulated")
      yield* first.stop("SIGTERM")
      // Without the role that delivers, the reports stay in the queue.
      const sending = yield* startServer(folder, { ROLES: "http" })
      const { mailboxId } = account
      const { status } = yield* at(sending, account).call(`POST /v1/mailboxes/${mailboxId}/messages`, {
        body: { to: ["bounced@simulator.mailroom.localhost"], subject: "Hello", bodyText: "Hello" },
      })
      expect(status).toBe(201)
      yield* sending.stop("SIGKILL")
      const next = yield* startServer(folder)
      yield* eventually(
        "the message bounced",
        messages(at(next, account)),
        ([message]) => message?.status === "BOUNCED",
      )
    }),
  )
})
