/** Lists of messages as their readers ask for them: whole, or as previews. */
import { MessageContent, previewOfMessage } from "@mailroom/domain"
import type { MessageJson } from "@mailroom/engine"
import { Effect, Schema } from "effect"

const { bodyText, bodyHtml, extractedText, links, references } = MessageContent.fields
const decodeItem = Schema.decodeUnknown(
  Schema.parseJson(
    Schema.Struct(
      { bodyText, bodyHtml, extractedText, links, references },
      { key: Schema.String, value: Schema.Unknown },
    ),
  ),
)

/** The items, as previews if the query asks for them. */
export const shownItems = (
  items: ReadonlyArray<MessageJson>,
  bodies: "preview" | undefined,
): Effect.Effect<ReadonlyArray<MessageJson>> =>
  bodies === undefined
    ? Effect.succeed(items)
    : Effect.forEach(items, (item) =>
        Effect.map(Effect.orDie(decodeItem(item)), (message) => JSON.stringify(previewOfMessage(message))),
      )
