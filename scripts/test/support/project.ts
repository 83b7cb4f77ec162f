/**
 * The packages as they are published: packed, and installed into empty projects without a registry. A tarball is unpacked as
 * npm does it. A package finds other packages of ours beside it, and other dependencies only if its manifest names them.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { pack, published, readManifest } from "../../packages.mjs"

export const root = fileURLToPath(new URL("../../..", import.meta.url))

/** Runs a program; fails with what it printed. */
export const output = (
  folder: string,
  command: string,
  args: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> =>
  new Promise((resolve, reject) => {
    const env = { PATH: process.env["PATH"], HOME: folder, ...variables }
    execFile(command, [...args], { cwd: folder, env }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout}${stderr}`)),
    )
  })

export interface Tarball {
  readonly name: string
  readonly file: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Where npm has installed a package for those that are in `folder`. */
const installed = (folder: string, name: string): string => {
  const place = join(folder, "node_modules", name)
  if (existsSync(place)) return place
  if (folder === root) throw new Error(`${name} is not installed`)
  return installed(dirname(folder), name)
}

const link = async (target: string, place: string): Promise<void> => {
  await mkdir(dirname(place), { recursive: true })
  await symlink(target, place)
}

export class PackedPackages {
  private readonly folders: Array<string>

  private constructor(
    readonly tarballs: ReadonlyArray<Tarball>,
    folder: string,
  ) {
    this.folders = [folder]
  }

  /** Packs all published packages. */
  static async make(): Promise<PackedPackages> {
    const folder = await mkdtemp(join(tmpdir(), "mailroom-packages-"))
    const files = pack(folder)
    const names = published().map((one) => readManifest(one).name)
    const tarballs = await Promise.all(
      names.map(async (name) => {
        const start = `${name.replace("@", "").replace("/", "-")}-`
        const file = files.find((one) => new RegExp(`/${start}\\d`).test(one))
        if (file === undefined) throw new Error(`${name} was not packed`)
        return { name, file, bytes: new Uint8Array(await readFile(file)) }
      }),
    )
    return new PackedPackages(tarballs, folder)
  }

  /**
   * A project with these packages of ours and what they depend on. `others`: packages that its user has installed beside
   * them.
   */
  async project(names: ReadonlyArray<string>, others: ReadonlyArray<string> = []): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "mailroom-project-"))
    this.folders.push(folder)
    await writeFile(
      join(folder, "package.json"),
      JSON.stringify({ name: "user", private: true, type: "module" }),
    )
    const done = new Set<string>()
    for (const name of names) await this.install(folder, name, done)
    for (const name of others) await link(installed(root, name), join(folder, "node_modules", name))
    return folder
  }

  private async install(project: string, name: string, done: Set<string>): Promise<void> {
    if (done.has(name)) return
    done.add(name)
    const place = join(project, "node_modules", name)
    await mkdir(place, { recursive: true })
    const { file } = this.tarball(name)
    await output(place, "tar", ["-xzf", file, "--strip-components=1"])
    const { dependencies = {}, optionalDependencies = {} } = readManifest(place)
    const source = published().find((folder) => readManifest(folder).name === name) ?? root
    for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies }))
      if (this.tarballs.some((one) => one.name === dependency)) await this.install(project, dependency, done)
      else await link(installed(source, dependency), join(place, "node_modules", dependency))
  }

  tarball(name: string): Tarball {
    const found = this.tarballs.find((one) => one.name === name)
    if (found === undefined) throw new Error(`${name} is not published`)
    return found
  }

  async remove(): Promise<void> {
    await Promise.all(this.folders.map((folder) => rm(folder, { recursive: true, force: true })))
  }
}

export interface Compilation {
  readonly module: "nodenext" | "bundler"
  readonly lib: ReadonlyArray<string>
  readonly types: ReadonlyArray<string>
  /** false: declarations of packages are checked, too */
  readonly skipLibCheck: boolean
}

/** Compiles a file of a project under the strictest settings. */
export const compile = async (
  folder: string,
  text: string,
  { module, lib, types, skipLibCheck }: Compilation,
): Promise<string> => {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck,
    noEmit: true,
    target: "es2022",
    module: module === "bundler" ? "esnext" : "nodenext",
    moduleResolution: module,
    lib,
    types,
  }
  await writeFile(join(folder, "job.ts"), text)
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["job.ts"] }))
  return output(folder, process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."])
}
