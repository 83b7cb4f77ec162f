/** What a check of `doctor` found. */

export interface Finding {
  /** what was checked, such as `spf` */
  readonly check: string
  /** the host, domain or URL that was checked */
  readonly subject: string
  /** `problem`: mail or requests fail; `warning`: they may; `skipped`: it could not be checked */
  readonly state: "ok" | "warning" | "problem" | "skipped"
  /** what was found, one line */
  readonly message: string
  /** what to do, one line; empty when there is nothing to do */
  readonly hint: string
}

export type Verdict = Pick<Finding, "state" | "message" | "hint">

export const ok = (message: string): Verdict => ({ state: "ok", message, hint: "" })
export const warning = (message: string, hint: string): Verdict => ({ state: "warning", message, hint })
export const problem = (message: string, hint: string): Verdict => ({ state: "problem", message, hint })
export const skipped = (message: string, hint: string): Verdict => ({ state: "skipped", message, hint })

export const finding =
  (check: string, subject: string) =>
  (verdict: Verdict): Finding => ({ check, subject, ...verdict })
