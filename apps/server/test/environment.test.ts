/** The sources of settings, and their effects on files, logs and listeners. */
import { describe, expect, it, layer } from "@effect/vitest"
import {
  certificate,
  privateKey,
  S3_CREDENTIALS,
  s3Server,
  smtpSession,
  temporaryFolder,
} from "@mailroom/test-services"
import { Effect } from "effect"
import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createTransport } from "nodemailer"
import { signUp } from "./support/account.js"
import { call } from "./support/http.js"
import { arrivedAs } from "./support/messages.js"
import { freshServer, SharedServer, startServer } from "./support/server.js"

const ADMIN_TOKEN = "0123456789abcdef"

const file = (folder: string, name: string, content: string) =>
  Effect.promise(() => writeFile(join(folder, name), content))

describe("the environment", () => {
  it.scopedLive("a .env file in the working folder is read, and the environment wins over it", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* file(
        folder,
        ".env",
        '# settings\nPLATFORM_DOMAIN=from-file.dev\nHEADER_PREFIX="X-File-"\nBILLING=\nHTTP_PORT=1\n',
      )
      const server = yield* startServer(folder, { HEADER_PREFIX: "X-Environment-" })
      const owner = yield* signUp(server, "settled")
      expect(owner.address).toBe("agent@settled.from-file.dev")
      const { headers } = yield* owner.call("GET /v1/account")
      expect(headers.get("x-environment-inbound-quota")).toBe("0/100")
      expect(headers.has("x-file-inbound-quota")).toBe(false)
    }),
  )

  it.scopedLive("a .env file has the credentials of an S3 store, too", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const lines = Object.entries(S3_CREDENTIALS).map(([name, value]) => `${name}=${value}`)
      yield* file(folder, ".env", lines.join("\n"))
      const server = yield* startServer(folder, {
        BLOB_URL: `s3://mail/?endpoint=${yield* s3Server("mail")}`,
      })
      expect((yield* call(server, "GET /readyz")).status).toBe(200)
    }),
  )

  it.scopedLive(
    "the data folder has a secret key that only its owner may read, and the next start keeps it",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const key = join(folder, "data", "secret.key")
        const first = yield* startServer(folder)
        const made = yield* Effect.promise(() => readFile(key, "utf8"))
        expect(made.trim().length).toBeGreaterThanOrEqual(32)
        expect((yield* Effect.promise(() => stat(key))).mode & 0o777).toBe(0o600)
        expect((yield* Effect.promise(() => stat(join(folder, "data", "mailroom.db")))).mode & 0o777).toBe(
          0o600,
        )
        yield* first.stop("SIGTERM")
        yield* startServer(folder)
        expect(yield* Effect.promise(() => readFile(key, "utf8"))).toBe(made)
      }),
  )

  it.scopedLive("everything in memory leaves nothing in the folder", () =>
    Effect.gen(function* () {
      const server = yield* freshServer({ DATABASE_URL: "sqlite::memory:", BLOB_URL: "memory:" })
      yield* signUp(server, "fleeting")
      expect(yield* Effect.promise(() => readdir(server.folder))).toEqual([])
    }),
  )

  it.scopedLive("ADMIN_TOKEN opens the operator's routes", () =>
    Effect.gen(function* () {
      const server = yield* freshServer({ ADMIN_TOKEN })
      yield* signUp(server, "operated")
      expect((yield* call(server, "GET /admin/v1/stats")).status).toBe(401)
      expect((yield* call(server, "GET /admin/v1/stats", { key: ADMIN_TOKEN })).json).toMatchObject({
        stats: { accounts: 1 },
      })
    }),
  )

  it.scopedLive("BASE_URL is where links lead", () =>
    Effect.gen(function* () {
      const server = yield* freshServer({ BASE_URL: "https://mail.agents.dev/" })
      const unknown = yield* call(server, "GET /nowhere")
      expect(unknown.json).toMatchObject({ resolution: { openapi: "https://mail.agents.dev/openapi.json" } })
    }),
  )
})

describe("STARTTLS", () => {
  it.scopedLive("with a certificate, mail arrives through TLS", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* file(folder, "cert.pem", certificate)
      yield* file(folder, "key.pem", privateKey)
      const server = yield* startServer(folder, { SMTP_TLS_CERT: "cert.pem", SMTP_TLS_KEY: "key.pem" })
      const owner = yield* signUp(server, "private")
      const sent = yield* Effect.promise(() =>
        createTransport({
          host: "127.0.0.1",
          port: server.smtpPort,
          secure: false,
          requireTLS: true,
          tls: { ca: certificate, servername: "localhost" },
        }).sendMail({ from: "bob@corp.org", to: owner.address, subject: "sealed", text: "x" }),
      )
      expect(sent.response).toMatch(/^250/)
      expect((yield* arrivedAs(owner, "sealed")).fromAddress).toBe("bob@corp.org")
    }),
  )
})

layer(SharedServer.layer(), { excludeTestServices: true })("a server without settings", (it) => {
  it.effect("has no operator's routes", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      expect((yield* call(server, "GET /admin/v1/stats", { key: ADMIN_TOKEN })).json).toMatchObject({
        code: "ENDPOINT_NOT_FOUND",
      })
    }),
  )

  it.scoped("neither offers nor takes STARTTLS", () =>
    Effect.gen(function* () {
      const { smtpPort } = yield* SharedServer
      const client = yield* smtpSession(smtpPort)
      expect(yield* client.say("EHLO client.example")).not.toContain("STARTTLS")
      expect(yield* client.say("STARTTLS")).toMatch(/^5/)
    }),
  )

  it.effect("writes one JSON object a line with LOG_FORMAT=json, and nothing on stderr, until its end", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      expect(server.stdout()).not.toBe("")
      const { stdout, stderr } = yield* server.stop("SIGTERM")
      for (const line of stdout.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("logLevel")
      expect(stderr).toBe("")
    }),
  )
})
