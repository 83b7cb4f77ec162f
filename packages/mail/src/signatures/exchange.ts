/** What the signature thread and its owner say to each other. */
import type { SigningKey } from "@mailroom/engine"
import type { SignatureFindings } from "../authenticating/findings.js"
import type { RecordType } from "../authenticating/lookup.js"

export type Task =
  | { readonly kind: "verify"; readonly receivedAt: number }
  | { readonly kind: "sign"; readonly key: SigningKey; readonly signedAt: number }

export type Result =
  | { readonly kind: "verified"; readonly findings: SignatureFindings }
  | { readonly kind: "signed"; readonly field: string }
  | { readonly kind: "failed"; readonly reason: string }

/** To the thread: work, or what DNS has. */
export type ToThread =
  | { readonly id: number; readonly task: Task; readonly raw: Uint8Array }
  | { readonly question: number; readonly answer: ReadonlyArray<string> | "unavailable" }

/** From the thread: that it has loaded, what it found, or what it wants to know of DNS. */
export type FromThread =
  | "ready"
  | { readonly id: number; readonly result: Result }
  | { readonly question: number; readonly type: RecordType; readonly name: string }
