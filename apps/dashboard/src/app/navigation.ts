/** The entries of the side navigation. An entry is shown once its page is in `routes`. */
import type { IconName } from "../components/Icon.js"
import { settings } from "../data/settings.js"
import { findRoute } from "./routes.js"

export interface Entry {
  readonly path: string
  readonly label: string
  readonly icon: IconName
  /** keys that lead there from every page of the account */
  readonly keys: string
}

export interface EntryGroup {
  readonly label: string | null
  readonly entries: ReadonlyArray<Entry>
}

const accountGroups: ReadonlyArray<EntryGroup> = [
  {
    label: null,
    entries: [
      { path: "/dashboard", label: "Home", icon: "inbox", keys: "g h" },
      { path: "/dashboard/reviews", label: "Reviews", icon: "review", keys: "g r" },
      { path: "/dashboard/drafts", label: "Drafts", icon: "pen", keys: "g f" },
      { path: "/dashboard/mail", label: "Mail", icon: "mail", keys: "g m" },
      { path: "/dashboard/mailboxes", label: "Mailboxes", icon: "archive", keys: "g b" },
    ],
  },
  {
    label: "Account",
    entries: [
      { path: "/dashboard/keys", label: "Keys", icon: "key", keys: "g k" },
      { path: "/dashboard/webhooks", label: "Webhooks", icon: "hook", keys: "g w" },
      { path: "/dashboard/domains", label: "Domains", icon: "globe", keys: "g d" },
      { path: "/dashboard/suppressions", label: "Suppressions", icon: "shield", keys: "g s" },
      { path: "/dashboard/audit", label: "Audit", icon: "list", keys: "g a" },
      { path: "/dashboard/usage", label: "Usage", icon: "chart", keys: "g u" },
      { path: "/dashboard/billing", label: "Billing", icon: "card", keys: "g p" },
      { path: "/dashboard/settings", label: "Settings", icon: "gear", keys: "g e" },
    ],
  },
  {
    label: "Development",
    entries: [{ path: "/dashboard/outbox", label: "Outbox", icon: "send", keys: "g x" }],
  },
]

const operatorGroups: ReadonlyArray<EntryGroup> = [
  {
    label: "Operator",
    entries: [
      { path: "/operator", label: "Overview", icon: "monitor", keys: "g o" },
      { path: "/operator/accounts", label: "Accounts", icon: "users", keys: "g a" },
      { path: "/operator/invitations", label: "Invitations", icon: "send", keys: "g i" },
      { path: "/operator/audit", label: "Audit", icon: "list", keys: "g l" },
    ],
  },
]

/** The outbox is there only where mail is kept instead of being sent, and only for browsers on the same machine. */
const isThere = ({ path }: Entry): boolean =>
  findRoute(path) !== null && (path !== "/dashboard/outbox" || settings.outbox)

const existing = (groups: ReadonlyArray<EntryGroup>): ReadonlyArray<EntryGroup> =>
  groups
    .map(({ label, entries }) => ({ label, entries: entries.filter(isThere) }))
    .filter(({ entries }) => entries.length > 0)

export const navigationOf = (area: "account" | "operator"): ReadonlyArray<EntryGroup> =>
  existing(area === "account" ? accountGroups : operatorGroups)

/** The entry that a path belongs to: the longest that it begins with. `/dashboard` itself has no pages below it. */
export const entryOf = (groups: ReadonlyArray<EntryGroup>, path: string): Entry | undefined =>
  groups
    .flatMap(({ entries }) => entries)
    .filter(
      (entry) =>
        path === entry.path || (entry.path.split("/").length > 2 && path.startsWith(`${entry.path}/`)),
    )
    .toSorted((one, other) => other.path.length - one.path.length)[0]
