/** Requests with an `Idempotency-Key` (`spec: decisions.idempotency.once`; docs/decisions/0021). */
import { describe, expect } from "@effect/vitest"
import { IDEMPOTENCY_LEASE, MessageStatus, RELAYING_ENDS_WITHIN } from "@mailroom/domain"
import {
  type Attempt,
  Idempotency,
  IdempotencyStore,
  type KeyedRequest,
  Mailboxes,
  type SendResult,
  MessageStore,
  StorageFailure,
} from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Context, Deferred, Effect, Exit, Fiber, Layer, TestClock } from "effect"
import { rule, ruleWith } from "./support/mailroom.js"
import { mailsTo } from "./support/outbox.js"
import { as, type Owner, paying, unverified } from "./support/owners.js"
import { refused } from "./support/refused.js"
import { RECIPIENT, send } from "./support/sends.js"
import { Relaying, slowRelay } from "./support/slowRelay.js"

const attempt = (body: string, final = true): Attempt => ({
  answer: { status: 201, headers: { "content-type": "text/plain" }, body },
  final,
})

const sent = (result: SendResult) =>
  Effect.succeed(attempt(result.kind === "sent" ? result.message.content.id : result.draft.id).answer)

/** Runs work under a key, as the same request unless the test changes it. */
const ask = <R>(owner: Owner, work: Effect.Effect<Attempt, never, R>, over: Partial<KeyedRequest> = {}) =>
  Effect.gen(function* () {
    const { once } = yield* Idempotency
    const principal = yield* Effect.orDie(as(owner))
    const asked = { key: "k", route: "POST /here", body: { a: 1 }, ...over }
    const { answer, replayed } = yield* once(principal, asked, work, sent)
    return { answer: yield* answer, replayed }
  })

/** Work that commits a change. */
const create = (owner: Owner, localPart: string) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    yield* mailboxes.create(yield* as(owner), { localPart, displayName: null, domainId: null })
    return attempt(localPart)
  }).pipe(Effect.orDie)

const localParts = (owner: Owner) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    return (yield* mailboxes.list(yield* as(owner))).map(({ address }) => address)
  })

const gone = Effect.dieMessage("gone")

describe("a repetition", () => {
  rule(
    "gets the stored response with its headers, and does no work",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const first = yield* ask(owner, create(owner, "new"))
      expect(first).toEqual({ answer: attempt("new").answer, replayed: false })
      expect(yield* ask(owner, gone)).toEqual({ ...first, replayed: true })
    }),
  )

  rule(
    "during the first request is refused with Retry-After 1, whatever its body",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const mayEnd = yield* Deferred.make<void>()
      const first = yield* Effect.fork(ask(owner, Effect.as(Deferred.await(mayEnd), attempt("done"))))
      yield* Effect.yieldNow()
      expect(yield* refused(ask(owner, gone))).toMatchObject({ _tag: "IdempotencyKeyInUse", retryAfter: 1 })
      expect(yield* refused(ask(owner, gone, { body: { a: 2 } }))).toMatchObject({
        _tag: "IdempotencyKeyReused",
      })
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(first)
      expect((yield* ask(owner, gone)).replayed).toBe(true)
    }),
  )

  rule(
    "gets the response that a disconnected client did not wait for",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const [begun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const work = Deferred.succeed(begun, undefined).pipe(
        Effect.zipRight(Deferred.await(mayEnd)),
        Effect.zipRight(create(owner, "new")),
      )
      const first = yield* Effect.fork(ask(owner, work))
      yield* Deferred.await(begun)
      const hangingUp = yield* Effect.fork(Fiber.interrupt(first))
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(hangingUp)
      expect(yield* ask(owner, gone)).toEqual({ answer: attempt("new").answer, replayed: true })
    }),
  )
})

