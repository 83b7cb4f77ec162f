/** One message as the interface shows it, whole. */
import { type Message, timestampOrNull } from "@mailroom/domain"
import type { MessageRecord } from "../ports/stores/MessageStore.js"

export const viewMessage = (message: MessageRecord): Message => ({
  ...message.content,
  threadId: message.threadId,
  status: message.status,
  overLimit: message.gate !== null,
  labels: message.labels,
  readAt: timestampOrNull(message.readAt),
  sentAt: timestampOrNull(message.sentAt),
  headers: message.headers,
})
