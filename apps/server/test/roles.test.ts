/** A process does what its ROLES say, and nothing else. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "./support/http.js"
import { freshServer } from "./support/server.js"

const health = ["GET /healthz", "GET /readyz"]
const ofTheApi = ["GET /v1/account", "POST /v1/signup", "GET /openapi.json", "GET /docs", "GET /dev/outbox"]

describe("roles", () => {
  for (const role of ["smtp", "worker"])
    it.scopedLive(`a process with the role ${role} answers health and readiness, and none of the API`, () =>
      Effect.gen(function* () {
        const server = yield* freshServer({ ROLES: role })
        for (const endpoint of health) expect((yield* call(server, endpoint)).status).toBe(200)
        for (const endpoint of ofTheApi) expect((yield* call(server, endpoint)).status).toBe(404)
      }),
    )

  it.scopedLive("a process with the role http listens for no mail", () =>
    Effect.gen(function* () {
      const server = yield* freshServer({ ROLES: "http" })
      expect(server.smtpPort).toBe(0)
      expect((yield* call(server, "GET /openapi.json")).status).toBe(200)
    }),
  )
})
