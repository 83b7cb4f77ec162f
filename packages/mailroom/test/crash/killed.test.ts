/** An embedding program that is killed again and again handles every mail, and answers each at most once. */
import { describe, expect, it } from "@effect/vitest"
import { eventually, plainMail, smtpSession, temporaryFolder, upToData } from "@mailroom/test-services"
import { Deferred, Duration, Effect } from "effect"
import { createMailroom, type MessageList } from "mailroom"
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Kills of a run; `npm run soak` has more. */
const ROUNDS = Number(process.env["CRASH_ROUNDS"] ?? 4)
/** Mails of a round at most: the agent answers one after the other, and each kill leaves what it had no time for. */
const MAILS = 25
const ADDRESS = "agent@agents.acme.dev"

const agent = fileURLToPath(new URL("../support/agent.mjs", import.meta.url))

/** Starts the agent, which is killed with the scope. */
const started = (data: string, handled: string) =>
  Effect.gen(function* () {
    const ready = yield* Deferred.make<number>()
    const ended = yield* Deferred.make<void>()
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [agent, data, handled], { stdio: ["ignore", "pipe", "inherit"] }),
      ),
      (process) => Effect.sync(() => process.kill("SIGKILL")),
    )
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const [, port] = /ready (\d+)\n/.exec((output += text)) ?? []
      if (port !== undefined) Deferred.unsafeDone(ready, Effect.succeed(Number(port)))
    })
    child.on("close", () => {
      Deferred.unsafeDone(ended, Effect.void)
      Deferred.unsafeDone(ready, Effect.dieMessage(`the agent ended: ${output}`))
    })
    const kill = Effect.zipRight(
      Effect.sync(() => child.kill("SIGKILL")),
      Deferred.await(ended),
    )
    return { port: yield* Deferred.await(ready), kill }
  })

/**
 * Sends mails over one session, until the agent is gone at the latest, each from an address of its own: more than thirty answers an hour to one
 * address would be taken for two machines that answer each other. Calls `accepted` with each that was answered with 250.
 */
const sending = (port: number, round: number, accepted: (name: string) => void) =>
  Effect.scoped(
    Effect.gen(function* () {
      const session = yield* smtpSession(port)
      for (let n = 1; n <= MAILS; n += 1) {
        const name = `mail-${round}-${n}`
        const ready = yield* upToData(session, ADDRESS, `${name}@corp.org`)
        if (!ready.startsWith("354")) return
        yield* session.write(plainMail(name).replace("bob@corp.org", `${name}@corp.org`))
        if (!(yield* session.say("\r\n.")).startsWith("250")) return
        accepted(name)
      }
    }),
  )

const linesOf = (file: string): ReadonlyArray<string> =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []

const counted = (names: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

describe("an embedding program that is killed while mail comes in", () => {
  it.scopedLive(
    "handles every mail that it accepted, and answers each once",
    () =>
      Effect.gen(function* () {
        const data = yield* temporaryFolder
        const handled = join(data, "handled.txt")
        const accepted: Array<string> = []
        for (let round = 1; round <= ROUNDS; round += 1) {
          const { port, kill } = yield* started(data, handled)
          const kills = Effect.zipRight(Effect.sleep((round * 173) % 600), kill)
          yield* Effect.all([sending(port, round, (name) => accepted.push(name)), kills], { concurrency: 2 })
        }
        expect(accepted.length).toBeGreaterThan(ROUNDS)
        const last = yield* started(data, handled)
        yield* eventually(
          "every mail is handled",
          Effect.sync(() => {
            const seen = new Set(linesOf(handled))
            return accepted.filter((name) => !seen.has(name))
          }),
          (missing) => missing.length === 0,
          Duration.seconds(60 + 2 * ROUNDS),
        )
        yield* last.kill

        const mailroom = yield* Effect.acquireRelease(
          Effect.promise(() => createMailroom({ folder: data, domain: "agents.acme.dev", receive: false })),
          (running) => Effect.promise(() => running.close()),
        )
        const mailbox = yield* Effect.promise(() => mailroom.mailboxes.adopt("agent"))
        const answers: Array<string> = []
        let after: string | null = null
        do {
          const page: MessageList = yield* Effect.promise(() =>
            mailroom.messages.list(mailbox, { direction: "OUTBOUND", after }),
          )
          answers.push(...page.messages.map(({ subject }) => subject))
          after = page.next
        } while (after !== null)
        const twice = [...counted(answers)].filter(([, count]) => count > 1)
        expect(twice).toEqual([])
        expect(answers.length).toBeGreaterThanOrEqual(accepted.length - 1)
      }),
    1_800_000,
  )
})
