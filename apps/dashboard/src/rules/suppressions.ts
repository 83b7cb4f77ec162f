/** Suppressed addresses in words. */
import type { Suppression } from "@mailroom/client"
import type { Tone } from "./tones.js"

export interface ReasonWords {
  readonly tone: Tone
  readonly label: string
  readonly text: string
  /** what to think of before mail goes there again */
  readonly beforeRemoval: string
}

export const reasonWords = ({
  reason,
  mailboxId,
}: Pick<Suppression, "reason" | "mailboxId">): ReasonWords => {
  switch (reason) {
    case "BOUNCE":
      return {
        tone: "warn",
        label: "Bounced",
        text: "The receiving server said that this address does not exist or takes no mail.",
        beforeRemoval:
          "Remove it only when you know that the address works now. Another bounce counts against the mailbox that sends.",
      }
    case "COMPLAINT":
      return {
        tone: "bad",
        label: "Reported as spam",
        text: "The person marked a mail as spam.",
        beforeRemoval:
          "Remove it only when the person asked you for mail. Another report can stop your sending.",
      }
    case "MANUAL":
      return mailboxId === undefined
        ? {
            tone: "neutral",
            label: "By hand",
            text: "You or an agent added it.",
            beforeRemoval: "Mail to it is accepted again at once.",
          }
        : {
            tone: "neutral",
            label: "Unsubscribed",
            text: "The person unsubscribed by the link in a mail, or it was added by hand.",
            beforeRemoval: "If the person unsubscribed, write again only when they ask you to.",
          }
  }
}
