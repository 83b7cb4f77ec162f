/** The built pages: their links, anchors, sizes, and that nothing in them needs script. */
import { beforeAll, describe, expect, it } from "vitest"
import { buildDocs } from "@mailroom/docs/build"
import { readReference } from "@mailroom/docs/reference/openapi"
import { root } from "@mailroom/docs/site/root"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { Schema } from "effect"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliCompressSync, gunzipSync, gzipSync } from "node:zlib"

const Manifest = Schema.parseJson(
  Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ file: Schema.String, immutable: Schema.Boolean }),
  }),
)

interface Asset {
  readonly content: string
  /** bytes, compressed */
  readonly compressed: number
}

interface Built {
  readonly pages: ReadonlyMap<string, string>
  readonly assets: ReadonlyMap<string, Asset>
}

const readSite = async (folder: string): Promise<Built> => {
  const manifest = Schema.decodeUnknownSync(Manifest)(await readFile(join(folder, "manifest.json"), "utf8"))
  const pages = new Map<string, string>()
  const assets = new Map<string, Asset>()
  for (const [path, { file, immutable }] of Object.entries(manifest)) {
    const bytes = await readFile(join(folder, file))
    const content = gunzipSync(bytes).toString()
    if (immutable) assets.set(`/docs/${path}`, { content, compressed: bytes.byteLength })
    else pages.set(path === "" ? "/docs" : `/docs/${path}`, content)
  }
  return { pages, assets }
}

let site: Built

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "mailroom-site-"))
  await buildDocs(join(folder, "site"))
  site = await readSite(join(folder, "site"))
  await rm(folder, { recursive: true })
})

const idsIn = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id)

const addressesIn = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, address = ""]) => address.replaceAll("&amp;", "&"))

/** Pages of the service beside the documentation. */
const others = ["/openapi.json", "/llms.txt", "/llms-full.txt", "/skill.md"]

const kilobytes = (text: string): number => Buffer.byteLength(text) / 1000

