/** The package as it is published: packed, and installed into an empty project. */
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** Runs a program; fails with what it printed. */
export const output = (folder: string, command: string, ...args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(command, args, { cwd: folder }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout}${stderr}`)),
    )
  })

const npm = ["--no-audit", "--no-fund", "--offline", "--omit=optional"]

/** The tarball of a package, by its folder in `packages`. */
export const packed = async (
  name = "client",
): Promise<{ readonly file: string; readonly bytes: Uint8Array }> => {
  const folder = await mkdtemp(join(tmpdir(), `mailroom-${name}-`))
  const packing = await output(
    join(root, "packages", name),
    "npm",
    "pack",
    "--json",
    "--pack-destination",
    folder,
  )
  const [, tarball = ""] = /"filename": "([^"]+)"/.exec(packing) ?? []
  const file = join(folder, tarball)
  return { file, bytes: await readFile(file) }
}

/** An empty project with the package, and with links to packages that its user has installed as well. */
export const projectWith = async (tarball: string, others: ReadonlyArray<string> = []): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "mailroom-project-"))
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ name: "user", private: true, type: "module" }),
  )
  await output(folder, "npm", "install", ...npm, tarball)
  for (const name of others) {
    const link = join(folder, "node_modules", name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(root, "node_modules", name), link)
  }
  return folder
}

export interface Compilation {
  readonly module: "nodenext" | "bundler"
  readonly lib: ReadonlyArray<string>
  readonly types: ReadonlyArray<string>
}

/** Compiles a file of a project under the strictest settings, declarations of packages included. */
export const compile = async (
  folder: string,
  text: string,
  { module, lib, types }: Compilation,
): Promise<string> => {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    target: "es2022",
    module: module === "bundler" ? "esnext" : "nodenext",
    moduleResolution: module,
    lib,
    types,
  }
  await writeFile(join(folder, "job.ts"), text)
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["job.ts"] }))
  return output(folder, process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", ".")
}
