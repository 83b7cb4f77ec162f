// A document thread that does what the name of a file says: hangs, fills its heap, or reads the file.
import { parentPort } from "node:worker_threads"
import { readDocument } from "../../dist/src/documents/readDocument.js"
import { serve } from "../../dist/src/documents/serve.js"

serve(parentPort, async (document) => {
  if (document.filename === "hang") for (;;);
  if (document.filename === "heap") for (const held = []; ;) held.push({ held: [held.length] })
  if (document.filename === "exit") process.exit(1)
  return readDocument(document)
})
