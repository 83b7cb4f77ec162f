/** `AttachmentText` in the calling thread, for tests. */
import { type DocumentText, NoText, TextUnreadable } from "@mailroom/domain"
import { AttachmentText } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import type { DocumentResult } from "./readDocument.js"

/** The result of reading a file, as the port gives it. */
export const outcome = (result: DocumentResult): Effect.Effect<DocumentText, NoText | TextUnreadable> => {
  switch (result.kind) {
    case "text":
      return Effect.succeed(result.document)
    case "no text":
      return new NoText({ isEmpty: result.isEmpty })
    case "unreadable":
      return new TextUnreadable({ reason: result.reason })
  }
}

/** Has no deadline. Loads the readers with the first file. */
export const layer: Layer.Layer<AttachmentText> = Layer.succeed(AttachmentText, {
  read: (document) =>
    Effect.flatMap(
      Effect.promise(async () => (await import("./readDocument.js")).readDocument(document)),
      outcome,
    ),
})
