/** placeholder until merged */
import type { RecipientReport } from "./Report.js"

export const isPermanent = ({ permanent, status }: RecipientReport): boolean =>
  permanent ?? (status ?? "").startsWith("5.1.")
