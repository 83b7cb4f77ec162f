/** A server that cannot start prints one line with the reason, and ends with a code: 78 for wrong settings, else 1. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { generateKeyPairSync } from "node:crypto"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { certificate, freshDatabase, temporaryFolder } from "@mailroom/test-services"
import { failedProcess, failedStart } from "./support/failedStart.js"
import { call } from "./support/http.js"
import { listenLocally } from "./support/listening.js"
import { startServer } from "./support/server.js"

const inMemory = { DATABASE_URL: "sqlite::memory:", BLOB_URL: "memory:" }

const file = (path: string, content: string) =>
  Effect.promise(async () => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content, { mode: 0o600 })
  })

describe("the process", () => {
  const cases: ReadonlyArray<readonly [what: string, variables: Record<string, string>, exitCode: number]> = [
    ["a wrong setting", { LOG_LEVEL: "chatty" }, 78],
    ["a wrong setting that holds a password", { OUTBOUND_URL: "smtp:/me:hunter2@relay.dev" }, 78],
    ["a setting that is missing beside another", { SMTP_TLS_CERT: "absent.pem" }, 78],
    ["a relay with a wrong port", { OUTBOUND_URL: "smtps://me:hunter2@relay.dev:99999" }, 78],
    ["storage that cannot be used", { DATABASE_URL: "sqlite:/sys/mailroom/mailroom.db" }, 1],
    ["a folder for blobs where no folder can be created", { BLOB_URL: "file:/proc/x" }, 1],
    ["an address that cannot be listened on", { HTTP_HOST: "192.0.2.1" }, 1],
    [
      "a Postgres that does not answer",
      { DATABASE_URL: "postgres://me:hunter2@127.0.0.1:1/mail", SECRET_KEY: "k".repeat(32) },
      1,
    ],
  ]
  for (const [what, variables, exitCode] of cases)
    it.scopedLive(
      `${what}: one line on stderr that names the variable, nothing secret, code ${exitCode}`,
      () =>
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          const { code, stderr } = yield* failedProcess(folder, variables)
          expect(stderr).toMatch(/^Mailroom cannot start\. [^\n]{20,400}\n$/)
          expect(stderr).toContain(Object.keys(variables)[0])
          expect(stderr).not.toContain("hunter2")
          expect(code).toBe(exitCode)
        }),
    )
})

it.scopedLive("a .env that cannot be read: one line that says why and what to do, code 78", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* Effect.promise(() => mkdir(join(folder, ".env")))
    const { code, stderr } = yield* failedProcess(folder, {})
    expect(stderr).toBe("Mailroom cannot start. .env cannot be read: it is a folder. Move it away\n")
    expect(code).toBe(78)
    expect(yield* Effect.promise(() => readdir(folder))).toEqual([".env"])
  }),
)

it.scopedLive("a second process on one SQLite file: one line, code 1, and the first goes on", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const first = yield* startServer(folder)
    const { code, stderr } = yield* failedProcess(folder, {})
    expect(stderr).toMatch(/^Mailroom cannot start\. [^\n]*another process uses it[^\n]*\n$/)
    expect(code).toBe(1)
    expect((yield* call(first, "GET /readyz")).status).toBe(200)
    yield* first.stop("SIGKILL")
    yield* startServer(folder)
  }),
)

interface Wrong {
  readonly variable: string
  readonly value: string
  readonly accepted: RegExp
  /** the value is a secret or holds one */
  readonly secret?: boolean
}

