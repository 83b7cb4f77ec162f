/** What the receiver answers when it says no (decisions §6; enhanced status codes of RFC 3463). */
import { MESSAGE_MAX_BYTES, RECEIVED_MAX_COUNT } from "@mailroom/domain"
import { type RecipientVerdict, storageFailureIn } from "@mailroom/engine"
import { type Cause, Option } from "effect"

/** The form in which smtp-server takes a refusal. The text starts with the enhanced status code. */
export interface Refusal extends Error {
  readonly responseCode: number
}

const refusal = (responseCode: number, text: string): Refusal =>
  Object.assign(new Error(text), { responseCode })

export const unknownRecipient = refusal(550, "5.1.1 No such mailbox here")
export const suspendedRecipient = refusal(550, "5.2.1 This mailbox does not accept mail")
export const recipientNotReady = refusal(450, "4.2.1 This mailbox is still being set up, try again later")
export const bareCarriageReturn = refusal(554, "5.6.0 Bare carriage return in the message")
export const bareLineFeed = refusal(554, "5.6.0 Bare line feed in the message")
export const tooLarge = refusal(552, `5.3.4 Message larger than ${MESSAGE_MAX_BYTES} bytes`)
export const tooManyHops = refusal(554, `5.4.6 More than ${RECEIVED_MAX_COUNT} Received headers: mail loop`)
export const storageFull = refusal(452, "4.3.1 No space left, try again later")
export const temporaryFailure = refusal(451, "4.3.0 Temporary failure, try again later")
export const tooManyConnections = refusal(421, "4.7.0 Too many connections from your address")

export const sessionTooLong = refusal(421, "4.4.2 Session open for too long")
export const tooSlow = refusal(421, "4.4.2 Message arrives too slowly")
export const shuttingDown = refusal(421, "4.3.2 Shutting down, try again later")

export const refusedRecipient = (verdict: RecipientVerdict): Refusal | null => {
  switch (verdict.kind) {
    case "accepted":
      return null
    case "unknown":
      return unknownRecipient
    case "suspended":
      return suspendedRecipient
    case "not provisioned":
      return recipientNotReady
  }
}

/** Whatever goes wrong on our side is temporary for the client: the mail stays with it. */
export const failure = (cause: Cause.Cause<unknown>): Refusal =>
  Option.exists(storageFailureIn(cause), ({ reason }) => reason === "full") ? storageFull : temporaryFailure
