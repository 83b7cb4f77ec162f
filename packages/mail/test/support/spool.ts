/** `MailSpool` in memory, with a few mailboxes and a record of its calls. */
import { type Envelope, type RawContent, MailSpool, StorageFailure } from "@mailroom/engine"
import { Context, Deferred, Effect, Layer, Stream } from "effect"

export interface Accepted {
  readonly envelope: Envelope
  readonly content: RawContent
  /** Latin-1 */
  readonly text: string
}

export class FakeSpool extends Context.Tag("test/FakeSpool")<
  FakeSpool,
  {
    readonly accepted: Effect.Effect<ReadonlyArray<Accepted>>
    /** how many mails each call of `accept` had */
    readonly groups: Effect.Effect<ReadonlyArray<number>>
    /** keys of staged blobs that were not discarded */
    readonly staged: Effect.Effect<ReadonlyArray<string>>
    /** number of blobs ever begun */
    readonly stagings: Effect.Effect<number>
    /** resolves with the key of the first blob that is discarded */
    readonly discarded: Effect.Effect<string>
    /** what `accept`, `stage` and `recipients` do from now on */
    readonly fail: (
      reason: StorageFailure["reason"] | "defect" | "never answer" | null,
    ) => Effect.Effect<void>
    /** what only `accept` does from now on */
    readonly failAccept: (reason: StorageFailure["reason"]) => Effect.Effect<void>
    /** resolves when `accept` was called */
    readonly acceptCalled: Effect.Effect<void>
    /** `accept` waits from now on until the effect returned is run */
    readonly hold: Effect.Effect<Effect.Effect<void>>
  }
>() {
  /** `agent@` and `other@mailroom.test` exist; `suspended@` is suspended, `new@` is not provisioned. */
  static readonly layer: Layer.Layer<FakeSpool | MailSpool> = Layer.effectContext(
    Effect.gen(function* () {
      const accepted: Array<Accepted> = []
      const groups: Array<number> = []
      const blobs = new Map<string, Buffer>()
      const firstDiscarded = yield* Deferred.make<string>()
      const called = yield* Deferred.make<void>()
      let stagings = 0
      let gate: Effect.Effect<void> = Effect.void
      let failure: StorageFailure["reason"] | "defect" | "never answer" | null = null
      const trouble = Effect.suspend((): Effect.Effect<void> => {
        if (failure === null) return Effect.void
        if (failure === "never answer") return Effect.never
        if (failure === "defect") return Effect.die(new Error("boom"))
        return Effect.die(new StorageFailure({ reason: failure, cause: "test" }))
      })
      const bytesOf = (content: RawContent): Buffer =>
        content.kind === "inline"
          ? Buffer.from(content.bytes)
          : (blobs.get(content.key) ?? Buffer.from("gone"))
      const kinds = {
        agent: "accepted",
        other: "accepted",
        suspended: "suspended",
        new: "not provisioned",
      } as const
      const kindOf = (name: string) =>
        name === "agent" || name === "other" || name === "suspended" || name === "new"
          ? kinds[name]
          : "unknown"
      return Context.make(MailSpool, {
        recipients: (requests) =>
          Effect.map(trouble, () =>
            requests.map(({ to }) => {
              const [name = "", domain, ...more] = to.toLowerCase().split("@")
              if (domain !== "mailroom.test" || more.length > 0) return { kind: "unknown" as const }
              return { kind: kindOf(name.replace(/\+.*$/, "").replace(/^agent\d+$/, "agent")) }
            }),
          ),
        stage: (content) =>
          Effect.gen(function* () {
            const key = `blob-${++stagings}`
            yield* trouble
            const chunks = yield* Stream.runCollect(content)
            const bytes = Buffer.concat([...chunks])
            blobs.set(key, bytes)
            return { kind: "blob" as const, key, sizeBytes: bytes.length }
          }),
        discard: (content) =>
          Effect.suspend(() => {
            if (content.kind === "inline") return Effect.void
            blobs.delete(content.key)
            return Deferred.succeed(firstDiscarded, content.key)
          }),
        accept: (mails) =>
          Effect.gen(function* () {
            groups.push(mails.length)
            yield* Deferred.succeed(called, undefined)
            yield* trouble
            yield* gate
            for (const { envelope, content } of mails)
              accepted.push({ envelope, content, text: bytesOf(content).toString("latin1") })
          }),
      }).pipe(
        Context.add(FakeSpool, {
          accepted: Effect.sync(() => [...accepted]),
          groups: Effect.sync(() => [...groups]),
          staged: Effect.sync(() => [...blobs.keys()]),
          stagings: Effect.sync(() => stagings),
          discarded: Deferred.await(firstDiscarded),
          fail: (reason) =>
            Effect.sync(() => {
              failure = reason
            }),
          failAccept: (reason) =>
            Effect.sync(() => {
              gate = Effect.die(new StorageFailure({ reason, cause: "test" }))
            }),
          acceptCalled: Deferred.await(called),
          hold: Effect.gen(function* () {
            const open = yield* Deferred.make<void>()
            gate = Deferred.await(open)
            return Effect.asVoid(Deferred.succeed(open, undefined))
          }),
        }),
      )
    }),
  )
}
