/**
 * Clients that others generate from the OpenAPI document: the main job compiles with them under TypeScript's strict
 * settings.
 */
import { createClient } from "@hey-api/openapi-ts"
import { openApiDocument } from "@mailroom/api"
import { mkdir, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import openapiTypescript, { astToString } from "openapi-typescript"
import ts from "typescript"
import { expect, it } from "vitest"

const pathOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))

const document = JSON.stringify(
  openApiDocument({ baseUrl: "https://api.mailroom.dev", headerPrefix: "X-Service-" }),
)

const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
}

/** What the compiler finds wrong with a job, or with the client that it uses. */
const problemsOf = (job: string, settings: ts.CompilerOptions): ReadonlyArray<string> => {
  const program = ts.createProgram([pathOf(`jobs/${job}.ts`)], settings)
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    return `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`
  })
}

it("openapi-typescript: the main job compiles", async () => {
  await mkdir(pathOf("dist"), { recursive: true })
  await writeFile(pathOf("dist/openapiTypescript.d.ts"), astToString(await openapiTypescript(document)))
  expect(problemsOf("openapiTypescript", options)).toEqual([])
})

it("@hey-api/openapi-ts: the main job compiles", async () => {
  await mkdir(pathOf("dist"), { recursive: true })
  await writeFile(pathOf("dist/openapi.json"), document)
  await createClient({
    input: pathOf("dist/openapi.json"),
    output: { path: pathOf("dist/heyApi"), importFileExtension: ".js" },
    plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
    logs: { level: "silent" },
  })
  // Its runtime does not claim to bear this one setting.
  expect(problemsOf("heyApi", { ...options, exactOptionalPropertyTypes: false })).toEqual([])
})
