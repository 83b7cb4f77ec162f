import { Dns, MailSigner } from "@mailroom/engine"
import { SignatureThread } from "@mailroom/mail"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { mailSignerContract, signingKey } from "./mailSigner.contract.js"
import { senderAuthenticationContract } from "./senderAuthentication.contract.js"
import { dnsWith, evaluated, keyRecords, mailFrom, signedByOthers } from "./support/senders.js"

const zones = {
  "acme.dev": { txt: ["v=spf1 ip4:192.0.2.1 -all"] },
  "s._domainkey.acme.dev": { txt: [keyRecords.rsa] },
}

const thread = () => Layer.provideMerge(SignatureThread.layer(), dnsWith(zones))

senderAuthenticationContract("SignatureThread", thread())
mailSignerContract("SignatureThread", thread())

const sign = (raw: Uint8Array, privateKey = signingKey.privateKey) =>
  Effect.flatMap(MailSigner, (signer) => signer.sign(raw, { ...signingKey, privateKey }))

/** Too large for the main thread to scan. */
const saying = (text: string) =>
  Buffer.concat([mailFrom("ada@acme.dev"), Buffer.from(`${text}\r\n${"x".repeat(20_000)}\r\n`)])

type Deadline = "300 millis" | "1 second" | "20 seconds"

const moodyThread = (deadline: Deadline, limit?: "20 seconds") =>
  SignatureThread.layer({
    workerFile: new URL("./support/moodySignatureWorker.mjs", import.meta.url),
    deadline,
    maxHeapMb: 32,
    limit,
  })

const moody = (deadline: Deadline, limit?: "20 seconds") =>
  Effect.provide(Layer.provideMerge(moodyThread(deadline, limit), dnsWith(zones)))

/** DNS with the key of one domain, silent about all other keys. */
const withKeyOf = (domain: string, wait: Effect.Effect<never> = Effect.never) =>
  Layer.succeed(
    Dns,
    Dns.of({
      addresses: () => wait,
      mx: () => wait,
      txt: () => wait,
      known: () => undefined,
      ask: ({ name }) => {
        if (name === `s._domainkey.${domain}`) return Effect.succeed([keyRecords.rsa])
        return name.includes("_domainkey") ? wait : Effect.succeed([])
      },
    }),
  )

describe("the signature thread, while name servers are silent", () => {
  it.live("verifies other mail, however many mails wait for their keys", () =>
    Effect.gen(function* () {
      const stuck = yield* signedByOthers(saying("x"), { domain: "silent.dev" })
      const honest = yield* signedByOthers(saying("y"))
      expect((yield* evaluated(honest)).dkim).toBe("pass")
      const waiting = yield* Effect.forEach(Array.from({ length: 100 }), () => Effect.fork(evaluated(stuck)))
      // Until the thread has asked for the first of their keys.
      yield* Effect.repeatN(Effect.yieldNow(), 100)
      expect((yield* evaluated(honest)).dkim).toBe("pass")
      expect((yield* Effect.forEach(waiting, Fiber.join)).map(({ dkim }) => dkim)).toEqual(
        waiting.map(() => "temperror"),
      )
    }).pipe(Effect.provide(Layer.provideMerge(SignatureThread.layer(), withKeyOf("acme.dev")))),
  )
})

describe("a signature thread that crashes or hangs", () => {
  // Only a thread that hangs may reach its deadline, however busy the machine is.
  for (const [mood, deadline] of [
    ["hang", "300 millis"],
    ["exit", "20 seconds"],
    ["hoard", "20 seconds"],
  ] as const)
    it.live(`${mood}: its mail is temperror, a new thread verifies and signs the others`, () =>
      Effect.gen(function* () {
        const mails = yield* Effect.forEach(["a", `${mood} now`, "b"], (text) => signedByOthers(saying(text)))
        const [results, signed] = yield* Effect.all(
          [Effect.forEach(mails, (raw) => evaluated(raw), { concurrency: "unbounded" }), sign(saying("c"))],
          { concurrency: "unbounded" },
        )
        expect(results.map(({ dkim, spf }) => [spf, dkim])).toEqual([
          ["pass", "pass"],
          ["pass", "temperror"],
          ["pass", "pass"],
        ])
        expect((yield* evaluated(signed)).dkim).toBe("pass")
        // A busy machine takes longer than two seconds to start three threads one after the other.
      }).pipe(moody(deadline, "20 seconds")),
    )

  it.live("closing while a lookup is open breaks nothing", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const silent = Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never)
      const dns = withKeyOf("other.dev", silent)
      const scope = yield* Scope.make()
      const built = yield* Layer.buildWithScope(Layer.provide(SignatureThread.layer(), dns), scope)
      const raw = yield* signedByOthers(saying("x"))
      const waiting = yield* Effect.fork(Effect.provide(evaluated(raw), built))
      yield* Deferred.await(asked)
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.interrupt(waiting)
    }),
  )

  it.live("is replaced while a mail waits for silent name servers, and that mail goes on waiting", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const silent = Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never)
      yield* Effect.gen(function* () {
        expect((yield* evaluated(yield* signedByOthers(saying("first")))).dkim).toBe("pass")
        const stuck = yield* signedByOthers(saying("x"), { domain: "silent.dev" })
        const hanging = yield* signedByOthers(saying("hang now"))
        const waiting = yield* Effect.fork(evaluated(stuck))
        yield* Deferred.await(asked)
        expect((yield* evaluated(hanging)).dkim).toBe("temperror")
        expect(waiting.unsafePoll()).toBeNull()
        expect((yield* Fiber.join(waiting)).dkim).toBe("temperror")
      }).pipe(Effect.provide(Layer.provideMerge(moodyThread("300 millis"), withKeyOf("acme.dev", silent))))
    }),
  )

  it.live("an interrupted mail does not hold up the next one, which is verified", () =>
    Effect.gen(function* () {
      const raw = yield* signedByOthers(saying("hang now"))
      expect((yield* evaluated(yield* signedByOthers(saying("first")))).dkim).toBe("pass")
      const stuck = yield* Effect.forEach(Array.from({ length: 30 }), () => Effect.fork(evaluated(raw)))
      // Until the thread has all of them.
      yield* Effect.repeatN(Effect.yieldNow(), 100)
      yield* Fiber.interruptAll(stuck)
      // Each one would take its deadline of a second, and an evaluation ends after twenty.
      expect((yield* evaluated(yield* signedByOthers(saying("next")))).dkim).toBe("pass")
    }).pipe(moody("1 second", "20 seconds")),
  )

  it.live("a mail that cannot be signed is a defect, and the next one is signed", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.exit(sign(saying("x"), "no key"))
      expect(Exit.isFailure(failed) && Cause.isDie(failed.cause)).toBe(true)
      expect((yield* sign(saying("x"))).length).toBeGreaterThan(0)
    }).pipe(Effect.provide(thread())),
  )
})
