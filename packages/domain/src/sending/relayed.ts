/** The outcome of a message whose recipients are relayed one by one (docs/decisions/0042). */
import { Either } from "effect"
import { RelayRefused, type RelayUncertain, type RelayUnavailable } from "../errors.js"
import { withCommand } from "../reports/answeredCommand.js"
import { diagnosticOf } from "../reports/diagnostic.js"
import type { RecipientReport } from "../reports/Report.js"
import { enhancedStatus } from "../reports/status.js"

export type RelayFailure = RelayRefused | RelayUnavailable | RelayUncertain

/** The result of the relay for one recipient. */
export interface RelayedRecipient {
  readonly recipient: string
  /** null when the relay accepted the mail */
  readonly failure: RelayFailure | null
}

/** What a refusal by the relay says to who sends. Of a refused sender or content the recipients are not the reason. */
export const relayRefusalText = ({ answer, command, recipients }: RelayRefused): string =>
  command === undefined
    ? `The mail was refused for ${recipients.join(", ")}: ${answer}`
    : `The relay refused the ${command === "DATA" ? "mail" : "sender"}, whoever the recipients are: ${answer}`

const answerOf = ({ answer, command }: RelayRefused): string =>
  command === undefined ? answer : withCommand(answer, command)

/** The bounce of a recipient whose mail the relay refused. */
const bounceOf = (recipient: string, failure: RelayRefused | RelayUnavailable): RecipientReport => {
  const words = failure._tag === "RelayRefused" ? answerOf(failure) : failure.reason
  return {
    addresses: [recipient],
    outcome: "bounced",
    status: enhancedStatus(words),
    diagnostic: diagnosticOf(words),
    permanent: failure._tag === "RelayUnavailable" ? false : null,
  }
}

/**
 * The outcome for the whole message. An uncertain recipient makes the message uncertain. When the relay accepted the mail for
 * nobody, the send fails: as refused, with all refused recipients, or as unavailable if none was refused. When it accepted
 * the mail for some, the message is sent, and the others bounce.
 */
export const outcomeOf = (
  relayed: ReadonlyArray<RelayedRecipient>,
): Either.Either<ReadonlyArray<RecipientReport>, RelayFailure> => {
  const refusals: Array<RelayRefused> = []
  const bounces: Array<RecipientReport> = []
  let unavailable: RelayUnavailable | null = null
  for (const { recipient, failure } of relayed) {
    if (failure === null) continue
    if (failure._tag === "RelayUncertain") return Either.left(failure)
    if (failure._tag === "RelayRefused") refusals.push(failure)
    else unavailable ??= failure
    bounces.push(bounceOf(recipient, failure))
  }
  if (bounces.length === 0 || bounces.length < relayed.length) return Either.right(bounces)
  const [refused] = refusals
  if (refused !== undefined)
    return Either.left(
      new RelayRefused({
        answer: refused.answer,
        ...(refused.command !== undefined && { command: refused.command }),
        recipients: refusals.flatMap(({ recipients }) => recipients),
      }),
    )
  return unavailable === null ? Either.right(bounces) : Either.left(unavailable)
}
