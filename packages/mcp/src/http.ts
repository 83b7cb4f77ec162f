/** MCP over HTTP (streamable HTTP): one request, one server, nothing kept in between. */
import { createMcpHandler } from "@modelcontextprotocol/server"
import { type Caller, clientOf } from "./Caller.js"
import { mailBus } from "./mailBus.js"
import { makeServer } from "./makeServer.js"

/**
 * Answers a request to `/mcp` for the caller that the host has authenticated. Serves the protocol of 2026-07-28 and those of
 * 2025. When the signal of the request is aborted, its calls are given up; `stopping` ends its subscription.
 */
export const handleRequest = (request: Request, caller: Caller, stopping: AbortSignal): Promise<Response> => {
  // A client of 2025 subscribes in a session, and there are no sessions.
  const handler = createMcpHandler(({ era }) => makeServer(caller, { subscribes: era === "modern" }), {
    bus: mailBus(clientOf(caller), stopping, () => void handler.close()),
  })
  return handler.fetch(request)
}
