/** The examples of the reference work as they are printed: those of curl, of the client, and of MCP. */
import { expect, it, layer } from "@effect/vitest"
import { temporaryFolder } from "@mailroom/test-services"
import { Effect, Schema } from "effect"
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { clientCall, curlCommand, exampleOf, toolCall } from "@mailroom/docs/reference/examples/index"
import type { ApiOperation } from "@mailroom/api"
import { readReference } from "@mailroom/docs/reference/openapi"
import { type Recorded, recordedFile, recordedResponses } from "@mailroom/docs/reference/responses"
import { root } from "@mailroom/docs/site/root"
import { call } from "../../../server/test/support/http.js"
import { spawnNode } from "../../../server/test/support/process.js"
import { SharedServer } from "../../../server/test/support/server.js"
import { clientProgram, Failures } from "../support/clientProgram.js"
import { valuesFor, wholeReader } from "../support/fixtures.js"
import { figures } from "../support/mails.js"
import { fieldNames, normalized } from "../support/normalized.js"
import { shell } from "../support/shell.js"

const operations = readReference().groups.flatMap((group) => group.operations)
const runnable = operations.filter(({ operationId }) => exampleOf(operationId).notRun === undefined)

const settings = {
  SEND_VELOCITY_PER_MINUTE: "1000",
  SIGNUPS_PER_HOUR: "1000",
  SUPPORT_EMAIL: "help@operator.example",
}

/** A folder with the files that examples name, and with the client. */
const workplace = Effect.tap(temporaryFolder, (folder) =>
  Effect.promise(async () => {
    await writeFile(join(folder, "figures.csv"), "quarter,sales\nQ1,42\n")
    await writeFile(
      join(folder, "old.eml"),
      figures("agent@acme.mailroom.localhost", 0).replaceAll("\n", "\r\n"),
    )
    await mkdir(join(folder, "node_modules"))
    await symlink(join(root, "node_modules/@mailroom"), join(folder, "node_modules/@mailroom"))
  }),
)

const documented = ({ responses }: ApiOperation): ReadonlyArray<string> =>
  Object.keys(responses).filter((status) => status < "300")

const answerOf = (stdout: string) => {
  const [, body = "", status = "", contentType = ""] = /^([^]*)\n(\d+) (\S*)[^\n]*$/.exec(stdout) ?? []
  return { body, status: Number(status), contentType }
}

layer(SharedServer.layer(settings), { excludeTestServices: true })("the examples of the reference", (it) => {
  it.scoped("of curl answer with a documented success, and with the fields that the page shows", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const reader = yield* wholeReader(server, "acme")
      const folder = yield* workplace
      const recorded: Record<string, Recorded[string]> = {}
      const failures: Array<string> = []
      for (const operation of runnable) {
        const { operationId } = operation
        const values = yield* valuesFor(reader, operationId)
        const command = curlCommand(operation, exampleOf(operationId)).replace(
          "curl ",
          "curl -s -w '\\n%{http_code} %{content_type}' ",
        )
        const printed = yield* shell(folder, command, { MAILROOM_URL: server.url, ...values })
        const { status, body, contentType } = answerOf(printed.stdout)
        if (!documented(operation).includes(String(status)))
          failures.push(`${operationId}: ${status} ${body}\n${command}`)
        else recorded[operationId] = { status, contentType, body: normalized(body, contentType) }
      }
      expect(failures).toEqual([])
      if (process.env["RECORD"] === "1")
        yield* Effect.promise(() => writeFile(recordedFile, `${JSON.stringify(recorded, null, 2)}\n`))
      const shape = (all: Recorded) =>
        Object.fromEntries(
          Object.entries(all).map(([name, { status, body, contentType }]) => [
            name,
            [status, ...fieldNames(body, contentType)],
          ]),
        )
      expect(shape(recorded)).toEqual(shape(recordedResponses()))
    }),
  )

  it.scoped("of the client run", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const reader = yield* wholeReader(server, "program")
      const folder = yield* workplace
      const values = yield* Effect.forEach(runnable, ({ operationId }) => valuesFor(reader, operationId))
      const calls = runnable.map((operation, index) => ({
        name: operation.operationId,
        code: clientCall(operation, exampleOf(operation.operationId)),
        values: values[index] ?? {},
      }))
      yield* Effect.promise(() => writeFile(join(folder, "calls.mjs"), clientProgram(calls)))
      const program = yield* spawnNode(folder, { MAILROOM_URL: server.url }, ["calls.mjs"])
      const { stdout, stderr } = yield* program.ended
      expect([stderr, Schema.decodeUnknownSync(Failures)(stdout)]).toEqual(["", {}])
    }),
  )

  it.scoped("of MCP succeed", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const reader = yield* wholeReader(server, "model")
      for (const { operationId } of runnable) {
        const tool = toolCall(exampleOf(operationId))
        if (tool === null) continue
        const values = yield* valuesFor(reader, operationId)
        const params: unknown = JSON.parse(
          tool.replace(/\$([A-Z_]+)/g, (_, name: string) => values[name] ?? ""),
        )
        const answer = yield* call(server, "POST /mcp", {
          key: values["MAILROOM_API_KEY"] ?? reader.key,
          body: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
          headers: { accept: "application/json, text/event-stream" },
        })
        expect(answer.text, operationId).toContain('"structuredContent"')
        expect(answer.text, operationId).not.toMatch(/"isError":true|"error":/)
      }
    }),
  )
})

it("few operations have an example that no test runs", () => {
  const reasons = operations.flatMap(({ operationId }) => exampleOf(operationId).notRun ?? [])
  expect(reasons).toHaveLength(6)
})

it("every tool of MCP is shown with an operation", async () => {
  const shown = operations.map(({ operationId }) => exampleOf(operationId).tool?.name)
  const page = await readFile(join(root, "docs/mcp.md"), "utf8")
  const tools = [...page.matchAll(/^\| `([a-z_]+)`/gm)].map(([, name]) => name)
  expect(tools.length).toBeGreaterThan(10)
  expect(tools.filter((tool) => !shown.includes(tool))).toEqual([])
})
