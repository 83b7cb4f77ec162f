/** Sending health in words (docs/specification/reputation.md). */
import type { Mailbox } from "@mailroom/client"

/** Shares of the last 1,000 sends of a mailbox above which its sending is stopped. */
export const BOUNCES_MAX = 0.1
export const COMPLAINTS_MAX = 0.005

export interface HealthWords {
  readonly tone: "good" | "warn" | "bad"
  readonly label: string
  readonly text: string
}

const percent = (share: number, locale?: string): string =>
  new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: share < 0.01 ? 2 : 1 }).format(
    share,
  )

/** Why the sending of a mailbox was stopped, and what to do. */
export const stoppedText = ({ reason }: Pick<NonNullable<Mailbox["sendingStopped"]>, "reason">): string =>
  reason === "BOUNCES"
    ? `More than ${percent(BOUNCES_MAX)} of its last sends went to addresses that do not exist. Check where its addresses come from before you let it send again.`
    : `More than ${percent(COMPLAINTS_MAX)} of its last sends were reported as spam. Write only to people who expect the mail before you let it send again.`

/** How a share of the sends of a period compares with the limit by which mailboxes are judged. */
export const shareWords = (count: number, sends: number, limit: number, locale?: string): HealthWords => {
  if (sends === 0)
    return { tone: "good", label: "Nothing sent", text: "There is nothing to judge in this time." }
  const share = count / sends
  const text = `${percent(share, locale)} of the sends. A mailbox is stopped above ${percent(limit, locale)} of its last 1,000.`
  if (sends < 50)
    return { tone: "good", label: "Too few to judge", text: `${text} Nothing is judged below 50 sends.` }
  if (share > limit) return { tone: "bad", label: "Too many", text }
  return share > limit / 2
    ? { tone: "warn", label: "Near the limit", text }
    : { tone: "good", label: "Healthy", text }
}
