/** A program that runs the examples of the client one after the other, and prints those that fail. */
import { Schema } from "effect"
import { programName } from "@mailroom/docs/reference/examples/index"
import type { Values } from "./fixtures.js"

export interface ClientExample {
  readonly name: string
  readonly code: string
  readonly values: Values
}

/** What the program prints: the errors by the name of their example. */
export const Failures = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String }))

const exampleFunction = ({ name, code, values }: ClientExample): string => {
  const given = Object.entries(values)
    .filter(([variable]) => variable !== "MAILROOM_API_KEY")
    .map(([variable, value]) => `const ${programName(variable)} = ${JSON.stringify(value)}`)
  const key = JSON.stringify(values["MAILROOM_API_KEY"])
  return `await run(${JSON.stringify(name)}, ${key}, async (mailroom) => {\n${[...given, code].join("\n")}\n})\n`
}

export const clientProgram = (examples: ReadonlyArray<ClientExample>): string => `
import { Mailroom } from "@mailroom/client"
import { openAsBlob } from "node:fs"

const failures = {}
const run = async (name, apiKey, example) => {
  try {
    await example(new Mailroom({ apiKey, maxRetries: 0 }))
  } catch (error) {
    failures[name] = String(error)
  }
}
${examples.map(exampleFunction).join("")}
console.log(JSON.stringify(failures))
`
