/** Accounts in words, for the operator. */
import type { Account, AccountState, Plan } from "@mailroom/client"
import type { Tone } from "./tones.js"

const states: Readonly<Record<AccountState, { readonly tone: Tone; readonly label: string }>> = {
  unverified: { tone: "neutral", label: "Not verified" },
  trial: { tone: "accent", label: "Trial" },
  payment_required: { tone: "warn", label: "Has to pay" },
  active: { tone: "good", label: "Active" },
  suspended: { tone: "bad", label: "Suspended" },
}

export const stateWords = ({ state }: Pick<Account, "state">): (typeof states)[AccountState] => states[state]

/** Whether to set a plan changes the account. The paid plan of an account that has to pay can be given to it without a payment. */
export const changesPlan = ({ plan, state }: Pick<Account, "plan" | "state">, chosen: Plan): boolean =>
  chosen !== plan || (state === "payment_required" && plan !== "Free")

export type InvitationState = "open" | "used" | "expired"

export const invitationState = (
  { usedAt, expiresAt }: { readonly usedAt: string | null; readonly expiresAt: string },
  now: Date,
): InvitationState => {
  if (usedAt !== null) return "used"
  return new Date(expiresAt) <= now ? "expired" : "open"
}
