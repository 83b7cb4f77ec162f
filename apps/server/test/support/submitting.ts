/** Programs and libraries that send mail by submission. */
import { Effect } from "effect"
import { execFile, spawnSync } from "node:child_process"

export interface Ran {
  readonly code: number
  /** stdout and stderr */
  readonly said: string
}

/** Runs a program to its end, with this input. */
export const run = (program: string, args: ReadonlyArray<string>, input = ""): Effect.Effect<Ran> =>
  Effect.async<Ran>((resume, signal) => {
    const child = execFile(program, [...args], { signal, timeout: 60_000 }, (error, stdout, stderr) =>
      resume(
        Effect.succeed({
          code: error === null ? 0 : typeof error.code === "number" ? error.code : -1,
          said: `${stdout}${stderr}`,
        }),
      ),
    )
    child.stdin?.end(input)
  })

/** Whether the program is installed. */
export const isInstalled = (program: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(program, [...args]).error === undefined
