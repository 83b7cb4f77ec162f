/** What other sites and strangers cannot do to somebody who is signed in. */
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PASSWORD, signUp } from "../../../server/test/support/account.js"
import { call } from "../../../server/test/support/http.js"
import { freshServer, type Server, SharedServer } from "../../../server/test/support/server.js"
import { submitSignIn } from "../support/reading.js"
import { desk, serverAndBrowser, visit } from "../support/visit.js"

const signIn = (server: Pick<Server, "url">, email: string, headers: Readonly<Record<string, string>> = {}) =>
  call(server, "POST /api/auth/sign-in/email", { body: { email, password: PASSWORD }, headers })

const cookieOf = (headers: Headers): string => headers.get("set-cookie")?.split(";")[0] ?? ""

/** A page of another site, which the browser shows without asking the network. */
const EVIL = "http://evil.test/"

layer(serverAndBrowser, { excludeTestServices: true })("other sites and strangers", (it) => {
  describe("the session cookie", () => {
    it.scoped("is out of reach of scripts and other sites, and on https bound to this host", () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const { email } = yield* signUp(server, "cookies")
        const plain = (yield* signIn(server, email)).headers.get("set-cookie")
        expect(plain?.split("; ").slice(1).sort()).toEqual([
          expect.stringMatching(/^Expires=|^HttpOnly$/),
          ...(plain?.includes("Expires=") === true ? ["HttpOnly"] : []),
          expect.stringMatching(/^Max-Age=\d+$/),
          "Path=/",
          "SameSite=Lax",
        ])
        const secure = yield* freshServer({ BASE_URL: "https://mail.example.com" })
        const owner = yield* signUp(secure, "secure")
        const cookie = (yield* signIn(secure, owner.email)).headers.get("set-cookie")
        expect(cookie).toMatch(/^__Host-/)
        expect(cookie?.split("; ")).toEqual(
          expect.arrayContaining(["Secure", "HttpOnly", "SameSite=Lax", "Path=/"]),
        )
        expect(cookie).not.toContain("Domain")
      }),
    )

    it.scoped("is a new one at each sign-in: one that was planted before is not taken over", () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const attacker = yield* signUp(server, "fixing")
        const victim = yield* signUp(server, "fixed")
        const planted = cookieOf((yield* signIn(server, attacker.email)).headers)
        const signedIn = cookieOf((yield* signIn(server, victim.email, { cookie: planted })).headers)
        expect(signedIn).not.toBe(planted)
        const emailOf = (cookie: string) =>
          Effect.map(call(server, "GET /v1/account", { headers: { cookie } }), ({ json }) => json)
        expect(yield* emailOf(planted)).toMatchObject({ account: { email: attacker.email } })
        expect(yield* emailOf(signedIn)).toMatchObject({ account: { email: victim.email } })
        const name = planted.split("=")[0] ?? ""
        const invented = `${name}=${"0".repeat(64)}`
        const after = cookieOf((yield* signIn(server, victim.email, { cookie: invented })).headers)
        expect(after).not.toBe(invented)
        expect(yield* emailOf(invented)).toMatchObject({ code: "UNAUTHORIZED" })
      }),
    )
  })

  it.scoped("a page of another site changes nothing, by forms nor by scripts", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* signUp(server, "crossed")
      const { page, step } = yield* visit(server.url, "/signin", desk)
      yield* step(async () => {
        await submitSignIn(page, account)
        await page.getByRole("heading", { name: "Home" }).waitFor()
        await page.route(EVIL, (route) =>
          route.fulfill({
            contentType: "text/html",
            body: `<form method="post" action="${server.url}/api/auth/sign-out"></form>`,
          }),
        )
        await page.goto(EVIL)
        await page.evaluate(`Promise.allSettled([
          fetch("${server.url}/v1/account", { method: "PATCH", credentials: "include",
            headers: { "content-type": "application/json" }, body: '{"sendingPaused":true}' }),
          fetch("${server.url}/v1/mailboxes", { method: "POST", credentials: "include", mode: "no-cors",
            headers: { "content-type": "text/plain" }, body: '{"address":"planted"}' })
        ])`)
        await Promise.all([page.waitForURL(`${server.url}/**`), page.evaluate("document.forms[0].submit()")])
        await page.goto(`${server.url}/dashboard`)
        await page.getByRole("heading", { name: "Home" }).waitFor()
      })
      expect((yield* account.call("GET /v1/account")).json).toMatchObject({
        account: { sendingPaused: false, mailboxCount: 1 },
      })
      const cookie = cookieOf((yield* signIn(server, account.email)).headers)
      const forged = yield* call(server, "PATCH /v1/account", {
        body: { sendingPaused: true },
        headers: { cookie, origin: "http://evil.test" },
      })
      expect([forged.status, forged.json]).toMatchObject([403, { code: "FOREIGN_ORIGIN" }])
    }),
  )

  it.scoped("no page is shown in a frame of another site", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const { page, step } = yield* visit(server.url, "/signin", desk)
      const paths = ["/", "/signin", "/dashboard", "/reset-password?token=1", "/v1/auth/verify-email?token=1"]
      yield* step(async () => {
        const frames = paths.map((path) => `<iframe src="${server.url}${path}"></iframe>`).join("")
        await page.route(EVIL, (route) => route.fulfill({ contentType: "text/html", body: frames }))
        await page.goto(EVIL, { waitUntil: "load" })
      })
      const framed = page.frames().slice(1)
      expect(framed).toHaveLength(paths.length)
      expect(framed.map((frame) => frame.url()).filter((url) => url.startsWith(server.url))).toEqual([])
    }),
  )

  for (const [index, next] of [
    "//evil.test",
    "https://evil.test/dashboard",
    "/\\evil.test",
    "javascript:alert(1)",
    "/docs",
  ].entries())
    it.scoped(`signing in with next=${next} stays in the dashboard`, () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* signUp(server, `next${index}`)
        const { page, step } = yield* visit(server.url, `/signin?next=${encodeURIComponent(next)}`, desk)
        yield* step(async () => {
          await submitSignIn(page, account)
          await page.getByRole("heading", { name: "Home" }).waitFor()
        })
        expect(page.url()).toBe(`${server.url}/dashboard`)
      }),
    )

  describe("headers", () => {
    it.scoped("pages run scripts and styles of this origin alone, and nothing inline", () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        for (const path of [
          "/signup",
          "/signin",
          "/dashboard",
          "/dashboard/any/page",
          "/operator",
          "/onboarding",
        ]) {
          const { status, headers } = yield* call(server, `GET ${path}`)
          const policy = headers.get("content-security-policy") ?? ""
          expect([path, status, headers.get("cache-control")]).toEqual([path, 200, "no-cache"])
          expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
          expect(policy).toContain("frame-ancestors 'none'")
          expect(policy).not.toContain("unsafe")
          expect(headers.get("x-content-type-options")).toBe("nosniff")
          expect(headers.get("referrer-policy")).toBe("no-referrer")
          expect(headers.get("permissions-policy")).toContain("camera=()")
        }
        for (const path of ["/", "/reset-password?token=1", "/v1/auth/verify-email?token=1"]) {
          const policy = (yield* call(server, `GET ${path}`)).headers.get("content-security-policy") ?? ""
          expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /)
          expect(policy).not.toContain("unsafe")
        }
      }),
    )

    it.scoped("on https, browsers are told to use https alone", () =>
      Effect.gen(function* () {
        const shared = yield* SharedServer
        expect((yield* call(shared, "GET /")).headers.get("strict-transport-security")).toBeNull()
        const secure = yield* freshServer({ BASE_URL: "https://mail.example.com" })
        for (const path of ["/", "/dashboard", "/v1/account", "/docs"])
          expect((yield* call(secure, `GET ${path}`)).headers.get("strict-transport-security"), path).toBe(
            "max-age=31536000",
          )
      }),
    )
  })
})
