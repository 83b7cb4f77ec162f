/** What the signature thread and its owner say to each other. */
import type { DnsAnswer, RecordType, SigningKey } from "@mailroom/engine"
import type { SignatureFindings } from "../authenticating/findings.js"

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
  | { readonly question: number; readonly answer: DnsAnswer }

/** From the thread: that it has loaded, the result of the work `id`, or a question of that work. */
export type FromThread =
  | "ready"
  | { readonly id: number; readonly result: Result }
  | {
      readonly id: number
      readonly question: number
      readonly type: RecordType
      readonly name: string
    }
