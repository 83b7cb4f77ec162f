/** What a route that sends answers: the message, whole. */
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { type MessageRecord, viewMessage } from "@mailroom/engine"
import { json } from "./json.js"

export const sentMessage = (message: MessageRecord): HttpServerResponse.HttpServerResponse =>
  json({ message: viewMessage(message) }, { status: 201 })
