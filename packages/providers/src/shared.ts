/** What the readers of all providers share: comparing secrets, decoding JSON, and the form of a report. */
import {
  diagnosticOf,
  enhancedStatus,
  InvalidInput,
  issuesOf,
  normalizeAddress,
  type RecipientReport,
} from "@mailroom/domain"
import { Effect, Schema } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Compares a secret or signature in constant time. */
export const isSameText = (given: string, expected: string): boolean =>
  timingSafeEqual(digest(given), digest(expected))

/** Decodes JSON text by the schema. `InvalidInput`: the text is no JSON, or does not fit the schema. */
export const jsonDecoder = <A, I>(
  schema: Schema.Schema<A, I>,
): ((text: string) => Effect.Effect<A, InvalidInput>) => {
  const decode = Schema.decodeUnknown(Schema.parseJson(schema))
  return (text) => Effect.mapError(decode(text), ({ issue }) => new InvalidInput({ issues: issuesOf(issue) }))
}

/** A field that may be missing or null. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

type Text = string | null | undefined

/** The type before a diagnostic code (RFC 3464 §2.3.6), nearly always `smtp`. */
const DIAGNOSTIC_TYPE = /^smtp;\s*/i

const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3}$/

/** The enhanced status code after the reply code of a success (RFC 2034 §4). */
const ENHANCED_SUCCESS = /^2\d\d[ -](2\.\d{1,3}\.\d{1,3})(?!\S)/

const ADDRESS_AFTER_NAME = /<([^<>]+)>\s*$/

export interface ProviderDiagnostic {
  /** an enhanced status code in a field of its own (RFC 3463) */
  readonly status?: Text
  /** the SMTP reply of the receiving server */
  readonly reply?: Text
}

/** The status and diagnostic of a report. Without a valid `status`, it is taken from the reply. */
export const diagnosticFields = ({
  status,
  reply,
}: ProviderDiagnostic): Pick<RecipientReport, "status" | "diagnostic"> => {
  const diagnostic = diagnosticOf((reply ?? "").trimStart().replace(DIAGNOSTIC_TYPE, ""))
  const answer = diagnostic ?? ""
  const alone = ENHANCED.test(status ?? "") ? status : ENHANCED_SUCCESS.exec(answer)?.[1]
  return { status: alone ?? enhancedStatus(answer), diagnostic }
}

/** The addresses that a report may be about: without names, each once, in the given order. */
export const addressesOf = (...texts: ReadonlyArray<Text>): ReadonlyArray<string> => [
  ...new Set(
    texts
      .map((text) => normalizeAddress(ADDRESS_AFTER_NAME.exec(text ?? "")?.[1] ?? text ?? ""))
      .filter((address) => address !== ""),
  ),
]
