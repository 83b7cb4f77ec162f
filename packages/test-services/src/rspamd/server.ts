/** A real rspamd for tests, with its own folder and port and no rules. It knows the GTUBE text, as every filter does. */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { freePort } from "../freePort.js"
import { eventually } from "../observing.js"
import { temporaryFolder } from "../temporaryFolder.js"

/** Path of rspamd on Debian and its derivatives. */
const RSPAMD = "/usr/bin/rspamd"

export const rspamdAvailable = existsSync(RSPAMD)

export interface RspamdServer {
  /** address of its normal worker */
  readonly url: string
  /** the log so far: a line for each mail, with its envelope */
  readonly log: Effect.Effect<string>
}

const settingsFor = (folder: string, port: number): string => `
options {
  pidfile = "${join(folder, "pid")}";
  tempdir = "${folder}";
  filters = "";
  url_tld = "${join(folder, "tld")}";
  dns { nameserver = ["127.0.0.1:1"]; timeout = 0.1s; retransmits = 1; }
}
logging { type = "file"; filename = "${join(folder, "log")}"; level = "info"; }
worker "normal" { bind_socket = "127.0.0.1:${port}"; count = 1; }
actions { reject = 15; add_header = 6; greylist = 4; }
`

/** Starts an rspamd and stops it when the scope closes. It reads its few top-level domains in less than a second. */
export const rspamdServer: Effect.Effect<RspamdServer, never, Scope.Scope> = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const port = yield* freePort
  yield* Effect.promise(() => writeFile(join(folder, "conf"), settingsFor(folder, port)))
  yield* Effect.promise(() => writeFile(join(folder, "tld"), "com\norg\nexample\n"))
  yield* Effect.acquireRelease(
    // `-i`: as the user of the test, which may be root. A process group of its own: one signal ends all its processes.
    Effect.sync(() =>
      spawn(RSPAMD, ["-f", "-i", "-c", join(folder, "conf")], { detached: true, stdio: "ignore" }),
    ),
    (child) =>
      Effect.async<void>((resume) => {
        if (child.pid === undefined || child.exitCode !== null) return resume(Effect.void)
        child.once("close", () => resume(Effect.void))
        process.kill(-child.pid, "SIGTERM")
      }),
  )
  const url = `http://127.0.0.1:${port}`
  const ping = Effect.promise(() =>
    fetch(`${url}/ping`, { signal: AbortSignal.timeout(1_000) }).then(
      ({ status }) => status,
      () => 0,
    ),
  )
  yield* eventually("rspamd", ping, (status) => status === 200)
  return { url, log: Effect.promise(() => readFile(join(folder, "log"), "utf8")) }
})
