/** The side of a document thread, and the messages between it and the main thread. */
import type { Document } from "@mailroom/engine"
import type { MessagePort } from "node:worker_threads"
import { READY } from "../threads/supervisedThread.js"
import type { DocumentResult, readDocument } from "./readDocument.js"

export interface ReadRequest {
  readonly id: number
  readonly document: Document
}

export interface ReadReply {
  /** of the request */
  readonly id: number
  readonly result: DocumentResult
}

/** The main thread sends one file at a time. */
export const serve = (port: MessagePort, read: typeof readDocument): void => {
  port.on("message", ({ id, document }: ReadRequest) => {
    void read(document).then((result) => port.postMessage({ id, result } satisfies ReadReply))
  })
  port.postMessage(READY)
}
