/** Every row over sockets: HTTP, SMTP and webhooks of a running server. */
import { layer } from "@effect/vitest"
import { describe } from "vitest"
import { SocketWorld } from "../src/SocketWorld.js"
import { tests } from "./parts/index.js"

// Rows have accounts of their own: they run side by side.
describe.concurrent("over sockets", () => {
  layer(SocketWorld.layer, { excludeTestServices: true, timeout: "30 seconds" })((it) => {
    for (const test of Object.values(tests).flat())
      if (test.kind !== "virtual") it.scoped(`${test.rows.join(", ")}: ${test.name}`, () => test.run)
  })
})
