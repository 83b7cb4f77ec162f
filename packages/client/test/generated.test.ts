/** The client's types, methods and errors are those of the contract: `npm run client` writes them. */
import { expect, it } from "vitest"
import { errorsFile } from "./generator/errors.js"
import { methodsFile, operationsFile, typesFile } from "./generator/operations.js"

it.each([
  ["types", typesFile],
  ["methods", methodsFile],
  ["operations", operationsFile],
  ["errors", errorsFile],
])("src/generated/%s.ts is what the contract says", async (name, file) => {
  await expect(file()).toMatchFileSnapshot(`../src/generated/${name}.ts`)
})
