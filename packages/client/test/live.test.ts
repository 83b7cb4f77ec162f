/**
 * The client on a running server, in Node; by `npm run test:runtimes` also installed from its tarball, in Node, Bun and
 * Deno.
 */
import { expect, layer } from "@effect/vitest"
import { Mailroom } from "@mailroom/client"
import { deliver, plainMail, temporaryFolder } from "@mailroom/test-services"
import { Effect, Fiber } from "effect"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { signUp } from "../../../apps/server/test/support/account.js"
import { SharedServer, startServer } from "../../../apps/server/test/support/server.js"
import { mainJob } from "./support/job.mjs"
import { type Job, jobAnswer, prepareJob } from "./support/live.js"

/** A project with the installed client, Bun and Deno, which `runtimes.mjs` makes. */
const project = process.env["RUNTIMES"]

const runtimes = (folder: string) => ({
  Node: [process.execPath],
  Bun: [join(folder, "node_modules/.bin/bun")],
  Deno: [join(folder, "node_modules/.bin/deno"), "run", "--allow-net", "--allow-env"],
})

/** What the job answers in a process of a runtime. */
const answerIn = async (
  cwd: string,
  [command = "", ...args]: ReadonlyArray<string>,
  job: Job,
): Promise<unknown> => {
  const env = {
    PATH: process.env["PATH"],
    HOME: cwd,
    JOB: JSON.stringify(job),
    MAILROOM_URL: job.baseUrl,
    MAILROOM_API_KEY: job.apiKey,
  }
  const { stdout } = await promisify(execFile)(command, [...args, "main.mjs"], { cwd, env })
  return JSON.parse(stdout)
}

layer(SharedServer.layer(), { excludeTestServices: true })("the main job", (it) => {
  it.effect("in Node", () =>
    Effect.gen(function* () {
      const job = yield* prepareJob(yield* SharedServer, "innode")
      expect(yield* Effect.promise(() => mainJob(new Mailroom(job), job))).toEqual(jobAnswer("innode"))
    }),
  )

  if (project !== undefined)
    it.effect.each(Object.entries(runtimes(project)))("installed, in %s", ([name, command]) =>
      Effect.gen(function* () {
        const slug = `installed${name.toLowerCase()}`
        const job = yield* prepareJob(yield* SharedServer, slug)
        expect(yield* Effect.promise(() => answerIn(project, command, job))).toEqual(jobAnswer(slug))
      }),
    )

  it.scoped("events go on over a server that is killed twice: each comes once, in order", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const subjects: Array<string> = []
      const receive = (smtpPort: number, address: string, name: string) =>
        Effect.forEach([1, 2, 3], (number) => deliver(smtpPort, address, plainMail(`${name}${number}`)))
      const first = yield* startServer(folder)
      const account = yield* signUp(first, "killed")
      const mailroom = new Mailroom({ baseUrl: first.url, apiKey: account.key })
      const reader = yield* Effect.fork(
        Effect.promise(async (signal) => {
          for await (const { event, data } of mailroom.events({ after: "", signal })) {
            if (event !== "message.received" || !("subject" in data)) continue
            subjects.push(data.subject)
            if (subjects.length === 9) return
          }
        }),
      )
      yield* receive(first.smtpPort, account.address, "a")
      yield* first.stop("SIGKILL")
      const second = yield* startServer(folder, { HTTP_PORT: String(first.httpPort) })
      yield* receive(second.smtpPort, account.address, "b")
      yield* second.stop("SIGKILL")
      const third = yield* startServer(folder, { HTTP_PORT: String(first.httpPort) })
      yield* receive(third.smtpPort, account.address, "c")
      yield* Fiber.join(reader)
      // Mail that a killed process had begun to deliver can come after mail that arrived later.
      const log = yield* Effect.promise(async () => mailroom.events.log({ events: "message.received" }))
      const inTheLog = log.items.flatMap(({ data }) => ("subject" in data ? [data.subject] : []))
      expect(subjects).toEqual(inTheLog)
      expect(subjects.toSorted()).toEqual(["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"])
    }),
  )
})
