#!/usr/bin/env node
/** `mailroom-mcp`: MCP on stdin and stdout, with the key in MAILROOM_API_KEY and the service at MAILROOM_URL. */
import { type Caller, clientOf } from "./Caller.js"
import { serveStdio } from "./stdio.js"

const { MAILROOM_API_KEY: apiKey = "", MAILROOM_URL: baseUrl = "" } = process.env

/** What is wrong with the settings, so that no call could succeed; null if nothing is. */
const problemOf = (caller: Caller): string | null => {
  if (apiKey === "" || baseUrl === "") return "mailroom-mcp needs MAILROOM_API_KEY and MAILROOM_URL."
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    return "MAILROOM_URL is no http:// or https:// URL. Write it as https://mail.example.com."
  try {
    clientOf(caller)
    return null
  } catch {
    return "MAILROOM_API_KEY has a character that no key has. Set it to the key itself, which begins with mr_."
  }
}

const problem = problemOf({ apiKey, baseUrl })
if (problem === null) serveStdio({ apiKey, baseUrl })
else {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 2
}