describe("large responses", () => {
  const large = (letter: string) => letter.repeat(20 * 1024 * 1024)
  const answering = (owner: Owner, letter: string) => Effect.as(create(owner, letter), attempt(large(letter)))

  rule(
    "are stored up to 64 MB an account; a repetition of the next one does no work, and has no response",
    Effect.gen(function* () {
      const owner = yield* paying()
      for (const letter of ["a", "b", "c"])
        expect((yield* ask(owner, answering(owner, letter), { key: letter })).answer.body).toHaveLength(
          large(letter).length,
        )
      expect(yield* ask(owner, gone, { key: "b" })).toEqual({
        answer: attempt(large("b")).answer,
        replayed: true,
      })
      expect(yield* refused(ask(owner, gone, { key: "c" }))).toMatchObject({ _tag: "IdempotencyResultLost" })
      yield* TestClock.adjust("1 day")
      yield* ask(owner, answering(owner, "d"), { key: "d" })
      expect((yield* ask(owner, gone, { key: "d" })).replayed).toBe(true)
    }),
  )

  rule(
    "of sends are those of their messages without room",
    Effect.gen(function* () {
      const owner = yield* paying()
      for (const letter of ["a", "b"]) yield* ask(owner, answering(owner, letter), { key: letter })
      const padding = large("c")
      const work = Effect.map(sendAs(owner), ({ answer }) => attempt(answer.body + padding))
      const { answer } = yield* ask(owner, work)
      expect(yield* ask(owner, gone)).toMatchObject({
        answer: { body: answer.body.slice(0, -padding.length) },
        replayed: true,
      })
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )
})

describe("work that takes longer than its lease", () => {
  rule(
    "commits nothing after another request leased its key",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const [begun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Deferred.succeed(begun, undefined).pipe(
        Effect.zipRight(Deferred.await(mayEnd)),
        Effect.zipRight(create(owner, "slow")),
      )
      const first = yield* Effect.fork(Effect.flip(ask(owner, slow)))
      yield* Deferred.await(begun)
      yield* TestClock.adjust(IDEMPOTENCY_LEASE)
      yield* ask(owner, create(owner, "second"))
      yield* Deferred.succeed(mayEnd, undefined)
      expect(yield* Fiber.join(first)).toMatchObject({ _tag: "IdempotencyKeyInUse" })
      expect(yield* localParts(owner)).toEqual(["agent", "second"])
      expect((yield* ask(owner, gone)).answer.body).toBe("second")
    }),
  )
})

describe("a send whose relay is slow", () => {
  ruleWith(slowRelay)(
    "keeps its key in use until relaying has ended",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { begun, mayEnd } = yield* Relaying
      const first = yield* Effect.fork(ask(owner, sendAs(owner)))
      yield* Deferred.await(begun)
      yield* TestClock.adjust(RELAYING_ENDS_WITHIN)
      expect(yield* refused(ask(owner, gone))).toMatchObject({ _tag: "IdempotencyKeyInUse" })
      yield* Deferred.succeed(mayEnd, undefined)
      const { answer } = yield* Fiber.join(first)
      expect(yield* ask(owner, gone)).toEqual({ answer, replayed: true })
    }),
  )
})

describe("work that dies", () => {
  rule(
    "before its first commit frees the key at once",
    Effect.gen(function* () {
      const owner = yield* unverified()
      expect(Exit.isFailure(yield* Effect.exit(ask(owner, gone)))).toBe(true)
      expect((yield* ask(owner, create(owner, "new"), { body: { a: 2 } })).replayed).toBe(false)
    }),
  )

  rule(
    "after a commit does not run again",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const work = Effect.zipRight(create(owner, "new"), gone)
      expect(Exit.isFailure(yield* Effect.exit(ask(owner, work)))).toBe(true)
      expect(yield* refused(ask(owner, create(owner, "again")))).toMatchObject({
        _tag: "IdempotencyResultLost",
      })
      expect(yield* localParts(owner)).toEqual(["agent", "new"])
    }),
  )
})

describe("a response that is not final", () => {
  rule(
    "is returned, and the key may be used again",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const later = Effect.succeed(attempt("later", false))
      expect(yield* ask(owner, later)).toMatchObject({ answer: { body: "later" }, replayed: false })
      expect(yield* ask(owner, create(owner, "new"))).toMatchObject({ replayed: false })
      expect((yield* ask(owner, later)).answer.body).toBe("new")
    }),
  )

  rule(
    "does not undo earlier commits of the request",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* ask(owner, Effect.as(create(owner, "new"), attempt("later", false)))
      expect(yield* refused(ask(owner, create(owner, "again")))).toMatchObject({
        _tag: "IdempotencyResultLost",
      })
    }),
  )
})

const fails = () => Effect.die(new StorageFailure({ reason: "full", cause: new Error("no space left") }))

/** A store that fails to store the end of a request. */
const forgetful = ruleWith(
  Layer.effect(
    IdempotencyStore,
    Effect.map(IdempotencyStore, (store) => ({ ...store, answer: fails, release: fails })),
  ),
)

const sendAs = (owner: Owner) =>
  send(owner).pipe(
    Effect.map(({ content }) => attempt(content.id)),
    Effect.catchAll(({ _tag }) => Effect.succeed(attempt(_tag))),
  )

const sendLost = Effect.gen(function* () {
  const owner = yield* paying()
  const { answer } = yield* ask(owner, sendAs(owner))
  yield* TestClock.adjust(IDEMPOTENCY_LEASE)
  return { owner, id: answer.body }
})

