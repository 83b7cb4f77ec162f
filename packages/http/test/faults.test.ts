/** Faults of the code and of the storage, as answers: 500 and 503 with quota headers and `Retry-After`. */
import { it } from "@effect/vitest"
import { Engine, MailTokenStore, StorageFailure, ThreadStore } from "@mailroom/engine"
import { InMemoryHttp, inMemoryPorts } from "@mailroom/testing"
import { Context, Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { signUp } from "./support/accounts.js"
import { ask } from "./support/contract.js"

/** A service whose lists of threads and whose look for the token of a link end so. */
const failing = (outcome: Effect.Effect<never>) =>
  InMemoryHttp.layerOver.pipe(
    Layer.provideMerge(Engine.layer),
    Layer.provideMerge(
      Layer.map(inMemoryPorts(), (ports) =>
        ports.pipe(
          Context.add(ThreadStore, { ...Context.get(ports, ThreadStore), recent: () => outcome }),
          Context.add(MailTokenStore, { ...Context.get(ports, MailTokenStore), byHash: () => outcome }),
        ),
      ),
    ),
  )

const dyingOf = (defect: unknown) => failing(Effect.die(defect))

const listThreads = Effect.gen(function* () {
  const { key, mailboxId } = yield* signUp()
  return yield* ask(`GET /v1/mailboxes/${mailboxId}/threads`, { key })
})

const storage = (reason: StorageFailure["reason"]) =>
  new StorageFailure({ reason, cause: new Error("SQLITE_BUSY: database is locked") })

describe("a fault", () => {
  for (const [what, defect] of [
    ["of the code", new Error("secret inside")],
    ["that the store did not expect", storage("unexpected")],
  ] as const)
    it.scoped(`${what} gives 500, tells nothing of the inside, and carries the quota`, () =>
      Effect.gen(function* () {
        const answer = yield* listThreads
        expect([answer.status, answer.json]).toEqual([
          500,
          { error: "Internal error", code: "INTERNAL_ERROR" },
        ])
        expect(answer.headers.get("x-service-inbound-quota")).toBe("0/100")
      }).pipe(Effect.provide(dyingOf(defect))),
    )

  it.scoped("that interrupts a request gives 503 and says when to come back", () =>
    Effect.gen(function* () {
      const answer = yield* listThreads
      expect([answer.status, answer.json]).toEqual([503, { error: expect.any(String), code: "INTERRUPTED" }])
      expect(answer.headers.get("retry-after")).toBe("1")
      expect(answer.headers.get("x-service-inbound-quota")).toBe("0/100")
    }).pipe(Effect.provide(failing(Effect.interrupt))),
  )

  for (const reason of ["unavailable", "full"] as const)
    it.scoped(`of a storage that is ${reason} gives 503 and says when to come back`, () =>
      Effect.gen(function* () {
        const answer = yield* listThreads
        expect([answer.status, answer.json]).toEqual([
          503,
          { error: expect.any(String), code: "STORAGE_UNAVAILABLE" },
        ])
        expect(answer.text).not.toContain("SQLITE")
        expect(answer.headers.get("retry-after")).toBe("5")
        expect(answer.headers.get("x-service-inbound-quota")).toBe("0/100")
      }).pipe(Effect.provide(dyingOf(storage(reason)))),
    )

  it.scoped("gives a browser that posted a form a page, and a program JSON", () =>
    Effect.gen(function* () {
      const form = { "content-type": "application/x-www-form-urlencoded" }
      const post = (accept: string) =>
        ask("POST /v1/auth/verify-email", { headers: { ...form, accept }, body: "token=1" })
      const page = yield* post("text/html,application/xhtml+xml,*/*;q=0.8")
      expect(page.status).toBe(503)
      expect(page.headers.get("content-type")).toMatch(/^text\/html/)
      expect(page.headers.get("retry-after")).toBe("5")
      expect(page.text).toContain("Try again shortly.")
      expect((yield* post("*/*")).json).toEqual({ error: expect.any(String), code: "STORAGE_UNAVAILABLE" })
    }).pipe(Effect.provide(dyingOf(storage("unavailable")))),
  )
})
