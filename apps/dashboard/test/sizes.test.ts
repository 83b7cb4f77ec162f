/** How much a reader loads, and how it is kept. Measured on a running server, as a browser asks. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { get as request } from "node:http"
import { SharedServer } from "../../server/test/support/server.js"

/** Bytes of the first view at most: the page, its scripts and its styles, compressed. */
const FIRST_VIEW = 45_000
/** Bytes of the scripts of any other page at most. */
const PAGE = 30_000

interface Got {
  readonly bytes: number
  readonly text: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

/** Not by `fetch`, which decodes: the bytes as they come, and their text. */
const got = (url: string, encoding = "br"): Effect.Effect<Got> =>
  Effect.async((resume) => {
    request(url, { headers: { "accept-encoding": encoding } }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => {
        const content = Buffer.concat(chunks)
        resume(
          Effect.succeed({
            bytes: content.length,
            text: content.toString("utf8"),
            headers: response.headers,
          }),
        )
      })
    })
  })

const assetsIn = (text: string): ReadonlyArray<string> => [
  ...new Set(text.match(/\/assets\/[\w-]+\.(?:js|css)/g)),
]

layer(SharedServer.layer(), { excludeTestServices: true })("what a reader loads", (it) => {
  it.scoped(`the first view is below ${FIRST_VIEW} bytes`, () =>
    Effect.gen(function* () {
      const { url } = yield* SharedServer
      const shell = yield* got(`${url}/signin`)
      const assets = yield* Effect.forEach(assetsIn(shell.text), (path) => got(`${url}${path}`))
      const bytes = assets.reduce((sum, asset) => sum + asset.bytes, shell.bytes)
      // The theme, the styles, the start with the frame, and the page: not a file for each module that pages share.
      expect(assets).toHaveLength(4)
      expect(bytes).toBeLessThan(FIRST_VIEW)
    }),
  )

  it.scoped(`each further script is below ${PAGE} bytes`, () =>
    Effect.gen(function* () {
      const { url } = yield* SharedServer
      const shell = yield* got(`${url}/signin`)
      const first = assetsIn(shell.text)
      const known = new Set(first)
      const open = [...known]
      for (let path = open.pop(); path !== undefined; path = open.pop()) {
        const { text } = yield* got(`${url}${path}`, "identity")
        const named = [...text.matchAll(/["']\.\/([\w-]+\.js)["']/g)].map(([, name]) => `/assets/${name}`)
        for (const one of named.filter((name) => !known.has(name))) {
          known.add(one)
          open.push(one)
        }
        if (!first.includes(path)) expect((yield* got(`${url}${path}`)).bytes, path).toBeLessThan(PAGE)
      }
      expect(known.size).toBeGreaterThan(first.length)
    }),
  )

  it.scoped("scripts and styles are kept for a year and come in the best encoding the browser takes", () =>
    Effect.gen(function* () {
      const { url } = yield* SharedServer
      const [path = ""] = assetsIn((yield* got(`${url}/signin`)).text)
      const sizes = yield* Effect.forEach(["br", "gzip", "identity", "br;q=0, gzip"], (encoding) =>
        Effect.map(got(`${url}${path}`, encoding), ({ headers }) => {
          expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable")
          expect(headers["vary"]).toBe("accept-encoding")
          return headers["content-encoding"]
        }),
      )
      expect(sizes).toEqual(["br", "gzip", undefined, "gzip"])
    }),
  )
})
