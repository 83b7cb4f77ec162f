/** Accounts in words, for the operator. */
import type { Account, AccountState } from "@mailroom/client"
import type { Tone } from "./tones.js"

const states: Readonly<Record<AccountState, { readonly tone: Tone; readonly label: string }>> = {
  unverified: { tone: "neutral", label: "Not verified" },
  trial: { tone: "accent", label: "Trial" },
  payment_required: { tone: "warn", label: "Has to pay" },
  active: { tone: "good", label: "Active" },
  suspended: { tone: "bad", label: "Suspended" },
}

export const stateWords = ({ state }: Pick<Account, "state">): (typeof states)[AccountState] => states[state]

export type InvitationState = "open" | "used" | "expired"

export const invitationState = (
  { usedAt, expiresAt }: { readonly usedAt: string | null; readonly expiresAt: string },
  now: Date,
): InvitationState => {
  if (usedAt !== null) return "used"
  return new Date(expiresAt) <= now ? "expired" : "open"
}
