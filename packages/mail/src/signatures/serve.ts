/** The signature thread's side. DNS is asked in the main thread, whose answers all mails share. */
import type { MessagePort } from "node:worker_threads"
import type { DnsAnswer } from "@mailroom/engine"
import type { Ask } from "../authenticating/questions.js"
import type { FromThread, Result, Task, ToThread } from "./exchange.js"
import { signatureField } from "./sign.js"
import { verifySignatures } from "./verify.js"

export const perform = async (task: Task, raw: Uint8Array, ask: Ask): Promise<Result> => {
  try {
    return task.kind === "sign"
      ? { kind: "signed", field: await signatureField(raw, task.key, task.signedAt) }
      : { kind: "verified", findings: await verifySignatures(raw, task.receivedAt, ask) }
  } catch (error) {
    return { kind: "failed", reason: error instanceof Error ? error.message : "no reason given" }
  }
}

/** Works on what it is sent side by side: a mail whose keys nobody tells holds up no other. */
export const serve = (port: MessagePort, work: typeof perform = perform): void => {
  const say = (message: FromThread) => port.postMessage(message)
  const questions = new Map<number, (answer: DnsAnswer) => void>()
  let asked = 0
  const askFor =
    (id: number): Ask =>
    (type, name) =>
      new Promise((resolve) => {
        const question = ++asked
        questions.set(question, resolve)
        say({ id, question, type, name })
      })
  port.on("message", (message: ToThread) => {
    if ("question" in message) {
      questions.get(message.question)?.(message.answer)
      questions.delete(message.question)
    } else
      void work(message.task, message.raw, askFor(message.id)).then((result) =>
        say({ id: message.id, result }),
      )
  })
  say("ready")
}
