/** The signature thread's side, and the messages between it and the main thread. */
import type { MessagePort } from "node:worker_threads"
import type { DnsAnswer, RecordType, SigningKey } from "@mailroom/engine"
import type { Lookup } from "../authenticating/resolver.js"
import type { SignatureResults } from "../authenticating/signatureHeaders.js"
import { READY } from "../threads/supervisedThread.js"
import { signatureField, verifySignatures } from "./dkim.js"

export type Task =
  | { readonly kind: "verify"; readonly receivedAt: number }
  | { readonly kind: "sign"; readonly key: SigningKey; readonly signedAt: number }

export type Result =
  | { readonly kind: "verified"; readonly results: SignatureResults }
  | { readonly kind: "signed"; readonly field: string }
  | { readonly kind: "failed"; readonly reason: string }

/** A task, or the answer to a lookup. */
export type ToThread =
  | { readonly id: number; readonly task: Task; readonly raw: Uint8Array }
  | { readonly lookup: number; readonly answer: DnsAnswer }

/** The result of the task `id`, or a lookup that this task needs. */
export type FromThread =
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly lookup: number; readonly type: RecordType; readonly name: string }

export const perform = async (task: Task, raw: Uint8Array, lookup: Lookup): Promise<Result> => {
  try {
    return task.kind === "sign"
      ? { kind: "signed", field: await signatureField(raw, task.key, task.signedAt) }
      : { kind: "verified", results: await verifySignatures(raw, task.receivedAt, lookup) }
  } catch (error) {
    return { kind: "failed", reason: error instanceof Error ? error.message : "no reason given" }
  }
}

/**
 * Performs all tasks concurrently, so that a mail with silent name servers does not hold up the others. The main thread
 * makes the DNS lookups, because its cache serves all mails.
 */
export const serve = (port: MessagePort, work: typeof perform = perform): void => {
  const post = (message: FromThread) => port.postMessage(message)
  const open = new Map<number, (answer: DnsAnswer) => void>()
  let lastLookup = 0
  const lookupFor =
    (id: number): Lookup =>
    (type, name) =>
      new Promise((resolve) => {
        const lookup = ++lastLookup
        open.set(lookup, resolve)
        post({ id, lookup, type, name })
      })
  port.on("message", (message: ToThread) => {
    if ("lookup" in message) {
      open.get(message.lookup)?.(message.answer)
      open.delete(message.lookup)
    } else
      void work(message.task, message.raw, lookupFor(message.id)).then((result) =>
        post({ id: message.id, result }),
      )
  })
  port.postMessage(READY)
}
