/** What a process with some of the roles does, and what it does not (decisions §1, ROLES). */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { at, signUp } from "./support/account.js"
import { temporaryFolder } from "./support/folder.js"
import { call } from "./support/http.js"
import { arrivedAs, messages } from "./support/messages.js"
import { freshServer, startServer } from "./support/server.js"
import { deliver, plainMail } from "./support/smtpSession.js"

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

  it.scopedLive("one process accepts, another delivers, and a third serves what they did", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const http = yield* startServer(folder, { ROLES: "http,worker" })
      const owner = yield* signUp(http, "shared")
      yield* http.stop("SIGTERM")
      const serving = yield* startServer(folder, { ROLES: "http" })
      const accepting = yield* startServer(folder, { ROLES: "smtp" })
      expect(yield* deliver(accepting.smtpPort, owner.address, plainMail("passed-on"))).toMatch(/^250/)
      expect(yield* messages(at(serving, owner))).toEqual([])
      yield* startServer(folder, { ROLES: "worker" })
      const message = yield* arrivedAs(at(serving, owner), "passed-on")
      expect(message.status).toBe("RECEIVED")
    }),
  )
})
