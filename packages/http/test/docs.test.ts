/** How `/docs` is served: headers, caching, compressed forms, unknown pages. What its pages say is tested in apps/docs. */
import { describe, expect, it } from "@effect/vitest"
import { temporaryFolder } from "@mailroom/test-services"
import { InMemoryHttp } from "@mailroom/testing"
import { Effect, Layer, Option } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { inOneService } from "./support/service.js"

const files: Readonly<Record<string, string>> = {
  "index.html": "<h1>First</h1>",
  "404.html": "<h1>Not found</h1>",
  "a.css": "a{}",
}

const manifest = {
  "": { file: "index.html", type: "text/html; charset=utf-8", etag: "one", immutable: false },
  "404": { file: "404.html", type: "text/html; charset=utf-8", etag: "two", immutable: false },
  "assets/a.css": { file: "a.css", type: "text/css; charset=utf-8", etag: "three", immutable: true },
}

const folder = Effect.tap(temporaryFolder, (path) =>
  Effect.promise(async () => {
    await writeFile(join(path, "manifest.json"), JSON.stringify(manifest))
    await writeFile(join(path, "secret.txt"), "not in the manifest")
    for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), gzipSync(content))
  }),
)

const served = Layer.unwrapScoped(
  Effect.map(folder, (path) => InMemoryHttp.layer({}, { docsFolder: Option.some(path) })),
)

const get = (path: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(InMemoryHttp, ({ call }) => call(`GET ${path}`, { headers }))

describe("/docs", () => {
  it.scoped("serves a page with a policy that lets in nothing from elsewhere and nothing inline", () =>
    Effect.gen(function* () {
      const { status, text, headers } = yield* get("/docs")
      expect([status, text]).toEqual([200, "<h1>First</h1>"])
      const policy = headers.get("content-security-policy")
      expect(policy).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
          "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      )
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    }).pipe(Effect.provide(served)),
  )

  it.scoped("is where /llms.txt and /skill.md lead for recipes", () =>
    Effect.gen(function* () {
      const { text } = yield* get("/llms.txt")
      expect(text).toContain("(http://mailroom.test/docs/recipes/website-code)")
      expect(text).not.toContain("github.com")
      expect((yield* get("/skill.md")).text).toContain("Whole programs: http://mailroom.test/docs/recipes\n")
    }).pipe(Effect.provide(served)),
  )

  it.scoped("has pages asked for again, answers 304 to their ETag, and keeps assets for a year", () =>
    Effect.gen(function* () {
      const page = yield* get("/docs")
      expect([page.headers.get("cache-control"), page.headers.get("etag")]).toEqual(["no-cache", '"one"'])
      const again = yield* get("/docs", { "if-none-match": 'W/"other", "one"' })
      expect([again.status, again.text]).toEqual([304, ""])
      expect((yield* get("/docs", { "if-none-match": '"two"' })).status).toBe(200)
      const asset = yield* get("/docs/assets/a.css")
      expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    }).pipe(Effect.provide(served)),
  )

  it.scoped("sends the file compressed to clients that take it so, with another ETag", () =>
    Effect.gen(function* () {
      const forms = yield* Effect.forEach(["br, GZIP;q=0.5", "gzip;q=0", "identity"], (accepted) =>
        Effect.flatMap(InMemoryHttp, ({ open }) =>
          open("GET /docs", { headers: { "accept-encoding": accepted } }),
        ),
      )
      expect(forms.map(({ headers }) => [headers.get("content-encoding"), headers.get("etag")])).toEqual([
        ["gzip", '"one-gzip"'],
        [null, '"one"'],
        [null, '"one"'],
      ])
      expect(forms.map(({ headers }) => headers.get("vary"))).toEqual(forms.map(() => "accept-encoding"))
      const [compressed, plain] = yield* Effect.forEach(forms, (form) =>
        Effect.promise(async () => new Uint8Array(await form.arrayBuffer())),
      )
      expect(gunzipSync(compressed ?? new Uint8Array()).toString()).toBe(new TextDecoder().decode(plain))
    }).pipe(Effect.provide(served)),
  )

  it.scoped("shows a page for people where there is none, and no file that is not listed", () =>
    Effect.gen(function* () {
      for (const path of ["/docs/nothing", "/docs/secret.txt", "/docs/..%2fsecret.txt", "/docs/__proto__"]) {
        const { status, text } = yield* get(path, { accept: "application/xhtml+xml, Text/HTML;q=0.9, */*" })
        expect([path, status, text]).toEqual([path, 404, "<h1>Not found</h1>"])
      }
      expect((yield* get("/docs/")).status).toBe(200)
    }).pipe(Effect.provide(served)),
  )
})

describe("an unknown page", () => {
  it.scoped("is an unknown path for programs, whose Accept does not name HTML", () =>
    Effect.gen(function* () {
      for (const accept of ["application/json", "*/*", "text/plain, text/htmlx"]) {
        const { status, json } = yield* get("/docs/nothing", { accept })
        expect([status, json]).toMatchObject([404, { code: "ENDPOINT_NOT_FOUND" }])
      }
      expect((yield* get("/docs/nothing")).json).toMatchObject({ code: "ENDPOINT_NOT_FOUND" })
      expect((yield* get("/docs", { accept: "application/json" })).text).toBe("<h1>First</h1>")
    }).pipe(Effect.provide(served)),
  )
})

inOneService((shared) => {
  describe("/docs of a server without the built documentation", () => {
    shared("is an unknown path", () =>
      Effect.gen(function* () {
        for (const path of ["/docs", "/docs/guides/quick-start"]) {
          const { status, json } = yield* get(path)
          expect([status, json]).toMatchObject([404, { code: "ENDPOINT_NOT_FOUND" }])
        }
      }),
    )
  })
})

describe("a document that is made at the first request", () => {
  for (const path of ["/openapi.json", "/docs", "/llms-full.txt"])
    it.scoped(`is served after the first client of ${path} has hung up`, () =>
      Effect.gen(function* () {
        const { fetch } = yield* InMemoryHttp
        const hangUp = new AbortController()
        const first = fetch(`http://mailroom.test${path}`, { signal: hangUp.signal })
        hangUp.abort()
        yield* Effect.promise(() => first)
        expect((yield* get(path)).status).toBe(200)
      }).pipe(Effect.provide(served)),
    )
})
