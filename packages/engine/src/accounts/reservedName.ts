/** The names of a deleted account (decisions §3), as they are stored: under our key, they tell nobody the address. */
import type { Vault } from "../ports/Crypto.js"

export const reservedName = (vault: typeof Vault.Service, what: "email" | "slug", value: string): string =>
  vault.sign(`reserved ${what}`, value)
