/** MCP over stdin and stdout, for clients that start a process. */
import { serveStdio as serve, type StdioServerHandle } from "@modelcontextprotocol/server/stdio"
import type { Caller } from "./Caller.js"
import { makeServer } from "./makeServer.js"

/** Serves MCP on stdin and stdout of this process until stdin ends. Nothing else may write to stdout. */
export const serveStdio = (caller: Caller): StdioServerHandle =>
  serve(() => makeServer(caller, { subscribes: false }))
