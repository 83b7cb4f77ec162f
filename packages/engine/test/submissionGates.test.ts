/** A submission passes the gates of a send, whatever its header says: each policy, and each rule that refuses. */
import { describe, expect } from "@effect/vitest"
import { AddressLists } from "@mailroom/engine"
import { Effect } from "effect"
import { proveSender, received, SENDER } from "./support/arrivals.js"
import { changeMailbox, suppress, suspendAccount } from "./support/changes.js"
import { pause, setPolicies } from "./support/drafts.js"
import { NOON, rule } from "./support/mailroom.js"
import { mailsTo } from "./support/outbox.js"
import { as, type Owner, paying } from "./support/owners.js"
import { mailText, submit } from "./support/submissions.js"

const UNKNOWN = "eve@elsewhere.org"
const SENT = /^250 2\.0\.0 sent as /
const HELD = /^250 2\.0\.0 queued for review as /

/** Submits a mail whose header names somebody that the mailbox knows, and asks for more recipients. The envelope is `to`. */
const submitTo = (owner: Owner, to: string) =>
  submit(
    owner,
    mailText([
      `From: ${owner.address}`,
      `To: friends: ${SENDER};`,
      `Resent-To: ${UNKNOWN}`,
      `Bcc: ${UNKNOWN}`,
      "Subject: Hello",
    ]),
    [to],
  )

/** An owner to whom `SENDER` has written. */
const heard = Effect.gen(function* () {
  const owner = yield* paying()
  yield* proveSender
  yield* received(owner.address)
  return owner
})

const block = (owner: Owner, entry: string) =>
  Effect.gen(function* () {
    const lists = yield* AddressLists
    const list = { mailboxId: owner.mailboxId, direction: "send", kind: "block" } as const
    yield* lists.add(yield* as(owner), list, { entry, reason: null })
  })

describe("a submission", () => {
  rule(
    "is sent or held by the policy, as its envelope decides",
    Effect.gen(function* () {
      const owner = yield* heard
      for (const [outboundPolicy, known, unknown] of [
        ["open", SENT, SENT],
        ["review_new", SENT, HELD],
        ["review", HELD, HELD],
      ] as const) {
        yield* setPolicies(owner, { outboundPolicy })
        expect(yield* submitTo(owner, SENDER)).toMatch(known)
        expect(yield* submitTo(owner, UNKNOWN)).toMatch(unknown)
      }
      expect(yield* mailsTo(SENDER)).toHaveLength(2)
      expect(yield* mailsTo(UNKNOWN)).toHaveLength(1)
    }),
  )

  rule(
    "is refused by every rule that refuses a send",
    Effect.gen(function* () {
      const owner = yield* heard
      yield* setPolicies(owner, { outboundPolicy: "review" })
      for (const [to, reply] of [
        ["eve@example.com", /^550 5\.1\.2 /],
        ["eve@mailinator.com", /^550 5\.1\.2 /],
      ] as const)
        expect(yield* submitTo(owner, to)).toMatch(reply)
      yield* block(owner, SENDER)
      expect(yield* submitTo(owner, SENDER)).toMatch(/^550 5\.7\.1 .* block list/)
      expect(yield* submitTo(owner, SENDER.replace("@", "+x@"))).toMatch(/^550 5\.7\.1 .* block list/)
      yield* suppress(owner, UNKNOWN)
      expect(yield* submitTo(owner, UNKNOWN)).toMatch(/^550 5\.1\.1 /)
      expect(yield* submitTo(owner, UNKNOWN.replace("@", "+x@"))).toMatch(/^550 5\.1\.1 /)
      const stopped = { sendingStoppedAt: NOON, sendingStopReason: "BOUNCES" } as const
      yield* changeMailbox(owner, stopped)
      expect(yield* submitTo(owner, "bob@elsewhere.org")).toMatch(/^550 5\.7\.1 /)
      yield* changeMailbox(owner, { sendingStoppedAt: null, sendingStopReason: null, status: "paused" })
      expect(yield* submitTo(owner, "bob@elsewhere.org")).toMatch(/^550 5\.2\.1 /)
      yield* changeMailbox(owner, { status: "ACTIVE" })
      yield* pause(owner)
      expect(yield* submitTo(owner, "bob@elsewhere.org")).toMatch(
        /^550 5\.7\.1 The owner has paused all sends/,
      )
      yield* suspendAccount(owner)
      const refused = yield* Effect.either(submitTo(owner, "bob@elsewhere.org"))
      expect(JSON.stringify(refused)).toContain("550 5.7.1")
      for (const address of [SENDER, UNKNOWN, "bob@elsewhere.org"])
        expect(yield* mailsTo(address)).toEqual([])
    }),
  )
})
