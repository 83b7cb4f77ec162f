/** What came of each message, and how it is shown. */
import { table } from "../harness/checks.js"

export interface Outcome {
  readonly name: string
  /** 250, or the refusal */
  readonly smtp: string
  readonly subject: string
  /** null when nothing was read back */
  readonly attachments: number | null
  readonly differences: ReadonlyArray<string>
  /** why the message is suspicious; empty when it is not */
  readonly suspicions: ReadonlyArray<string>
  /** what must not happen: no answer, accepted but not readable, the service not healthy */
  readonly failure: string | null
}

const shortened = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text

const row = ({ name, smtp, subject, attachments, differences, failure }: Outcome): ReadonlyArray<string> => [
  name,
  shortened(smtp, 60),
  attachments === null ? "-" : String(attachments),
  failure === null ? String(differences.length || "") : "FAILED",
  shortened(subject, 50).padEnd(50),
]

/** One line for each message, then every difference, the suspicious ones, and the sums. */
export const report = (outcomes: ReadonlyArray<Outcome>): string => {
  const lines = outcomes.flatMap(({ name, differences, failure }) => {
    const found = [...(failure === null ? [] : [failure]), ...differences]
    return found.length === 0 ? [] : ["", name, ...found.map((one) => `  - ${one}`)]
  })
  const suspicious = outcomes.flatMap(({ name, suspicions }) =>
    suspicions.length === 0 ? [] : [`${name}: ${suspicions.join(", ")}`],
  )
  const count = (holds: (outcome: Outcome) => boolean) => outcomes.filter(holds).length
  const sums = [
    `${outcomes.length} messages`,
    `${count(({ attachments }) => attachments !== null)} read back`,
    `${count(({ smtp, attachments, failure }) => smtp === "250" && attachments === null && failure === null)} repeats`,
    `${count(({ smtp, failure }) => smtp !== "250" && failure === null)} refused`,
    `${count(({ failure }) => failure !== null)} failed`,
    `${count(({ differences }) => differences.length > 0)} differ`,
    `${suspicious.length} suspicious`,
  ]
  return [
    table([["message", "SMTP", "files", "differs", "subject".padEnd(50)], ...outcomes.map(row)]),
    ...lines,
    "",
    "Suspicious:",
    ...suspicious,
    "",
    sums.join(", "),
  ].join("\n")
}
