/** A COMMIT whose answer is lost, and a lost COMMIT, on Postgres behind a TCP proxy (docs/decisions/0042). */
import { describe, expect, it } from "@effect/vitest"
import { BLOB_DRAFT_KEPT_FOR, MINUTE } from "@mailroom/domain"
import { Attachments, Blobs, Consumers, Engine, MessageStore, storageFailureIn } from "@mailroom/engine"
import { tcpProxyTo, freshDatabase } from "@mailroom/test-services"
import { clockAt } from "@mailroom/testing"
import { Effect, Exit, type Layer, Option, Stream, TestClock } from "effect"
import { blobKeys, watchedBlobs } from "./support/blobs.js"
import { NOON } from "./support/mailroom.js"
import { type Owner, as, paying } from "./support/owners.js"
import { accountOf, listed } from "./support/reading.js"
import { engineOn } from "./support/postgres.js"
import { forward, inline, RECIPIENT, send, upload } from "./support/sends.js"

/** A database behind a proxy that cuts the connection at the next answer with this text. */
const cutDatabase = Effect.gen(function* () {
  const url = new URL(yield* freshDatabase())
  let next: string | null = null
  const cutsAt = (answer: Buffer): boolean => {
    if (next === null || !answer.includes(next)) return false
    next = null
    return true
  }
  const { port } = yield* tcpProxyTo(url.hostname, Number(url.port), undefined, cutsAt)
  url.port = String(port)
  return {
    url: url.href,
    cutAt: (text: string) =>
      Effect.sync(() => {
        next = text
      }),
  }
})

type Cut = Effect.Effect.Success<typeof cutDatabase>

/** Runs a body on an engine on such a database, at noon. */
const onCut = <A, E>(
  name: string,
  body: (
    cut: Cut,
    owner: Owner,
  ) => Effect.Effect<
    A,
    E,
    Layer.Layer.Success<ReturnType<typeof engineOn<Layer.Layer.Success<typeof watchedBlobs>>>>
  >,
) =>
  it.scoped(name, () =>
    Effect.gen(function* () {
      const cut = yield* cutDatabase
      yield* Effect.gen(function* () {
        const owner = yield* paying()
        return yield* body(cut, owner)
      }).pipe(Effect.provide(engineOn(cut.url, "one", watchedBlobs)))
    }).pipe(Effect.provide(clockAt(NOON))),
  )

const isAway = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Option.isSome(storageFailureIn(exit.cause))

const FILE = Buffer.from("of the message")
const LARGE = "long ".repeat(80_000)

describe("a COMMIT whose answer is lost", () => {
  onCut("of a send leaves its message, its files and its raw mail whole", (cut, owner) =>
    Effect.gen(function* () {
      yield* cut.cutAt("COMMIT\0")
      const exit = yield* Effect.exit(send(owner, { bodyText: LARGE, attachments: [inline("a.bin", FILE)] }))
      expect(isAway(exit)).toBe(true)
      yield* TestClock.adjust(BLOB_DRAFT_KEPT_FOR + MINUTE)
      yield* Engine.settle

      const [message] = yield* listed(owner)
      if (message === undefined) return yield* Effect.dieMessage("the message is not there")
      expect(message).toMatchObject({ status: "UNKNOWN", attachments: [{ filename: "a.bin" }] })
      const [file] = message.attachments
      if (file === undefined) return yield* Effect.dieMessage("the file is not there")
      const attachments = yield* Attachments
      const { url } = yield* attachments.get(yield* as(owner), file.id)
      const query = new URL(url).searchParams
      const { open } = yield* attachments.download({
        id: file.id,
        expiresAt: Number(query.get("expires")),
        signature: query.get("signature") ?? "",
      })
      const { content } = yield* open(null)
      expect(Buffer.concat([...(yield* Stream.runCollect(content))])).toEqual(FILE)
      const forwarded = yield* forward(owner, message.id, { to: [RECIPIENT] })
      expect(forwarded.content.attachments).toMatchObject([{ filename: "a.bin" }])
      const { rawId } = yield* Effect.flatten((yield* MessageStore).byId(owner.mailboxId, message.id))
      expect(Option.isSome(yield* (yield* Blobs).get(`raw/${rawId}`))).toBe(true)
    }),
  )

  onCut("of a consumer's claim hands out each event once", (cut, owner) =>
    Effect.gen(function* () {
      const consumers = yield* Consumers
      const principal = yield* as(owner)
      const terms = { name: "worker", from: "now" as const, filter: { mailboxes: null, kinds: null } }
      const seen: Array<number> = []
      const drain = consumers.drain(principal, terms, ({ attempt }) => Effect.sync(() => seen.push(attempt)))
      yield* drain
      yield* send(owner)
      yield* send(owner)
      yield* cut.cutAt("COMMIT\0")
      expect(isAway(yield* Effect.exit(drain))).toBe(true)
      yield* TestClock.adjust(3 * MINUTE)
      yield* drain
      expect(seen).toHaveLength(2)
      expect(yield* drain).toBe(0)
    }),
  )

  onCut("of an upload leaves the file", (cut, owner) =>
    Effect.gen(function* () {
      yield* cut.cutAt("COMMIT\0")
      expect(isAway(yield* Effect.exit(upload(owner, "a.bin", FILE)))).toBe(true)
      yield* TestClock.adjust(BLOB_DRAFT_KEPT_FOR + MINUTE)
      yield* Engine.settle
      expect(yield* blobKeys).toHaveLength(1)
      expect(yield* accountOf(owner)).toMatchObject({ storageUsedBytes: FILE.length })
    }),
  )
})

describe("a transaction that the database never committed", () => {
  onCut("of a send leaves no blob behind, once the collector has come", (cut, owner) =>
    Effect.gen(function* () {
      // Cuts at the answer to the statement that records the send, which removes the drafts of two blobs.
      yield* cut.cutAt("DELETE 2\0")
      const exit = yield* Effect.exit(send(owner, { bodyText: LARGE, attachments: [inline("a.bin", FILE)] }))
      expect(isAway(exit)).toBe(true)
      expect(yield* blobKeys).toHaveLength(2)
      yield* TestClock.adjust(BLOB_DRAFT_KEPT_FOR + MINUTE)
      yield* Engine.settle
      expect(yield* listed(owner)).toEqual([])
      expect(yield* blobKeys).toEqual([])
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 0, storageUsedBytes: 0 })
    }),
  )
})
