/** The README's quick start works when all of it is pasted into a shell. */
import { expect, it } from "@effect/vitest"
import { freePort, temporaryFolder } from "@mailroom/test-services"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { startServer } from "./support/server.js"

const readme = new URL("../../../README.md", import.meta.url)

interface Ports {
  readonly http: number
  readonly smtp: number
}

/** The commands of the quick start, for a service at these ports. */
const quickStart = (ports: Ports) =>
  Effect.map(
    Effect.promise(() => readFile(readme, "utf8")),
    (text) => {
      const section = text.slice(text.indexOf("## Quick start"), text.indexOf("## Settings"))
      const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = ""]) => commands)
      return blocks
        .join("")
        .replaceAll("localhost:3000", `localhost:${ports.http}`)
        .replaceAll("localhost:2525", `localhost:${ports.smtp}`)
    },
  )

/** The output of a shell that runs the commands in an empty folder. */
const pasted = (commands: string) =>
  Effect.flatMap(temporaryFolder, (folder) =>
    Effect.async<string>((resume, signal) => {
      // The stream of events in the background would keep the shell's output open.
      const script = `trap 'kill $(jobs -p)' EXIT\n${commands}`
      execFile("bash", ["-c", script], { cwd: folder, signal }, (error, stdout, stderr) =>
        resume(error ? Effect.die(`${error.message}\n${stdout}\n${stderr}`) : Effect.succeed(stdout)),
      )
    }),
  )

it.scopedLive("the quick start works in one go, before the service is up and twice in a row", () =>
  Effect.gen(function* () {
    const ports = { http: yield* freePort, smtp: yield* freePort }
    const commands = yield* quickStart(ports)
    const folder = yield* temporaryFolder
    const started = startServer(folder, { HTTP_PORT: String(ports.http), SMTP_PORT: String(ports.smtp) })
    const [cold] = yield* Effect.all([pasted(commands), started], { concurrency: "unbounded" })
    const warm = yield* pasted(commands)
    for (const printed of [cold, warm]) {
      expect(printed).toContain("quarter,sales")
      expect(printed).toContain("event: message.received")
      expect(printed).toContain("<mark>figures</mark>")
      expect(printed).toMatch(/"text":"quarter,sales/)
      expect(printed).toMatch(/"claim":\{"token":/)
      expect(printed).toMatch(/"messageCount":2/)
      expect(printed).toContain("They look fine.")
      expect(printed).toContain('"status":"PENDING_REVIEW"')
      expect(printed).toMatch(/"status":"SENT"[^]*"to":\["eve@stranger.org"\]/)
    }
  }),
)
