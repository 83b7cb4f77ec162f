/** Accepting mail: whom for, and when it is safe (decisions §6). */
import { describe, expect } from "@effect/vitest"
import {
  Blobs,
  Engine,
  Mailboxes,
  RawMailStore,
  Reception,
  StorageFailure,
  storageFailureIn,
} from "@mailroom/engine"
import { Effect, Exit, Layer, Option, Stream } from "effect"
import { accepted, aMail, envelopeTo, received, SENDER } from "./support/arrivals.js"
import { changeMailbox, suspendAccount } from "./support/changes.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { as, signUp, unverified } from "./support/owners.js"
import { listed, subjectsOf } from "./support/reading.js"

const verdict = (address: string) =>
  Effect.flatMap(Reception, ({ recipients }) => Effect.map(recipients([address]), ([one]) => one?.kind))

describe("a recipient", () => {
  rule(
    "is accepted in any case, and with a tag",
    Effect.gen(function* () {
      yield* unverified()
      for (const address of [
        "agent@acme.mailroom.localhost",
        "Agent@ACME.Mailroom.Localhost",
        "agent+orders@acme.mailroom.localhost",
        "agent+a+b@acme.mailroom.localhost",
      ])
        expect(yield* verdict(address)).toBe("accepted")
    }),
  )

  rule(
    "is unknown when no mailbox has the address",
    Effect.gen(function* () {
      yield* unverified()
      for (const address of [
        "sales@acme.mailroom.localhost",
        "agent@other.mailroom.localhost",
        "agent@mailroom.localhost",
        "+agent@acme.mailroom.localhost",
        SENDER,
        "",
      ])
        expect(yield* verdict(address)).toBe("unknown")
    }),
  )

  rule(
    "has to wait until its mailbox is provisioned",
    Effect.gen(function* () {
      yield* signUp("acme")
      expect(yield* verdict("agent@acme.mailroom.localhost")).toBe("not provisioned")
      yield* Engine.settle
      expect(yield* verdict("agent@acme.mailroom.localhost")).toBe("accepted")
    }),
  )

  rule(
    "is suspended with its mailbox",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* changeMailbox(owner, { status: "suspended" })
      expect(yield* verdict(owner.address)).toBe("suspended")
    }),
  )

  rule(
    "is suspended with its account",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* suspendAccount(owner)
      expect(yield* verdict(owner.address)).toBe("suspended")
    }),
  )

  rule(
    "receives while its mailbox is paused",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const mailboxes = yield* Mailboxes
      const paused = { displayName: undefined, status: "paused" } as const
      yield* mailboxes.update(yield* as(owner), owner.mailboxId, paused)
      expect(yield* verdict(owner.address)).toBe("accepted")
      yield* received(owner.address, { subject: "While paused" })
      expect(subjectsOf(yield* listed(owner))).toEqual(["While paused"])
    }),
  )

  rule(
    "with a tag gets the mail into the mailbox without it",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* received("Agent+orders@acme.mailroom.localhost", { subject: "Tagged" })
      expect(subjectsOf(yield* listed(owner))).toEqual(["Tagged"])
    }),
  )
})

/** A queue that takes nothing the first time. */
const failsOnce = Layer.effect(
  RawMailStore,
  Effect.map(RawMailStore, (store) => {
    let failures = 1
    const enqueue: typeof store.enqueue = (entries) =>
      failures-- > 0
        ? Effect.die(new StorageFailure({ reason: "unavailable", cause: "locked" }))
        : store.enqueue(entries)
    return { ...store, enqueue }
  }),
)

describe("a storage failure", () => {
  ruleWith(failsOnce)(
    "leaves none of the mails half stored",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { accept } = yield* Reception
      const content = { kind: "inline" as const, bytes: aMail({ subject: "one" }) }
      const mails = [1, 2].map(() => ({ envelope: envelopeTo([owner.address], 0), content }))
      const exit = yield* Effect.exit(accept(mails))
      const failure = Exit.isFailure(exit) ? storageFailureIn(exit.cause) : Option.none()
      expect(Option.map(failure, ({ reason }) => reason)).toEqual(Option.some("unavailable"))
      yield* accepted(owner.address, aMail({ subject: "three" }))
      yield* Engine.settle
      expect(subjectsOf(yield* listed(owner))).toEqual(["three"])
    }),
  )
})

describe("a large mail", () => {
  const large = aMail({ subject: "Large", text: "x".repeat(300_000) })
  const stage = Effect.flatMap(Reception, (reception) => reception.stage(Stream.make(large)))

  rule(
    "is staged in the blob store and delivered from there",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const reception = yield* Reception
      const content = yield* stage
      expect(content).toMatchObject({ kind: "blob", sizeBytes: large.length })
      yield* reception.accept([{ envelope: envelopeTo([owner.address], 0), content }])
      yield* Engine.settle
      const [message] = yield* listed(owner)
      expect(message).toMatchObject({ subject: "Large", truncated: true })
      expect(message?.bodyText).toHaveLength(65_536)
    }),
  )

  rule(
    "that is refused after all is forgotten",
    Effect.gen(function* () {
      const [reception, blobs] = yield* Effect.all([Reception, Blobs])
      const content = yield* stage
      const stored = content.kind === "blob" ? blobs.get(content.key) : Effect.dieMessage("not staged")
      expect(Option.isSome(yield* stored)).toBe(true)
      yield* reception.discard(content)
      expect(Option.isNone(yield* stored)).toBe(true)
    }),
  )
})