describe("the pages", () => {
  it("have no link to a page, a heading or a file that does not exist", () => {
    const ids = new Map([...site.pages].map(([path, html]) => [path, new Set(idsIn(html))]))
    const dead = [...site.pages].flatMap(([path, html]) =>
      addressesIn(html)
        .filter((address) => {
          if (/^(?:https?|data):/.test(address)) return false
          const [target = "", anchor] = address.startsWith("#")
            ? [path, address.slice(1)]
            : address.split("#")
          if (others.includes(target) || site.assets.has(target)) return false
          const found = ids.get(target)
          return found === undefined || (anchor !== undefined && !found.has(anchor))
        })
        .map((address) => `${path}: ${address}`),
    )
    expect(dead).toEqual([])
  })

  it("have the recipes to which /llms.txt leads", async () => {
    const names = (await readdir(join(root, "docs/recipes"))).map((name) => name.replace(/\.md$/, ""))
    const paths = names.map((name) => (name === "README" ? "/docs/recipes" : `/docs/recipes/${name}`))
    expect(paths.filter((path) => !site.pages.has(path))).toEqual([])
    expect(paths.length).toBeGreaterThan(3)
  })

  it("have each id once", () => {
    const twice = [...site.pages].flatMap(([path, html]) => {
      const ids = idsIn(html)
      return ids.length === new Set(ids).size ? [] : [path]
    })
    expect(twice).toEqual([])
  })

  it("have no script and no style inside, and load nothing from elsewhere", () => {
    for (const [path, html] of site.pages) {
      expect(html, path).not.toMatch(/<script(?![^>]* src="\/docs\/)|<style| style="| on[a-z]+="/)
      expect(html, path).not.toMatch(/<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?\/\//)
    }
  })

  it("weigh at most 300 kB each, uncompressed, with all that they load", () => {
    const loaded = [...site.assets]
      .filter(([path]) => !path.includes("/search-"))
      .reduce((sum, [, { content }]) => sum + kilobytes(content), 0)
    const heavy = [...site.pages]
      .map(([path, html]) => [path, kilobytes(html) + loaded] as const)
      .filter(([, size]) => size > 300)
    expect(heavy).toEqual([])
  })

  it("have an index of the search of at most 100 kB, compressed", () => {
    const sizes = [...site.assets].flatMap(([path, { compressed }]) =>
      path.includes("/search-") ? [compressed] : [],
    )
    expect(sizes).toHaveLength(1)
    expect(Math.max(...sizes)).toBeLessThan(100_000)
  })
})

/** Rows of the table in docs/docs.md: pages of each kind with what a first visit loads. */
const measured: ReadonlyArray<readonly [name: string, path: string]> = [
  ["first page", "/docs"],
  ["quick start", "/docs/guides/quick-start"],
  ["reference of a group (threads)", "/docs/reference/threads"],
  ["reference of the largest group (messages)", "/docs/reference/messages"],
  ["types, the largest page", "/docs/reference/types"],
]

interface Sizes {
  readonly name: string
  /** in bytes: plain, gzip, brotli */
  readonly bytes: readonly [number, number, number]
}

const sizesOf = (name: string, texts: ReadonlyArray<string>): Sizes => {
  const sum = (size: (text: string) => number) => texts.reduce((total, text) => total + size(text), 0)
  return {
    name,
    bytes: [
      sum((text) => Buffer.byteLength(text)),
      sum((text) => gzipSync(text, { level: 9 }).byteLength),
      sum((text) => brotliCompressSync(text).byteLength),
    ],
  }
}

const allSizes = (): ReadonlyArray<Sizes> => {
  const assets = [...site.assets].map(([path, { content }]) => ({ path, content }))
  const isIndex = (path: string) => path.includes("/search-")
  const loaded = assets.filter(({ path }) => !isIndex(path))
  const ending = (end: string) =>
    loaded.filter(({ path }) => path.endsWith(end)).map(({ content }) => content)
  return [
    sizesOf("style", ending(".css")),
    sizesOf("scripts", ending(".js")),
    sizesOf(
      "index of the search",
      assets.filter(({ path }) => isIndex(path)).map(({ content }) => content),
    ),
    ...measured.map(([name, path]) =>
      sizesOf(name, [site.pages.get(path) ?? "", ...loaded.map(({ content }) => content)]),
    ),
  ]
}

const shown = (bytes: number): string => (bytes / 1000).toFixed(1)

describe("the table of sizes in docs/docs.md", () => {
  const file = join(root, "docs/docs.md")

  it("is not more than a tenth and half a kB from what is built", async () => {
    const sizes = allSizes()
    const text = await readFile(file, "utf8")
    if (process.env["MEASURE"] === "1") {
      const rows = sizes.map(({ name, bytes }) => `| ${[name, ...bytes.map(shown)].join(" | ")} |`)
      const table = ["| part | plain | gzip | brotli |", "| --- | --- | --- | --- |", ...rows].join("\n")
      const marked = /<!-- sizes -->[^]*<!-- \/sizes -->/
      await writeFile(file, text.replace(marked, `<!-- sizes -->\n\n${table}\n\n<!-- /sizes -->`))
      return
    }
    const written = new Map(
      [...text.matchAll(/^\| (.+?) +\| ([\d.]+) +\| ([\d.]+) +\| ([\d.]+) +\|$/gm)].map(
        ([, name = "", ...numbers]) => [name, numbers.map(Number)],
      ),
    )
    for (const { name, bytes } of sizes)
      for (const [at, size] of bytes.entries()) {
        const difference = Math.abs((written.get(name)?.[at] ?? 0) - size / 1000)
        expect(difference, `${name}: ${shown(size)} kB; run npm run docs:measure`).toBeLessThan(
          size / 10_000 + 0.5,
        )
      }
  })
})

describe("the reference", () => {
  it("has every operation, with a link of its own and its examples", () => {
    const html = [...site.pages.values()].join("")
    for (const { operations } of readReference().groups)
      for (const { operationId } of operations) expect(html).toContain(`<h2 id="${operationId}">`)
  })

  it("has every type that a field names", () => {
    const types = new Set(idsIn(site.pages.get("/docs/reference/types") ?? ""))
    const named = [...site.pages.values()].flatMap((html) =>
      [...html.matchAll(/\/docs\/reference\/types#([A-Za-z]+)/g)].map(([, name = ""]) => name),
    )
    expect(named.length).toBeGreaterThan(300)
    expect(named.filter((name) => !types.has(name))).toEqual([])
  })
})
