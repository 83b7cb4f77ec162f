/** Checks the arguments of a call, and says what is wrong with them so that the next call is right. */
import type * as z from "zod"
import { shortMessage, type ToolError } from "./errors.js"

export type CheckedInput<T> =
  | { readonly ok: true; readonly args: T }
  | { readonly ok: false; readonly error: ToolError }

/** How many characters must be changed, added or removed to make one text of the other (Levenshtein). */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}

/** Characters that a name may differ in to be taken for a known one. */
const NEAR = 3
/** UTF-16 units of a name that may be near to a known one: the comparison takes as many steps for each known name. */
const NAME_MAX_CHARS = 64

/** The known name that is meant by an unknown one, such as `text` by `bodyText`; undefined when none is near. */
export const nearestName = (unknown: string, known: ReadonlyArray<string>): string | undefined => {
  if (unknown.length > NAME_MAX_CHARS) return undefined
  const name = unknown.toLowerCase()
  const ranked = known
    .map((candidate) => {
      const other = candidate.toLowerCase()
      const isPart = name.includes(other) || other.includes(name)
      return { candidate, rank: isPart ? 0 : distance(name, other) }
    })
    .filter(({ candidate, rank }) => rank <= Math.min(NEAR, candidate.length - 1))
    .sort((one, other) => one.rank - other.rank)
  return ranked[0]?.candidate
}

const describe = (issue: z.core.$ZodIssue, known: ReadonlyArray<string>): string => {
  const path = issue.path.map(String).join(".")
  if (issue.code !== "unrecognized_keys") return path === "" ? issue.message : `${path}: ${issue.message}`
  return issue.keys
    .map((key) => {
      if (path !== "") return `${path}.${key}: no such field`
      const nearest = nearestName(key, known)
      return nearest === undefined
        ? `${key}: no such field`
        : `${key}: no such field, did you mean ${nearest}?`
    })
    .join("; ")
}

/** What checks the arguments of a tool, whose schema refuses unknown fields. */
export const inputCheck = <I extends z.ZodObject>(
  schema: I,
): ((value: unknown) => CheckedInput<z.infer<I>>) => {
  const known = Object.keys(schema.shape)
  return (value) => {
    const { data, error } = schema.safeParse(value)
    if (error === undefined) return { ok: true, args: data }
    return {
      ok: false,
      error: {
        code: "VALIDATION_FAILED",
        message: shortMessage(error.issues.map((issue) => describe(issue, known)).join("; ")),
        retryable: false,
        retryAfter: null,
        hint: `Correct the arguments and call again. The fields are: ${known.join(", ")}.`,
      },
    }
  }
}
