#!/usr/bin/env node
/** `mailroom-mcp`: MCP on stdin and stdout, with the key in MAILROOM_API_KEY and the service at MAILROOM_URL. */
import { serveStdio } from "./stdio.js"

const { MAILROOM_API_KEY: apiKey = "", MAILROOM_URL: baseUrl = "" } = process.env

if (apiKey === "" || baseUrl === "") {
  process.stderr.write("mailroom-mcp needs MAILROOM_API_KEY and MAILROOM_URL.\n")
  process.exitCode = 2
} else serveStdio({ apiKey, baseUrl })
