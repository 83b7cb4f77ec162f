/** What the command has around it: streams, environment, network. Tests provide their own. */
import type { Fetch } from "@mailroom/client"
import { Context, Effect } from "effect"
import { homedir } from "node:os"

export interface OutStream {
  readonly isTerminal: boolean
  /** columns of the terminal; undefined elsewhere */
  readonly columns: number | undefined
  /** Writes, and waits until the text is taken, so that a slow reader slows the command down. */
  readonly write: (chunk: string | Uint8Array) => Promise<void>
}

export interface InStream {
  readonly isTerminal: boolean
  /** all bytes until the end of the input */
  readonly read: () => Promise<Buffer>
}

export class Shell extends Context.Tag("@mailroom/cli/Shell")<
  Shell,
  {
    readonly environment: Readonly<Record<string, string | undefined>>
    readonly home: string
    readonly stdin: InStream
    readonly stdout: OutStream
    readonly stderr: OutStream
    readonly fetch: Fetch
  }
>() {}

const outStream = (stream: NodeJS.WriteStream): OutStream => ({
  isTerminal: stream.isTTY,
  columns: stream.isTTY ? stream.columns : undefined,
  // A reader that left, as in `| head -1`, is no failure of the command: main.ts ends it.
  write: (chunk) => new Promise((resolve) => stream.write(chunk, () => resolve())),
})

const inStream = (stream: NodeJS.ReadStream): InStream => ({
  isTerminal: stream.isTTY,
  read: async () => {
    const chunks: Array<Uint8Array> = []
    for await (const chunk of stream) chunks.push(Buffer.from(chunk))
    return Buffer.concat(chunks)
  },
})

/** The shell of this process. */
export const processShell: Effect.Effect<Shell["Type"]> = Effect.sync(() => ({
  environment: process.env,
  home: homedir(),
  stdin: inStream(process.stdin),
  stdout: outStream(process.stdout),
  stderr: outStream(process.stderr),
  fetch: (url, init) => fetch(url, init),
}))

/** A variable of the environment that is set and not empty. */
export const environmentValue = ({ environment }: Shell["Type"], name: string): string | undefined => {
  const value = environment[name]
  return value === "" ? undefined : value
}

/** Whether a stream gets colours: a terminal that does not refuse them (https://no-color.org). */
export const hasColours = (shell: Shell["Type"], stream: OutStream): boolean =>
  stream.isTerminal &&
  environmentValue(shell, "NO_COLOR") === undefined &&
  environmentValue(shell, "TERM") !== "dumb"
