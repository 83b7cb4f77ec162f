import { parentPort } from "node:worker_threads"
import { limitBuffers } from "./limitBuffers.js"
import { readDocument } from "./readDocument.js"
import { serve } from "./serve.js"

const checked = limitBuffers()
if (parentPort !== null) serve(parentPort, async (document) => checked(await readDocument(document)))
