/** What the list of mail shows, as its address says it. */

export type Folder = "inbox" | "unread" | "sent" | "all" | "threads" | "quarantine"

export const folders: ReadonlyArray<{ readonly name: Folder; readonly label: string }> = [
  { name: "inbox", label: "Received" },
  { name: "unread", label: "Unread" },
  { name: "sent", label: "Sent" },
  { name: "all", label: "All" },
  { name: "threads", label: "Threads" },
  { name: "quarantine", label: "Quarantine" },
]

export interface MailView {
  readonly folder: Folder
  /** null for all mailboxes */
  readonly mailboxId: string | null
  readonly label: string | null
  /** a search; empty for none */
  readonly search: string
}

export const viewOf = (query: URLSearchParams): MailView => ({
  folder: folders.find(({ name }) => name === query.get("folder"))?.name ?? "inbox",
  mailboxId: query.get("mailbox"),
  label: query.get("label"),
  search: (query.get("q") ?? "").trim(),
})

export interface ListFilter {
  readonly direction?: "INBOUND" | "OUTBOUND"
  readonly unread?: boolean
  readonly labels?: string
  readonly quarantined?: boolean
}

/** The filter of the service for a folder of messages. */
export const filterOf = ({ folder, label }: MailView): ListFilter => ({
  ...((folder === "inbox" || folder === "unread" || folder === "quarantine") && { direction: "INBOUND" }),
  ...(folder === "sent" && { direction: "OUTBOUND" }),
  ...(folder === "unread" && { unread: true }),
  ...(folder === "quarantine" && { quarantined: true }),
  ...(label !== null && { labels: label }),
})

/** The address of a message in its thread. */
export const messagePath = (message: {
  readonly id: string
  readonly mailboxId: string
  readonly threadId: string
}): string => `/dashboard/mail/threads/${message.threadId}?mailbox=${message.mailboxId}&message=${message.id}`
