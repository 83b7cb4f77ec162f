/** What providers say in many forms, in the form that reports have. */
import { diagnosticOf, enhancedStatus, normalizeAddress, type RecipientReport } from "@mailroom/domain"

type Said = string | null | undefined

/** The kind of a diagnostic code, in front of it (RFC 3464 §2.3.6): nearly always `smtp`. */
const DIAGNOSTIC_TYPE = /^smtp;\s*/i

const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3}$/

/** Behind the reply of a success (RFC 2034 §4). */
const ENHANCED_SUCCESS = /^2\d\d[ -](2\.\d{1,3}\.\d{1,3})(?!\S)/

const BESIDE_A_NAME = /<([^<>]+)>\s*$/

const isAny = (text: string): boolean => text !== ""

export interface Words {
  /** an enhanced status code, where it stands by itself */
  readonly status?: Said
  /** what the other side answered */
  readonly reply?: Said
}

/** The words of a report; the status is looked for in the reply when it does not stand by itself. */
export const said = ({ status, reply }: Words): Pick<RecipientReport, "status" | "diagnostic"> => {
  const diagnostic = diagnosticOf((reply ?? "").trimStart().replace(DIAGNOSTIC_TYPE, ""))
  const answer = diagnostic ?? ""
  const alone = ENHANCED.test(status ?? "") ? status : ENHANCED_SUCCESS.exec(answer)?.[1]
  return { status: alone ?? enhancedStatus(answer), diagnostic }
}

/** The addresses that a report may be about, bare, each once, in the order given. */
export const addressesOf = (...texts: ReadonlyArray<Said>): ReadonlyArray<string> => [
  ...new Set(
    texts.map((text) => normalizeAddress(BESIDE_A_NAME.exec(text ?? "")?.[1] ?? text ?? "")).filter(isAny),
  ),
]
