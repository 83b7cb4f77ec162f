/** The packages that are published, and their tarballs. All have one version, and name each other in that version. */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")

export const readManifest = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

export const writeManifest = (folder, manifest) =>
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)

/** The folders of all packages and applications of the repository. */
export const workspaces = () =>
  ["packages", "apps"]
    .flatMap((group) => readdirSync(join(root, group)).map((name) => join(root, group, name)))
    .concat([join(root, "bench"), join(root, "conformance")])
    .filter((folder) => existsSync(join(folder, "package.json")))

/** The folders of the packages that are published. */
export const published = () => workspaces().filter((folder) => readManifest(folder).private !== true)

/** The manifest as it is published: the packages of the repository in exactly their version, and nothing for developers. */
const publishedManifest = (folder, names) => {
  const { devDependencies: _, ...manifest } = readManifest(folder)
  const pinned = Object.entries(manifest.dependencies ?? {}).map(([name, range]) => [
    name,
    names.has(name) ? manifest.version : range,
  ])
  return { ...manifest, ...(pinned.length > 0 && { dependencies: Object.fromEntries(pinned) }) }
}

/** Packs every published package into `target`, and returns the files of the tarballs. Packs what was built. */
export const pack = (target) => {
  const folders = published()
  const names = new Set(folders.map((folder) => readManifest(folder).name))
  const staged = folders.map((folder) => {
    const manifest = publishedManifest(folder, names)
    const stage = join(target, "staged", manifest.name.replace("/", "-"))
    mkdirSync(stage, { recursive: true })
    for (const file of [...(manifest.files ?? []), "README.md", "LICENSE"])
      cpSync(join(folder, file), join(stage, file), { recursive: true })
    writeManifest(stage, manifest)
    return stage
  })
  const output = execFileSync("npm", ["pack", "--json", "--pack-destination", target, ...staged], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"],
  })
  return Object.values(JSON.parse(output)).map(({ filename }) => join(target, filename))
}
