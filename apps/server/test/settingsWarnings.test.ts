/** The start warns of settings that are valid and probably not intended. */
import { describe, expect, it } from "@effect/vitest"
import { suspectSettings } from "@mailroom/server/config/suspectSettings"
import { unknownSettings } from "@mailroom/server/config/unknownSettings"
import { serverConfig } from "@mailroom/server/config/variables"
import { eventually, temporaryFolder } from "@mailroom/test-services"
import { ConfigProvider, Effect } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { startServer } from "./support/server.js"
import type { Variables } from "./support/process.js"

const warnings = (variables: Variables) =>
  Effect.map(
    Effect.withConfigProvider(serverConfig, ConfigProvider.fromMap(new Map(Object.entries(variables)))),
    (config) => suspectSettings(config).map((line) => line.split(" ")[0]),
  )

describe("a public BASE_URL", () => {
  for (const [baseUrl, expected] of [
    ["https://mail.acme.dev", ["OUTBOUND_URL", "BILLING", "POSTMASTER_EMAIL", "TRUST_PROXY"]],
    ["http://93.184.215.14:3000", ["OUTBOUND_URL", "BILLING", "POSTMASTER_EMAIL"]],
    ["http://localhost:3000", []],
    ["http://mailroom.localhost", []],
    ["http://192.168.1.7:3000", []],
    ["http://[::1]:3000", []],
    ["http://nas.local", []],
    ["http://nas", []],
  ] as const)
    it.effect(`${baseUrl}: ${expected.length === 0 ? "nothing is said" : expected.join(", ")}`, () =>
      Effect.gen(function* () {
        expect(yield* warnings({ BASE_URL: baseUrl })).toEqual(expected)
        const real = {
          BASE_URL: baseUrl,
          OUTBOUND_URL: "smtp://127.0.0.1:25",
          BILLING: "none",
          POSTMASTER_EMAIL: "ops@acme.dev",
          TRUST_PROXY: "true",
        }
        expect(yield* warnings(real)).toEqual([])
      }),
    )

  it.effect("that is not set is this machine's own", () =>
    Effect.map(warnings({}), (lines) => expect(lines).toEqual([])),
  )
})

describe("a BASE_URL with a path", () => {
  it.effect("is named, because the dashboard needs the root of a host", () =>
    Effect.gen(function* () {
      expect(yield* warnings({ BASE_URL: "http://localhost:3000/mail" })).toEqual(["BASE_URL"])
      expect(yield* warnings({ BASE_URL: "http://localhost:3000/" })).toEqual([])
    }),
  )
})

describe("SUBMISSION_PORT without a certificate", () => {
  it.effect("is named where other machines can connect", () =>
    Effect.gen(function* () {
      const open = { SUBMISSION_PORT: "587", SMTP_HOST: "0.0.0.0" }
      expect(yield* warnings(open)).toEqual(["SUBMISSION_PORT"])
      expect(yield* warnings({ ...open, SMTP_HOST: "127.0.0.1" })).toEqual([])
      expect(yield* warnings({ ...open, SMTP_TLS_CERT: "cert.pem", SMTP_TLS_KEY: "key.pem" })).toEqual([])
    }),
  )
})

describe("a variable that is no setting", () => {
  it("is named with the nearest setting, if it begins as one", () => {
    expect(
      unknownSettings([
        "SMTP_PROT",
        "SMTP_PORT",
        "PATH",
        "HTTP_PROXY",
        "OTEL_SERVICE_NAME",
        "BLOB_STORE_URL",
      ]),
    ).toEqual([
      "BLOB_STORE_URL is not a setting and changes nothing. Did you mean BLOB_URL?",
      "SMTP_PROT is not a setting and changes nothing. Did you mean SMTP_PORT?",
    ])
  })

  it.scopedLive("is named at the start, from the environment and from .env", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.promise(() => writeFile(join(folder, ".env"), "# mine\nexport DATABASE_ULR=x\n"))
      const server = yield* startServer(folder, { SMTP_PROT: "25", BASE_URL: "https://mail.acme.dev" })
      const log = yield* eventually("the log", Effect.sync(server.stdout), (text) =>
        text.includes("is ready"),
      )
      for (const said of [
        '"SMTP_PROT is not a setting and changes nothing. Did you mean SMTP_PORT?"',
        '"DATABASE_ULR is not a setting and changes nothing. Did you mean DATABASE_URL?"',
        "OUTBOUND_URL is capture:",
        "BILLING is simulated",
        "POSTMASTER_EMAIL is not set",
      ])
        expect(log).toContain(said)
    }),
  )
})
