/** The rules over sockets: HTTP, SMTP and webhooks of a service in two processes, on Postgres and S3. */
import { it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { SocketWorld } from "../src/SocketWorld.js"
import { World } from "../src/World.js"
import { tests } from "./parts/index.js"
import { isComplete, nameOf, runsOverSockets } from "./running.js"

/** It would query real name servers; its rules are tested in memory, where the test controls DNS. */
const VERIFY_DOMAIN = "POST /v1/domains/{id}/verify"
/** It exists where the operator has set a support address: `packages/http/test/support.test.ts`. */
const SUPPORT = "POST /v1/support"

const all = Object.values(tests).flat()

// Tests have their own accounts, so they run concurrently.
describe.concurrent("over sockets", () => {
  layer(SocketWorld.manyProcesses, { excludeTestServices: true })((it) => {
    for (const test of all)
      if (runsOverSockets(test) || (test.kind === "wire" && test.variables === null))
        it.scoped(nameOf(test), () => test.run)

    // Tests that run in memory this time cover some of them.
    if (isComplete)
      describe.sequential("after all of them", () => {
        it.effect(
          "every operation of the OpenAPI document was answered with success, but for support and a look at DNS",
          () =>
            Effect.map(World, ({ operations, succeeded }) => {
              const missing = operations.filter((operation) => !succeeded().has(operation))
              expect(missing).toEqual([SUPPORT, VERIFY_DOMAIN])
            }),
        )
      })
  })
  for (const test of all)
    if (test.kind === "wire" && test.variables !== null)
      it.scopedLive(nameOf(test), () => Effect.provide(test.run, SocketWorld.layer(test.variables ?? {})))
})
