/** `mcp`: the tools of Mailroom for MCP clients that start a process. */
import * as Command from "@effect/cli/Command"
import { Effect } from "effect"
import { remote, common } from "../options.js"
import { Api } from "../session/Api.js"

/** The client ends the process by the end of its standard input (Model Context Protocol, transports, stdio). */
const endOfInput = Effect.async<void>((resume) => {
  process.stdin.once("end", () => resume(Effect.void))
})

export const mcp = Command.make("mcp", { common }, ({ common }) =>
  remote(
    common,
    Effect.gen(function* () {
      const { credentials } = yield* Api
      const { serveStdio } = yield* Effect.promise(() => import("@mailroom/mcp"))
      serveStdio({ apiKey: credentials.apiKey, baseUrl: credentials.url })
      yield* endOfInput
    }),
  ),
).pipe(Command.withDescription("Serve MCP on the standard input and output, with the key of the profile"))
