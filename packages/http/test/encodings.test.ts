/** Answers that are compressed for browsers (docs/decisions/0079). */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { describe, expect, it } from "@effect/vitest"
import { SESSION_COOKIE } from "@mailroom/api"
import { InMemoryHttp } from "@mailroom/testing"
import { Effect } from "effect"
import { gunzipSync } from "node:zlib"
import { acceptsEncoding, compressedFor } from "../src/encodings.js"
import { owner, signIn } from "./support/accounts.js"
import { rule } from "./support/service.js"

const KB = 1024

const requestWith = (headers: Readonly<Record<string, string>>, method = "GET") =>
  HttpServerRequest.fromWeb(new Request("http://mailroom.test/", { method, headers }))

const browser = { cookie: "session=1", "accept-encoding": "gzip, deflate, br" }

const jsonOf = (bytes: number) =>
  HttpServerResponse.text("0".repeat(bytes), { contentType: "application/json" })

const compressed = compressedFor("session")

const sizeOf = ({ body }: HttpServerResponse.HttpServerResponse): number =>
  body._tag === "Uint8Array" ? body.body.length : Number.NaN

describe("a coding is taken", () => {
  it.each([
    ["gzip", true],
    ["br, GZIP;q=0.5", true],
    ["gzip;q=1.0", true],
    ["gzip;q=0", false],
    ["gzip;q=0.000", false],
    ["br", false],
    ["", false],
  ])("gzip by `%s`: %s", (accepted, isTaken) => {
    expect(acceptsEncoding(requestWith({ "accept-encoding": accepted }), "gzip")).toBe(isTaken)
  })
})

describe("compressed for a browser that is signed in", () => {
  it.effect("JSON from 2 to 256 kB", () =>
    Effect.gen(function* () {
      for (const [bytes, isCompressed] of [
        [2 * KB - 1, false],
        [2 * KB, true],
        [256 * KB, true],
        [256 * KB + 1, false],
      ] as const) {
        const answer = yield* compressed(requestWith(browser), jsonOf(bytes))
        expect([bytes, sizeOf(answer) < bytes]).toEqual([bytes, isCompressed])
      }
    }),
  )

  it.effect("not for a program, for one that does not take it, for HEAD, or what is no JSON", () =>
    Effect.gen(function* () {
      const answer = jsonOf(10 * KB)
      const { cookie, ...program } = browser
      for (const request of [requestWith(program), requestWith({ cookie }), requestWith(browser, "HEAD")])
        expect(yield* compressed(request, answer)).toBe(answer)
      const page = HttpServerResponse.text("0".repeat(10 * KB), { contentType: "text/html" })
      expect(yield* compressed(requestWith(browser), page)).toBe(page)
    }),
  )

  it.effect("with a header of random length, which hides the size", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.replicateEffect(compressed(requestWith(browser), jsonOf(10 * KB)), 50)
      const lengths = answers.map(({ headers }) => headers["x-padding"]?.length)
      expect(new Set(lengths).size).toBeGreaterThan(10)
      expect(lengths.every((length) => length !== undefined && length <= 64)).toBe(true)
    }),
  )

  rule("the bytes of an answer of the service, and its length", () =>
    Effect.gen(function* () {
      const { call, open } = yield* InMemoryHttp
      const account = yield* owner("active")
      const cookie = yield* signIn(account)
      for (let n = 0; n < 10; n++)
        yield* call("POST /v1/api-keys", { key: account.key, body: { name: `key ${n}` } })
      const keys = "GET /v1/api-keys"
      const plain = yield* call(keys, { cookie })
      const answer = yield* open(keys, { cookie, headers: { "accept-encoding": "gzip" } })
      const content = Buffer.from(yield* Effect.promise(() => answer.arrayBuffer()))
      expect(gunzipSync(content).toString()).toBe(plain.text)
      expect(answer.headers.get("content-encoding")).toBe("gzip")
      expect(answer.headers.get("content-length") ?? String(content.length)).toBe(String(content.length))
    }),
  )

  rule("the OpenAPI document, for everybody who takes it", () =>
    Effect.gen(function* () {
      const { call, open } = yield* InMemoryHttp
      const plain = yield* call("GET /openapi.json")
      const headers = { "accept-encoding": "gzip" }
      const answer = yield* open("GET /openapi.json", { cookie: `${SESSION_COOKIE}=1`, headers })
      const content = Buffer.from(yield* Effect.promise(() => answer.arrayBuffer()))
      expect(gunzipSync(content).toString()).toBe(plain.text)
      expect(content.length).toBeLessThan(plain.text.length / 5)
      expect([plain.headers.get("vary"), answer.headers.get("vary")]).toEqual([
        "accept-encoding",
        "accept-encoding",
      ])
    }),
  )
})
