/** The files of the dashboard, which the bundle has beside it. They are read once, at the start. */
import { type Dashboard, type DashboardAsset, DashboardFiles } from "@mailroom/http"
import { Effect, Layer, Option, Schema } from "effect"
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("./dashboard/", import.meta.url))

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
}

const Pages = Schema.parseJson(
  Schema.Array(
    Schema.Struct({
      path: Schema.TemplateLiteral("/", Schema.String),
      scripts: Schema.Array(Schema.String),
      data: Schema.Array(Schema.String),
      dataOfQuery: Schema.Array(Schema.String),
    }),
  ),
)

const readAsset = async (name: string): Promise<readonly [string, DashboardAsset]> => {
  const file = join(folder, "assets", name)
  const [content, brotli, gzip] = await Promise.all([
    readFile(file),
    readFile(`${file}.br`),
    readFile(`${file}.gz`),
  ])
  const contentType = contentTypes[extname(name)] ?? "application/octet-stream"
  return [name, { contentType, content, brotli, gzip }]
}

const readDashboard = async (): Promise<Dashboard> => {
  const names = await readdir(join(folder, "assets"))
  const [shell, pages, assets] = await Promise.all([
    readFile(join(folder, "index.html"), "utf8"),
    readFile(join(folder, "pages.json"), "utf8"),
    Promise.all(names.filter((name) => !/\.(?:br|gz)$/.test(name)).map(readAsset)),
  ])
  return { shell, pages: Schema.decodeUnknownSync(Pages)(pages), assets: new Map(assets) }
}

/** None outside of the bundle, such as in a program that imports this package. */
export const dashboardFiles = Layer.effect(
  DashboardFiles,
  Effect.promise(async () =>
    existsSync(join(folder, "index.html")) ? Option.some(await readDashboard()) : Option.none(),
  ),
)
