/** The reasons why the server does not start. `message` is one line, which says what to do. */
import { Data } from "effect"

/** The settings contradict each other or need something that is absent. Another start fails, too, until they are changed. */
export class SettingsWrong extends Data.TaggedError("SettingsWrong")<{ readonly message: string }> {}

/** Something outside the settings is in the way, such as a database that is away. A later start may succeed. */
export class StartFailed extends Data.TaggedError("StartFailed")<{ readonly message: string }> {}

/** The message of a database or a store for blobs that cannot be used, with the setting that says where it is. */
export const withVariable = (message: string, variable: "BLOB_URL" | "DATABASE_URL"): string =>
  `${message} ${variable} says where it is.`

/** The error of a listener that could not bind. `variable` is the setting of its port, `reason` the code of Node. */
export const portProblem = (variable: string, host: string, port: number, reason: string): StartFailed => {
  const where = `${host}:${port}`
  switch (reason) {
    case "EADDRINUSE":
      return new StartFailed({
        message: `${where} is taken by another program. Stop that program, or set ${variable} to another port.`,
      })
    case "EACCES":
      return new StartFailed({
        message: `${where} may not be listened on by this user. Set ${variable} to a port above 1023.`,
      })
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new StartFailed({
        message: `${host} is no address of this machine. Set ${variable.replace("PORT", "HOST")} to one that is.`,
      })
    default:
      return new StartFailed({ message: `${where} cannot be listened on: ${reason}. See ${variable}.` })
  }
}
