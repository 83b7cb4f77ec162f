/** Runs commands in the process of the test, against a service in memory. */
import type { Fetch } from "@mailroom/client"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { runCommand } from "../../src/run.js"
import { Shell } from "../../src/terminal/Shell.js"
import { BASE_URL, startService } from "../../../client/test/support/service.js"

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

interface Given {
  readonly environment?: Readonly<Record<string, string>>
  /** what is piped in; without it the standard input is a terminal */
  readonly input?: string
  /** columns of the terminal that the command prints to; without them it prints to a pipe */
  readonly columns?: number
  /** sends the requests of the command; without it the service in memory answers them */
  readonly fetch?: Fetch
}

const decoder = new TextDecoder()

/** A service, and the command with a home of its own. */
export const startCli = () => {
  const service = startService()
  const home = mkdtempSync(join(tmpdir(), "mailroom-cli-"))
  afterAll(() => rmSync(home, { recursive: true }))

  const mailroom = async (words: ReadonlyArray<string>, given: Given = {}): Promise<Ran> => {
    const { environment = {}, input, columns, fetch = service.fetch } = given
    let out = ""
    let err = ""
    const collect = (isError: boolean) => async (chunk: string | Uint8Array) => {
      const text = typeof chunk === "string" ? chunk : decoder.decode(chunk)
      if (isError) err += text
      else out += text
    }
    const isTerminal = columns !== undefined
    const code = await Effect.runPromise(
      Effect.provideService(runCommand(words), Shell, {
        environment,
        home,
        stdin: { isTerminal: input === undefined, read: async () => Buffer.from(input ?? "") },
        stdout: { isTerminal, columns, write: collect(false) },
        stderr: { isTerminal, columns, write: collect(true) },
        fetch,
      }),
    )
    return { code, out, err }
  }

  return {
    service,
    home,
    mailroom,
    /** An account, and the command with its key. */
    agent: async () => {
      const agent = await service.agent()
      const environment = { MAILROOM_API_KEY: agent.key, MAILROOM_URL: BASE_URL }
      return {
        ...agent,
        cli: (words: ReadonlyArray<string>, given: Given = {}) =>
          mailroom(words, { ...given, environment: { ...environment, ...given.environment } }),
        json: async (words: ReadonlyArray<string>, given: Given = {}): Promise<unknown> => {
          const { out, err, code } = await mailroom([...words, "--json"], {
            ...given,
            environment: { ...environment, ...given.environment },
          })
          if (code !== 0) throw new Error(`${words.join(" ")} exits with ${code}: ${err}`)
          return JSON.parse(out)
        },
      }
    },
  }
}
