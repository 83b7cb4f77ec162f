/** What the deletion of an account does, in lines. */
import type { Account } from "@mailroom/client"
import { bytesText, countText } from "./texts.js"

export const deletionLosses = (
  {
    mailboxCount,
    storageUsedBytes,
    plan,
    billingLinked,
    slug,
    email,
  }: Pick<Account, "mailboxCount" | "storageUsedBytes" | "plan" | "billingLinked" | "slug" | "email">,
  platformDomain: string,
): ReadonlyArray<string> => [
  `${countText(mailboxCount, "mailbox", "mailboxes")} with all mail, drafts and ${bytesText(storageUsedBytes)} of files. Mail to them is refused from now on.`,
  "All keys, webhooks, domains and suppressions. Your agents are refused at once.",
  "The audit trail and all figures.",
  ...(billingLinked && plan !== "Free" ? [`The ${plan} plan ends, and nothing is charged any more.`] : []),
  `Nobody can sign up as ${email} or take ${slug}.${platformDomain} for 30 days. Then both are free.`,
]
