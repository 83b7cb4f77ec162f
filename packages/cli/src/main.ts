#!/usr/bin/env node
/** The program. `--version` is answered before anything is loaded. */
import { VERSION } from "./version.js"

const words = process.argv.slice(2)

// A reader that leaves early, as in `mailroom inbox | head -1`, has what it wants.
process.stdout.on("error", (error) => {
  if ("code" in error && error.code === "EPIPE") process.exit(0)
  throw error
})

if (words.length === 1 && words[0] === "--version") process.stdout.write(`${VERSION}\n`)
else {
  const { start } = await import("./start.js")
  start(words)
}
