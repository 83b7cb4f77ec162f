import { accountExamples } from "./account.js"
import type { Example } from "./Example.js"
import { mailExamples } from "./mail.js"

const examples = { ...accountExamples, ...mailExamples }

/** The example of an operation; every operation has one. */
export const exampleOf = (operationId: string): Example => {
  const example = examples[operationId]
  if (example === undefined) throw new Error(`${operationId} has no example`)
  return example
}

export { clientCall, curlCommand, programName, toolCall } from "./render.js"
