/** Commands in a shell, in a folder of their own. */
import { Effect } from "effect"
import { execFile } from "node:child_process"

export interface Printed {
  readonly stdout: string
  readonly stderr: string
  readonly failed: boolean
}

export const shell = (
  folder: string,
  commands: string,
  variables: Readonly<Record<string, string>>,
): Effect.Effect<Printed> =>
  Effect.async((resume, signal) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, ...variables }
    execFile(
      "bash",
      ["-c", commands],
      { cwd: folder, env, signal, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => resume(Effect.succeed({ stdout, stderr, failed: error !== null })),
    )
  })
