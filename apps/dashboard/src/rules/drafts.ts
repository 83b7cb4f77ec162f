/** The states of a draft in words, and what its owner can do with it. */
import type { DraftListItem } from "@mailroom/client"
import { recipientOf } from "./recipients.js"
import { refusalWords, type RefusalWords } from "./refusals.js"
import { leavingText } from "./schedule.js"
import type { Tone } from "./trust.js"

type Shown = Pick<DraftListItem, "status" | "sendAt" | "error">

export interface DraftState {
  readonly label: string
  readonly tone: Tone
}

export const draftState = ({ status, sendAt, error }: Shown, now: Date, locale?: string): DraftState => {
  switch (status) {
    case "DRAFT":
      return { label: "Draft", tone: "neutral" }
    case "SCHEDULED": {
      const at = sendAt === null ? now : new Date(sendAt)
      if (at.getTime() <= now.getTime()) return { label: "Leaves as soon as it can", tone: "warn" }
      return { label: `Leaves ${leavingText(at, locale)}`, tone: "accent" }
    }
    case "PENDING_REVIEW":
      return { label: "Waits for your approval", tone: "warn" }
    case "REJECTED":
      return { label: error?.code === "REVIEW_EXPIRED" ? "Not approved in time" : "Rejected", tone: "bad" }
    case "FAILED":
      return { label: "Not sent", tone: "bad" }
  }
}

/** Why it was not sent; undefined for drafts that nothing refused. */
export const draftProblem = ({ status, error }: Shown): RefusalWords | undefined => {
  if (error === null) return undefined
  if (error.code === "REJECTED") return { title: "Rejected", text: error.message }
  return status === "REJECTED" || status === "FAILED" ? refusalWords(error.code, error.message) : undefined
}

export type DraftAction = "edit" | "review" | "send" | "unschedule" | "delete"

/** What can be done with a draft, the usual first. Approval belongs to the review queue. */
export const draftActions = ({ status }: Shown): ReadonlyArray<DraftAction> => {
  switch (status) {
    case "DRAFT":
    case "REJECTED":
    case "FAILED":
      return ["edit", "send", "delete"]
    case "SCHEDULED":
      return ["edit", "send", "unschedule", "delete"]
    case "PENDING_REVIEW":
      return ["review", "delete"]
  }
}

/** The first recipients, and how many there are beyond. */
export const recipientsText = ({ to, cc, bcc }: Pick<DraftListItem, "to" | "cc" | "bcc">): string => {
  const [first, second, ...more] = [...to, ...cc, ...bcc].map((text) => {
    const { name, address } = recipientOf(text)
    return name ?? address
  })
  if (first === undefined) return "No recipient yet"
  const named = second === undefined ? first : `${first}, ${second}`
  return more.length === 0 ? named : `${named} and ${more.length} more`
}
