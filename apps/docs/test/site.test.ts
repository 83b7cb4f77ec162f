/** The built pages: their links, anchors, sizes, and that nothing in them needs script. */
import { beforeAll, describe, expect, it } from "vitest"
import { buildDocs } from "@mailroom/docs/build"
import { readReference } from "@mailroom/docs/reference/openapi"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

interface Entry {
  readonly file: string
  readonly type: string
  readonly immutable: boolean
}

interface Built {
  readonly pages: ReadonlyMap<string, string>
  readonly assets: ReadonlyMap<
    string,
    { readonly content: string; readonly brotli: number; readonly gzip: number }
  >
}

const isManifest = (value: unknown): value is Readonly<Record<string, Entry>> =>
  typeof value === "object" && value !== null

const readSite = async (folder: string): Promise<Built> => {
  const manifest: unknown = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"))
  if (!isManifest(manifest)) throw new Error("no manifest")
  const pages = new Map<string, string>()
  const assets = new Map<string, { content: string; brotli: number; gzip: number }>()
  for (const [path, { file, immutable }] of Object.entries(manifest)) {
    const content = await readFile(join(folder, file), "utf8")
    if (immutable) {
      const [brotli, gzip] = await Promise.all(
        [".br", ".gz"].map(async (ending) => (await readFile(join(folder, file + ending))).byteLength),
      )
      assets.set(`/docs/${path}`, { content, brotli: brotli ?? 0, gzip: gzip ?? 0 })
    } else pages.set(path === "" ? "/docs" : `/docs/${path}`, content)
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
          if (/^(?:https?:|data:,)/.test(address)) return false
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

  it("have an index of the search of at most 100 kB, compressed in either way", () => {
    const [index] = [...site.assets].filter(([path]) => path.includes("/search-")).map(([, asset]) => asset)
    expect(index?.brotli).toBeLessThan(100_000)
    expect(index?.gzip).toBeLessThan(100_000)
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