describe("a response that could not be stored", () => {
  forgetful(
    "is returned all the same",
    Effect.gen(function* () {
      const owner = yield* unverified()
      expect(yield* ask(owner, create(owner, "new"))).toMatchObject({ answer: { body: "new" } })
      yield* TestClock.adjust(IDEMPOTENCY_LEASE)
      expect(yield* refused(ask(owner, create(owner, "again")))).toMatchObject({
        _tag: "IdempotencyResultLost",
      })
      expect(yield* localParts(owner)).toEqual(["agent", "new"])
    }),
  )

  forgetful(
    "of a send leaves the key in use until the lease ends",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* ask(owner, sendAs(owner))
      yield* TestClock.adjust(IDEMPOTENCY_LEASE - 1)
      expect(yield* refused(ask(owner, gone))).toMatchObject({ _tag: "IdempotencyKeyInUse" })
    }),
  )

  for (const status of MessageStatus.literals.filter((one) => one !== "RECEIVED"))
    forgetful(
      status === "SENDING" || status === "UNKNOWN"
        ? `of a send whose message is ${status} is unknown`
        : `of a send whose message is ${status} is that message`,
      Effect.gen(function* () {
        const { owner, id } = yield* sendLost
        const messages = yield* MessageStore
        const again = ask(owner, gone)
        const [first] = yield* mailsTo(RECIPIENT)
        expect(first?.raw).toContain(id)
        const message = yield* Effect.flatten(
          messages.byRfcId(owner.mailboxId, `<${id}@acme.mailroom.localhost>`),
        )
        yield* messages.setStatus(message.content.id, status, null)
        if (status === "SENDING" || status === "UNKNOWN")
          expect(yield* refused(again)).toMatchObject({ _tag: "SendOutcomeUnknown", messageId: id })
        else expect(yield* again).toMatchObject({ answer: { body: id }, replayed: true })
      }),
    )

  forgetful(
    "of a send that the relay refused lets the request run again",
    Effect.gen(function* () {
      const owner = yield* paying()
      const relay = yield* MemoryRelay
      yield* relay.answer(RECIPIENT, "550 no such user")
      expect((yield* ask(owner, sendAs(owner))).answer.body).toBe("RelayRefused")
      yield* relay.answer(RECIPIENT, null)
      yield* TestClock.adjust(IDEMPOTENCY_LEASE)
      expect(yield* ask(owner, sendAs(owner))).toMatchObject({ replayed: false })
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )
})

/** The store of keys, which a test can make unavailable. */
class KeyStore extends Context.Tag("test/KeyStore")<
  KeyStore,
  { readonly away: (away: boolean) => Effect.Effect<void> }
>() {}

/** While unavailable, a claim commits but its reply is lost; other calls do not reach the store. */
const keyStoreGoesAway = ruleWith(
  Layer.effectContext(
    Effect.map(IdempotencyStore, (store) => {
      let isAway = false
      const orAway = Effect.suspend(() =>
        isAway ? Effect.die(new StorageFailure({ reason: "unavailable", cause: "as told" })) : Effect.void,
      )
      return Context.make(IdempotencyStore, {
        ...store,
        claim: (...claim) => Effect.zipLeft(store.claim(...claim), orAway),
        answer: (...ending) => Effect.zipRight(orAway, store.answer(...ending)),
        release: (...ending) => Effect.zipRight(orAway, store.release(...ending)),
      }).pipe(
        Context.add(KeyStore, {
          away: (away) =>
            Effect.sync(() => {
              isAway = away
            }),
        }),
      )
    }),
  ),
)

const keyStoreIsAway = (away: boolean) => Effect.flatMap(KeyStore, (store) => store.away(away))

/** Longer than the pause between two retries. */
const backAgain = Effect.zipRight(keyStoreIsAway(false), TestClock.adjust("1 second"))

describe("a key during an outage of its store", () => {
  keyStoreGoesAway(
    "is free after the outage when the reply to its claim was lost",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* keyStoreIsAway(true)
      expect(Exit.isFailure(yield* Effect.exit(ask(owner, gone)))).toBe(true)
      yield* TestClock.adjust("1 minute")
      yield* backAgain
      expect(yield* ask(owner, create(owner, "new"))).toMatchObject({ replayed: false })
    }),
  )

  keyStoreGoesAway(
    "is free after the outage when the work changed nothing",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const work = Effect.zipRight(keyStoreIsAway(true), gone)
      expect(Exit.isFailure(yield* Effect.exit(ask(owner, work)))).toBe(true)
      yield* TestClock.adjust("1 minute")
      yield* backAgain
      expect(yield* ask(owner, create(owner, "new"))).toMatchObject({ replayed: false })
    }),
  )

  keyStoreGoesAway(
    "has its response after the outage when the work is done",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const first = yield* ask(owner, Effect.zipLeft(create(owner, "new"), keyStoreIsAway(true)))
      yield* TestClock.adjust("1 minute")
      yield* backAgain
      expect(yield* ask(owner, gone)).toEqual({ ...first, replayed: true })
    }),
  )
})

describe("the same key", () => {
  rule(
    "of another credential or on another route is another request",
    Effect.gen(function* () {
      const [owner, other] = [yield* unverified("one"), yield* unverified("two")]
      yield* ask(owner, create(owner, "new"))
      expect((yield* ask(owner, create(owner, "elsewhere"), { route: "POST /there" })).replayed).toBe(false)
      expect((yield* ask(other, create(other, "new"))).replayed).toBe(false)
    }),
  )
})
