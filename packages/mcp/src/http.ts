/** MCP over HTTP (streamable HTTP): one request, one server, nothing kept in between. */
import { createMcpHandler } from "@modelcontextprotocol/server"
import { type Caller, clientOf } from "./Caller.js"
import { mailBus } from "./mailBus.js"
import { makeServer } from "./makeServer.js"

/**
 * Answers a request to `/mcp` for the caller that the host has authenticated. Serves the protocol of 2026-07-28 and those of
 * 2025. When the signal of the request is aborted, the calls that it began are given up.
 */
export const handleRequest = (request: Request, caller: Caller): Promise<Response> => {
  const handler = createMcpHandler(() => makeServer(caller, { subscribes: true }), {
    bus: mailBus(clientOf(caller), () => void handler.close()),
  })
  return handler.fetch(request)
}
