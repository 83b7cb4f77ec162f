/** The text of `main.cf` and `master.cf`, and `main.cf` as a record. */

export type Settings = Readonly<Record<string, string>>

/** Parses a `main.cf`. A line that starts with white space continues the one before it. */
export const parseSettings = (text: string): Settings =>
  Object.fromEntries(
    text
      .replace(/^[ \t]*(?:#.*)?\n/gm, "")
      .replace(/\n[ \t]+/g, " ")
      .split("\n")
      .flatMap((line) => {
        const [, name, value] = /^([a-z0-9_]+)\s*=\s*(.*?)\s*$/i.exec(line) ?? []
        return name === undefined || value === undefined ? [] : [[name, value]]
      }),
  )

export const settingsText = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join("")

/** The services of `master.cf` that relaying, bouncing and a mailbox need, without chroot. */
export const servicesText = (port: number): string =>
  [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    "cleanup unix n - n - 0 cleanup",
    "qmgr unix n - n 300 1 qmgr",
    "rewrite unix - - n - - trivial-rewrite",
    "bounce unix - - n - 0 bounce",
    "defer unix - - n - 0 bounce",
    "trace unix - - n - 0 bounce",
    "verify unix - - n - 1 verify",
    "flush unix n - n 1000? 0 flush",
    "proxymap unix - - n - - proxymap",
    "tlsmgr unix - - n 1000? 1 tlsmgr",
    "smtp unix - - n - - smtp",
    "relay unix - - n - - smtp",
    "showq unix n - n - - showq",
    "error unix - - n - - error",
    "retry unix - - n - - error",
    "discard unix - - n - - discard",
    "virtual unix - n n - - virtual",
    "anvil unix - - n - 1 anvil",
    "scache unix - - n - 1 scache",
    "postlog unix-dgram n - n - 1 postlogd",
    "",
  ].join("\n")