const wrong: ReadonlyArray<Wrong> = [
  { variable: "HTTP_HOST", value: "not a host", accepted: /host name or an IP address/ },
  { variable: "HTTP_PORT", value: "http", accepted: /port number from 0 to 65535/ },
  { variable: "SMTP_HOST", value: "a/b", accepted: /host name or an IP address/ },
  { variable: "SMTP_PORT", value: "65536", accepted: /port number from 0 to 65535/ },
  { variable: "BASE_URL", value: "mailroom.example", accepted: /http:\/\/ or https:\/\/ address/ },
  { variable: "POSTMASTER_EMAIL", value: "ops", accepted: /mail address/ },
  { variable: "PLATFORM_DOMAIN", value: "-mail_room", accepted: /domain name/ },
  { variable: "DATABASE_URL", value: "mysql://localhost/mail", accepted: /sqlite:/ },
  { variable: "DATABASE_URL", value: "postgres://localhost", accepted: /postgres:/ },
  { variable: "DATABASE_URL", value: "postgres://localhost/mail?pool=0", accepted: /pool=1-500/ },
  {
    variable: "DATABASE_URL",
    value: "postgres://me:hunter2@localhost",
    accepted: /postgres:/,
    secret: true,
  },
  {
    variable: "DATABASE_URL",
    value: "postgres://me:hunter2/x@localhost:5432/mail",
    accepted: /postgres:/,
    secret: true,
  },
  {
    variable: "DATABASE_URL",
    value: "postgres://localhost?user=me&password=hunter2",
    accepted: /postgres:/,
    secret: true,
  },
  { variable: "BLOB_URL", value: "s3://me:hunter2/x@mail", accepted: /s3:/, secret: true },
  { variable: "BLOB_URL", value: "ftp://files", accepted: /file:.*memory:.*s3:/ },
  { variable: "BLOB_URL", value: "s3://mail?endpoint=files", accepted: /s3:/ },
  {
    variable: "OUTBOUND_URL",
    value: "smtp:/me:hunter2@relay",
    accepted: /capture:.*smtp:\/\//,
    secret: true,
  },
  { variable: "SPAM_FILTER", value: "http://127.0.0.1:11333", accepted: /rspamd:http/ },
  {
    variable: "SPAM_FILTER",
    value: "rspamd:http://me:hunter2/x@filter",
    accepted: /rspamd:http/,
    secret: true,
  },
  { variable: "SPAM_FILTER", value: "rspamd:127.0.0.1:11333", accepted: /rspamd:http/ },
  { variable: "PROVIDER_REPORTS", value: "mailgun:hunter2", accepted: /none, ses:/, secret: true },
  { variable: "PROVIDER_REPORTS", value: "ses:hunter2", accepted: /arn:aws:sns:/, secret: true },
  { variable: "PROVIDER_REPORTS", value: "postmark:me:hunter2", accepted: /16 characters/, secret: true },
  { variable: "PROVIDER_REPORTS", value: "generic:whsec_hunter2", accepted: /24 to 64 bytes/, secret: true },
  { variable: "ROLES", value: "http,mail", accepted: /http, smtp and worker/ },
  { variable: "BILLING", value: "cash", accepted: /simulated, stripe or none/ },
  { variable: "STRIPE_SECRET_KEY", value: "pk_hunter2", accepted: /sk_ or rk_/, secret: true },
  { variable: "STRIPE_WEBHOOK_SECRET", value: "hunter2", accepted: /whsec_/, secret: true },
  { variable: "STRIPE_PRICES", value: "Gold:monthly=price_1", accepted: /\{plan\}:\{period\}=price_/ },
  { variable: "DEFAULT_PLAN", value: "Gold", accepted: /Free, Developer, Growth or Scale/ },
  { variable: "WEBHOOK_ALLOW_PRIVATE", value: "maybe", accepted: /true or false/ },
  { variable: "TRUST_PROXY", value: "2", accepted: /true or false/ },
  { variable: "SECRET_KEY", value: "hunter2", accepted: /at least 32 characters/, secret: true },
  { variable: "ADMIN_TOKEN", value: "hunter2", accepted: /at least 16 characters/, secret: true },
  { variable: "SUPPORT_EMAIL", value: "Ada <ada@acme.dev>", accepted: /an email address/ },
  { variable: "SMTP_TLS_CERT", value: "absent.pem", accepted: /SMTP_TLS_KEY go together/ },
  { variable: "SMTP_TLS_KEY", value: "absent.pem", accepted: /SMTP_TLS_KEY go together/ },
  { variable: "SIGNUPS_PER_HOUR", value: "0", accepted: /whole number from 1 to 100000/ },
  { variable: "SEND_VELOCITY_PER_MINUTE", value: "0", accepted: /whole number from 1 to 100000/ },
  { variable: "HEADER_PREFIX", value: "X Service", accepted: /ending in a hyphen/ },
  { variable: "LOG_LEVEL", value: "chatty", accepted: /debug, info, warning, error, none/ },
  { variable: "LOG_FORMAT", value: "xml", accepted: /pretty or json/ },
  { variable: "OTEL_EXPORTER_OTLP_ENDPOINT", value: "collector:4318", accepted: /http:\/\// },
  {
    variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
    value: "https://me:hunter2@collector",
    accepted: /without user/,
    secret: true,
  },
  {
    variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
    value: "https://me:hunter2/x@collector",
    accepted: /without user/,
    secret: true,
  },
]

describe("a wrong setting", () => {
  for (const { variable, value, accepted, secret = false } of wrong)
    it.live(`${variable}: the line names it, what was given and what is accepted, but no secret`, () =>
      Effect.gen(function* () {
        const line = yield* failedStart({ ...inMemory, [variable]: value })
        expect(line).toContain(variable)
        expect(line).toMatch(accepted)
        expect(line).not.toMatch(/\n|hunter2/)
        if (!secret && !variable.startsWith("SMTP_TLS")) expect(line).toContain(value)
      }),
    )

  it.live("several at once: the line names one of them", () =>
    Effect.gen(function* () {
      const line = yield* failedStart({ ...inMemory, HTTP_PORT: "x", BILLING: "cash" })
      expect(line).toMatch(/^(?:HTTP_PORT|BILLING) is [^\n]+$/)
    }),
  )

  it.live("a relay whose address has a wrong port: the line names OUTBOUND_URL, without the password", () =>
    Effect.gen(function* () {
      const line = yield* failedStart({ ...inMemory, OUTBOUND_URL: "smtps://me:hunter2@relay.dev:99999" })
      expect(line).toContain("OUTBOUND_URL")
      expect(line).not.toMatch(/\n|hunter2/)
    }),
  )
})

describe("BILLING=stripe", () => {
  const prices = {
    "Developer:monthly": "price_1",
    "Developer:annual": "price_2",
    "Growth:monthly": "price_3",
    "Growth:annual": "price_4",
    "Scale:monthly": "price_5",
  }
  const listed = (entries: Readonly<Record<string, string>>) =>
    Object.entries(entries)
      .map(([name, id]) => `${name}=${id}`)
      .join(",")
  const complete: Readonly<Record<string, string>> = {
    BILLING: "stripe",
    STRIPE_SECRET_KEY: "sk_test_hunter2",
    STRIPE_WEBHOOK_SECRET: "whsec_hunter2",
    STRIPE_PRICES: listed(prices),
  }

  for (const variable of ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "STRIPE_PRICES"])
    it.live(`without ${variable}: the line names it, and no secret`, () =>
      Effect.gen(function* () {
        const line = yield* failedStart({ ...inMemory, ...complete, [variable]: "" })
        expect(line).toBe(`BILLING=stripe needs ${variable}, which is not set`)
      }),
    )

  it.live("without a price for something that is sold: the line names what has none", () =>
    Effect.gen(function* () {
      const { "Growth:annual": _, "Scale:monthly": __, ...some } = prices
      const line = yield* failedStart({ ...inMemory, ...complete, STRIPE_PRICES: listed(some) })
      expect(line).toBe("BILLING=stripe needs a price in STRIPE_PRICES for Growth:annual, Scale:monthly")
    }),
  )

  for (const [what, given] of [
    ["a plan that is not sold by the year", `${listed(prices)},Scale:annual=price_6`],
    ["a plan twice", `${listed(prices)},Developer:monthly=price_6`],
    ["one price for two plans", listed({ ...prices, "Scale:monthly": "price_1" })],
    ["a product instead of a price", listed({ ...prices, "Scale:monthly": "prod_1" })],
  ] as const)
    it.live(`with ${what}: the line names STRIPE_PRICES and what it takes`, () =>
      Effect.gen(function* () {
        const line = yield* failedStart({ ...inMemory, ...complete, STRIPE_PRICES: given })
        expect(line).toMatch(/^STRIPE_PRICES is [^\n]+Developer:monthly[^\n]+$/)
      }),
    )

  it.live("elsewhere, Stripe's variables may be missing or be there", () =>
    Effect.gen(function* () {
      const line = yield* failedStart({ ...inMemory, ...complete, BILLING: "none", SMTP_HOST: "192.0.2.1" })
      expect(line).toContain("192.0.2.1")
    }),
  )
})

