/** What providers say in many forms, in the form that reports have. */
import { normalizeAddress, type RecipientReport, toOneLine } from "@mailroom/domain"

type Said = string | null | undefined

/** As much as a report takes, in characters. */
const DIAGNOSTIC_MAX_LENGTH = 500

/** The kind of a diagnostic code, in front of it (RFC 3464 §2.3.6): nearly always `smtp`. */
const DIAGNOSTIC_TYPE = /^smtp;\s*/i

const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3}$/

/** Behind the code of a reply (RFC 2034 §4). */
const ENHANCED_IN_REPLY = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?!\S)/

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
  const line = toOneLine(reply ?? "").replace(DIAGNOSTIC_TYPE, "")
  const alone = ENHANCED.test(status ?? "") ? status : ENHANCED_IN_REPLY.exec(line)?.[1]
  return {
    status: alone ?? null,
    diagnostic: isAny(line) ? line.slice(0, DIAGNOSTIC_MAX_LENGTH).toWellFormed() : null,
  }
}

/** The addresses that a report may be about, bare, each once, in the order given. */
export const addressesOf = (...texts: ReadonlyArray<Said>): ReadonlyArray<string> => [
  ...new Set(
    texts.map((text) => normalizeAddress(BESIDE_A_NAME.exec(text ?? "")?.[1] ?? text ?? "")).filter(isAny),
  ),
]
