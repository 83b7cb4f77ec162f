/** The dashboard where its files are there: its pages, its files, and what the landing page and refusals say then. */
import { it } from "@effect/vitest"
import { type Dashboard, DashboardFiles } from "@mailroom/http"
import { InMemoryHttp } from "@mailroom/testing"
import { Effect, Layer, Option, Schema } from "effect"
import { expect } from "vitest"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const dashboard: Dashboard = {
  shell: "<!doctype html><head><!-- settings --><!-- preloads --></head><div id=app></div>",
  pages: [
    { path: "/signin", scripts: ["SignIn-ABC.js"], data: [], dataOfQuery: [] },
    {
      path: "/dashboard/mail",
      scripts: ["Mail-ABC.js"],
      data: ["/v1/account", "/v1/messages?limit=25&unread=true"],
      dataOfQuery: ["/v1/account"],
    },
    { path: "/dashboard/mail/threads/:threadId", scripts: ["Thread-ABC.js"], data: [], dataOfQuery: [] },
  ],
  assets: new Map([
    [
      "main-ABC.js",
      {
        contentType: "text/javascript; charset=utf-8",
        content: bytes("plain"),
        brotli: bytes("by brotli"),
        gzip: bytes("by gzip"),
      },
    ],
  ]),
}

const service = InMemoryHttp.layer({ platformDomain: `a"b<c.example` }).pipe(
  Layer.provide(Layer.succeed(DashboardFiles, Option.some(dashboard))),
)

const get = (path: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(InMemoryHttp, ({ call }) => call(`GET ${path}`, { headers }))

const SettingsInPage = Schema.parseJson(
  Schema.Struct({
    baseUrl: Schema.String,
    platformDomain: Schema.String,
    billing: Schema.String,
    signup: Schema.String,
    outbox: Schema.Boolean,
    support: Schema.Boolean,
  }),
)

const settingsIn = (text: string) => {
  const [, content = ""] = /<meta name="mailroom" content="([^"]*)">/.exec(text) ?? []
  const written = content.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&")
  return Schema.decodeUnknownSync(SettingsInPage)(written)
}

it.layer(service)("with the files of the dashboard", (rule) => {
  for (const path of [
    "/signup",
    "/signin",
    "/verify",
    "/reset",
    "/onboarding",
    "/dashboard",
    "/dashboard?verified=true",
    "/dashboard/billing",
    "/dashboard/mail/1/2",
    "/operator",
    "/operator/accounts",
  ])
    rule.effect(`${path} starts it, and is asked for again each time`, () =>
      Effect.gen(function* () {
        const answer = yield* get(path)
        expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-cache"])
        expect(answer.headers.get("content-type")).toMatch(/^text\/html/)
        expect(answer.text).toContain("<div id=app>")
      }),
    )

  rule.effect("the page has the settings of the service; the outbox only for clients on this machine", () =>
    Effect.gen(function* () {
      const { text } = yield* get("/dashboard", { "x-forwarded-for": "127.0.0.1" })
      expect(settingsIn(text)).toEqual({
        baseUrl: "http://mailroom.test",
        platformDomain: `a"b<c.example`,
        billing: "simulated",
        signup: "open",
        outbox: true,
        support: false,
      })
      const elsewhere = yield* get("/dashboard", { "x-forwarded-for": "198.51.100.7" })
      expect(settingsIn(elsewhere.text).outbox).toBe(false)
    }),
  )

  const preloaded = (path: string, headers: Record<string, string> = {}) =>
    Effect.map(get(path, headers), ({ text }) =>
      [...text.matchAll(/preload"[^>]* href="([^"]+)"/g)].map(([, url]) => url),
    )

  rule.effect("a page names its own scripts, and what it will ask the API for a browser with a session", () =>
    Effect.gen(function* () {
      const cookie = "mailroom_session=1"
      expect(yield* preloaded("/signin")).toEqual(["/assets/SignIn-ABC.js"])
      expect(yield* preloaded("/dashboard/mail/threads/1?mailbox=2", { cookie })).toEqual([
        "/assets/Thread-ABC.js",
      ])
      const script = "/assets/Mail-ABC.js"
      expect(yield* preloaded("/dashboard/mail")).toEqual([script])
      expect(yield* preloaded("/dashboard/mail?folder=sent", { cookie })).toEqual([script, "/v1/account"])
      expect(yield* preloaded("/dashboard/mail", { cookie })).toEqual([
        script,
        "/v1/account",
        "/v1/messages?limit=25&amp;unread=true",
      ])
      expect(yield* preloaded("/dashboard/nothing", { cookie })).toEqual([])
    }),
  )

  for (const [accepted, text, encoding] of [
    ["gzip, deflate, br, zstd", "by brotli", "br"],
    ["gzip", "by gzip", "gzip"],
    ["br;q=0, gzip;q=0.5", "by gzip", "gzip"],
    ["br;q=0.0", "plain", null],
    ["GZIP;q=0.001", "by gzip", "gzip"],
    ["identity", "plain", null],
    ["", "plain", null],
    ["brotli", "plain", null],
  ] as const)
    rule.effect(`a file for "${accepted}" comes ${text}, to be kept`, () =>
      Effect.gen(function* () {
        const answer = yield* get("/assets/main-ABC.js", { "accept-encoding": accepted })
        expect([answer.status, answer.text, answer.headers.get("content-encoding")]).toEqual([
          200,
          text,
          encoding,
        ])
        expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
        expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
        expect(answer.headers.get("vary")).toBe("accept-encoding")
        expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
      }),
    )

  for (const path of ["/assets/main-OLD.js", "/assets/..%2Findex.html", "/assets/", "/signups", "/operators"])
    rule.effect(`${path} is an unknown path, as JSON`, () =>
      Effect.gen(function* () {
        const answer = yield* get(path)
        expect([answer.status, answer.json]).toMatchObject([404, { code: "ENDPOINT_NOT_FOUND" }])
      }),
    )

  for (const target of ["POST /signup", "DELETE /dashboard/keys", "POST /assets/main-ABC.js"])
    rule.effect(`${target} is answered 405 with what is allowed`, () =>
      Effect.gen(function* () {
        const { call } = yield* InMemoryHttp
        const answer = yield* call(target)
        expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"])
      }),
    )

  rule.effect("the landing page leads to signing up and signing in", () =>
    Effect.gen(function* () {
      const { text } = yield* get("/")
      for (const path of ["/signup", "/signup?plan=Growth", "/signin"])
        expect(text).toContain(` href="${path}"`)
    }),
  )

  rule.effect("pages behind links in mails are still without script", () =>
    Effect.gen(function* () {
      for (const path of ["/v1/auth/verify-email?token=1", "/reset-password?token=1"])
        expect((yield* get(path)).text).not.toContain("<div id=app>")
    }),
  )
})

it.layer(
  InMemoryHttp.layer({ signup: "closed" }).pipe(
    Layer.provide(Layer.succeed(DashboardFiles, Option.some(dashboard))),
  ),
)("where signing up is closed", (rule) => {
  rule.effect("the landing page does not offer it", () =>
    Effect.gen(function* () {
      const { text } = yield* get("/")
      expect(text).not.toContain('/signup"')
      expect(text).toContain(` href="/signin"`)
    }),
  )
})