describe("an address that cannot be listened on", () => {
  for (const variable of ["HTTP_PORT", "SMTP_PORT"])
    it.scopedLive(`${variable} is taken: the line names the address and the variable`, () =>
      Effect.gen(function* () {
        const port = yield* listenLocally(createServer())
        const line = yield* failedStart({ ...inMemory, [variable]: String(port) })
        expect(line).toContain(`127.0.0.1:${port} is taken`)
        expect(line).toContain(variable)
      }),
    )

  for (const variable of ["HTTP_HOST", "SMTP_HOST"])
    it.live(`${variable} is not this machine's: the line names the address and the variable`, () =>
      Effect.gen(function* () {
        const line = yield* failedStart({ ...inMemory, [variable]: "192.0.2.1" })
        expect(line).toContain("192.0.2.1")
        expect(line).toContain(variable)
      }),
    )
})

describe("storage that cannot be used", () => {
  const inFolder = (folder: string) => ({
    DATABASE_URL: `sqlite:${folder}/data/mailroom.db`,
    BLOB_URL: `file:${folder}/data/blobs`,
  })

  it.scopedLive("a file stands where the data folder should be: the line names the path and a variable", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* file(join(folder, "data"), "in the way")
      expect(yield* failedStart(inFolder(folder))).toMatch(/data.*(?:DATABASE_URL|BLOB_URL|SECRET_KEY)/)
    }),
  )

  it.scopedLive("a file stands where the folder for blobs should be: the line names it and BLOB_URL", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* file(join(folder, "data", "blobs"), "in the way")
      expect(yield* failedStart(inFolder(folder))).toMatch(/data\/blobs.*BLOB_URL/)
    }),
  )

  it.scopedLive("a folder that nobody can write to: the line names it and BLOB_URL", () =>
    Effect.gen(function* () {
      expect(yield* failedStart({ ...inMemory, BLOB_URL: "file:/sys/mailroom" })).toMatch(
        /\/sys\/mailroom.*BLOB_URL/,
      )
    }),
  )

  for (const path of ["/proc/x", "/proc/x/y", "/proc"])
    it.live(
      `a folder for blobs where no folder can be created, ${path}: the line names it and BLOB_URL`,
      () =>
        Effect.gen(function* () {
          const line = yield* failedStart({ ...inMemory, BLOB_URL: `file:${path}` })
          expect(line).toMatch(
            /^The folder for blobs \/proc[^\n]*no folder can be created there[^\n]*BLOB_URL[^\n]*$/,
          )
        }),
    )

  for (const [path, why] of [
    ["/proc/x", "no file can be created there"],
    ["/proc/x/mailroom.db", "no file can be created there"],
    ["/dev/full", "it is a pipe, a socket or a device"],
  ] as const)
    it.live(`a database where there can be none, ${path}: the line names it and DATABASE_URL`, () =>
      Effect.gen(function* () {
        const line = yield* failedStart({ ...inMemory, DATABASE_URL: `sqlite:${path}` })
        expect(line).toMatch(
          new RegExp(`^The database ${path} cannot be used: ${why}[^\\n]*DATABASE_URL[^\\n]*$`),
        )
      }),
    )

  it.scopedLive(
    "a database that is no database: the line names it and DATABASE_URL, and it stays as it was",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const path = join(folder, "data", "mailroom.db")
        const diary = "Dear diary, this is no database. ".repeat(100)
        yield* file(path, diary)
        expect(yield* failedStart(inFolder(folder))).toMatch(
          /mailroom\.db.*not a SQLite database.*DATABASE_URL/,
        )
        expect(yield* Effect.promise(() => readFile(path, "utf8"))).toBe(diary)
      }),
  )

  it.live("a Postgres without a key that its processes share: the line names SECRET_KEY", () =>
    Effect.gen(function* () {
      const line = yield* failedStart({ ...inMemory, DATABASE_URL: "postgres://me:hunter2@127.0.0.1:1/mail" })
      expect(line).toMatch(/^SECRET_KEY is not set[^\n]+$/)
    }),
  )

  const onPostgres = { ...inMemory, SECRET_KEY: "k".repeat(32) }

  it.live("a Postgres that is not there: the line names the host, DATABASE_URL, and no password", () =>
    Effect.gen(function* () {
      const url = "postgres://me:hunter2@127.0.0.1:1/mail"
      const line = yield* failedStart({ ...onPostgres, DATABASE_URL: url })
      expect(line).toMatch(/postgres:\/\/127\.0\.0\.1:1\/mail.*nothing listens there.*DATABASE_URL/)
      expect(line).not.toContain("hunter2")
    }),
  )

  it.scopedLive("a Postgres without that database, or that refuses the password: the line says which", () =>
    Effect.gen(function* () {
      const url = new URL(yield* freshDatabase())
      const missing = new URL(url)
      missing.pathname = "/nowhere"
      expect(yield* failedStart({ ...onPostgres, DATABASE_URL: missing.href })).toMatch(
        /has no such database.*DATABASE_URL/,
      )
      const refused = new URL(url)
      refused.password = "hunter2"
      const line = yield* failedStart({ ...onPostgres, DATABASE_URL: refused.href })
      expect(line).toMatch(/refuses the user or the password.*DATABASE_URL/)
      expect(line).not.toContain("hunter2")
    }),
  )

  it.scopedLive("a PgBouncer that refuses our settings: the line says what to set there", () =>
    Effect.gen(function* () {
      const fields = ["SFATAL", "C08P01", "Munsupported startup parameter: statement_timeout"]
      const body = Buffer.from(`${fields.map((field) => `${field}\0`).join("")}\0`)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(body.length + 4)
      // As PgBouncer 1.18 answers the startup packet.
      const bouncer = createServer((socket) => {
        socket.once("data", () => socket.end(Buffer.concat([Buffer.from("E"), length, body])))
        socket.on("error", () => {})
      })
      const port = yield* listenLocally(bouncer)
      const line = yield* failedStart({ ...onPostgres, DATABASE_URL: `postgres://me@127.0.0.1:${port}/mail` })
      expect(line).toMatch(/refuses the settings.*ignore_startup_parameters.*DATABASE_URL/)
    }),
  )

  it.live("a bucket that is not there: the line names it and BLOB_URL", () =>
    Effect.gen(function* () {
      const line = yield* failedStart({ ...inMemory, BLOB_URL: "s3://mail?endpoint=http://127.0.0.1:1" })
      expect(line).toMatch(/bucket mail at http:\/\/127\.0\.0\.1:1.*BLOB_URL/)
    }),
  )

  it.scopedLive("a secret key that is empty: the line names the file", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* file(join(folder, "data", "secret.key"), "\n")
      expect(yield* failedStart(inFolder(folder))).toMatch(/data\/secret\.key/)
    }),
  )
})

