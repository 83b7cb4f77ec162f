/** A tool: its schemas, what it tells clients about itself, and its work. */
import type { Mailroom } from "@mailroom/client"
import type { McpServer, StandardSchemaWithJSON } from "@modelcontextprotocol/server"
import * as z from "zod"
import { errorResult, toolErrorOf } from "./errors.js"
import { type CheckedInput, inputCheck } from "./input.js"
import type { Caller } from "./Caller.js"
import { type Fields, type Outcome, resultOf } from "./result.js"

/** What a tool's work gets beside its arguments. */
export interface ToolContext {
  readonly caller: Caller
  readonly mailroom: Mailroom
  /** aborted when the client gives up the call or disconnects */
  readonly signal: AbortSignal
}

/** What a tool does to its environment (`ToolAnnotations` of MCP). */
export type Effects = "reads" | "changes" | "sends"

const annotations = {
  reads: { readOnlyHint: true, openWorldHint: false },
  changes: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  // Mail cannot be called back. The same send within a day is sent once.
  sends: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
} as const

interface Spec<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly input: I
  readonly output: O
  readonly effects: Effects
  /** whether a repetition changes nothing more; by default what `effects` says */
  readonly idempotent?: boolean
  readonly run: (args: z.infer<I>, context: ToolContext) => Promise<Outcome<z.infer<O> & Fields>>
}

export interface Tool {
  readonly name: string
  readonly register: (server: McpServer, caller: Caller, mailroom: Mailroom) => void
}

/** The JSON Schema of an object, without what its readers know already: each byte of it is in the context of a model. */
const jsonSchemaOf = (schema: z.ZodObject): Record<string, unknown> => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" })
  return json
}

/** A schema that shows `shown` to clients, and checks by `check`. */
const showing = <T>(
  shown: z.ZodObject,
  check: (
    value: unknown,
  ) => { readonly value: T } | { readonly issues: ReadonlyArray<{ readonly message: string }> },
): StandardSchemaWithJSON<unknown, T> => {
  const json = jsonSchemaOf(shown)
  return {
    "~standard": {
      version: 1,
      vendor: "mailroom",
      validate: check,
      jsonSchema: { input: () => json, output: () => json },
    },
  }
}

export const tool = <I extends z.ZodObject, O extends z.ZodObject>(spec: Spec<I, O>): Tool => {
  const { name, description, input, output, effects, idempotent, run } = spec
  const check = inputCheck(input)
  const config = {
    description,
    inputSchema: showing<CheckedInput<z.infer<I>>>(input, (value) => ({ value: check(value) })),
    outputSchema: showing<unknown>(output, (value) => {
      const { error } = output.safeParse(value)
      return error === undefined ? { value } : { issues: error.issues }
    }),
    annotations: { ...annotations[effects], ...(idempotent !== undefined && { idempotentHint: idempotent }) },
  }
  return {
    name,
    register: (server, caller, mailroom) => {
      server.registerTool(name, config, async (checked, { mcpReq }) => {
        if (!checked.ok) return errorResult(checked.error)
        try {
          return resultOf(await run(checked.args, { caller, mailroom, signal: mcpReq.signal }))
        } catch (error) {
          return errorResult(toolErrorOf(error))
        }
      })
    },
  }
}
