/** The file of a database: whether it is there, and its creation with its folder. */
import { codeOf } from "../database/failures.js"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { mkdir, open, stat } from "node:fs/promises"
import { dirname } from "node:path"

/** Only the service's own user may read mail. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/** What stands in the place of the file is a pipe, a socket or a device: opening it might wait for ever. */
class NotAFile extends Error {
  readonly code = "NOT_A_FILE"
}

/** Not `mkdir` with `recursive`: Node never returns from that where a file system takes no folders (`/proc`). */
const createFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: FOLDER_MODE })
  } catch (error) {
    const code = codeOf(error)
    if (code === "ENOENT" && dirname(path) !== path) {
      await createFolder(dirname(path))
      await mkdir(path, { mode: FOLDER_MODE })
    } else if (code !== "EEXIST" || !(await stat(path)).isDirectory()) throw error
  }
}

const isOtherThanFile = async (path: string): Promise<boolean> => {
  try {
    const found = await stat(path)
    return !found.isFile() && !found.isDirectory()
  } catch {
    return false
  }
}

/** Whether there is a file. Fails where a pipe, a socket or a device is. */
export const isThere = (filename: string): Effect.Effect<boolean, unknown> =>
  Effect.tryPromise({
    try: async () => {
      if (await isOtherThanFile(filename)) throw new NotAFile(`${filename} is no file`)
      return existsSync(filename)
    },
    catch: (error) => error,
  })

/** Creates the folder and an empty file, unless they are there. SQLite gives its side files the file's mode. */
export const createFile = (filename: string): Effect.Effect<void, unknown> =>
  filename === ":memory:"
    ? Effect.void
    : Effect.tryPromise({
        try: async () => {
          await createFolder(dirname(filename))
          if (await isOtherThanFile(filename)) throw new NotAFile(`${filename} is no file`)
          await (await open(filename, "a", FILE_MODE)).close()
        },
        catch: (error) => error,
      })