describe("a certificate that cannot be used", () => {
  const pair = Effect.fn(function* (cert: string, key: string) {
    const folder = yield* temporaryFolder
    const paths = { SMTP_TLS_CERT: join(folder, "cert.pem"), SMTP_TLS_KEY: join(folder, "key.pem") }
    yield* file(paths.SMTP_TLS_CERT, cert)
    yield* file(paths.SMTP_TLS_KEY, key)
    return { ...inMemory, ...paths }
  })

  it.live("a file that is not there: the line names the variable and the path", () =>
    Effect.gen(function* () {
      const line = yield* failedStart({
        ...inMemory,
        SMTP_TLS_CERT: "absent.pem",
        SMTP_TLS_KEY: "absent.pem",
      })
      expect(line).toMatch(/SMTP_TLS_CERT.*absent\.pem/)
    }),
  )

  it.scopedLive("files that are no PEM: the line names the variables", () =>
    Effect.gen(function* () {
      const line = yield* failedStart(yield* pair("no certificate", "no key"))
      expect(line).toMatch(/^SMTP_TLS_CERT and SMTP_TLS_KEY [^\n]+$/)
    }),
  )

  it.scopedLive("a key that is not the certificate's: the line names the variables", () =>
    Effect.gen(function* () {
      const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
      const other = privateKey.export({ type: "pkcs8", format: "pem" }).toString()
      const line = yield* failedStart(yield* pair(certificate, other))
      expect(line).toMatch(/^SMTP_TLS_CERT and SMTP_TLS_KEY [^\n]+$/)
      expect(line).not.toContain(other.slice(30, 60))
    }),
  )
})
