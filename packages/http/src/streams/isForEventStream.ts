import type { IncomingMessage } from "node:http"
import { pathOf } from "../pathOf.js"

const STREAM_PATH = "/v1/events"

/** Whether a request of Node asks for the event stream. */
export const isForEventStream = ({ method, url }: IncomingMessage): boolean =>
  method === "GET" && url !== undefined && pathOf(url) === STREAM_PATH
