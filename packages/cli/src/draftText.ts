/** How drafts look to people. A person approves what is shown here, so everything that is sent is shown. */
import type { Draft, DraftListItem, HoldReason } from "@mailroom/client"
import { fieldLines, sizeText, timeText } from "./format.js"
import { safeText } from "./terminal/safeText.js"
import type { Column } from "./terminal/table.js"

export const draftColumns: ReadonlyArray<Column<DraftListItem>> = [
  { title: "ID", value: ({ id }) => id },
  { title: "STATUS", value: ({ status }) => status },
  { title: "SEND AT", value: ({ sendAt }) => timeText(sendAt) },
  { title: "TO", value: ({ to }) => to.join(", "), shrinks: true },
  { title: "SUBJECT", value: ({ subject }) => subject ?? "", shrinks: true },
]

const reasonOf = (reason: HoldReason): string =>
  reason.code === "EVERY_SEND" ? "the mailbox reviews every send" : `${reason.address} is a new recipient`

const reasonsOf = ({ review }: Draft): string | undefined => review?.reasons.map(reasonOf).join(", ")

export const draftText = (draft: Draft): string => {
  const head = fieldLines([
    ["Id", draft.id],
    ["Status", draft.status],
    ["Held", reasonsOf(draft)],
    ["Review ends", timeText(draft.review?.expiresAt ?? null)],
    ["Send at", timeText(draft.sendAt)],
    ["Error", draft.error?.message],
    ["To", draft.to.join(", ")],
    ["Cc", draft.cc.join(", ")],
    ["Bcc", draft.bcc.join(", ")],
    ["Bulk", draft.bulk ? "one mail for each recipient" : undefined],
    ["Reply-To", draft.replyTo],
    ["Reply to", draft.inReplyTo],
    ...Object.entries(draft.headers).map(([name, value]) => [name, value] as const),
    ["Subject", draft.subject],
    ...draft.attachments.map(
      ({ filename, contentType, sizeBytes, sha256 }) =>
        ["File", `${filename} (${contentType}, ${sizeText(sizeBytes)}) SHA-256 ${sha256}`] as const,
    ),
    ["Digest", draft.digest],
  ])
  const html = draft.bodyHtml === null ? [] : ["--- HTML", safeText(draft.bodyHtml).trimEnd()]
  return [head, "", safeText(draft.bodyText ?? "").trimEnd(), ...html].join("\n")
}
