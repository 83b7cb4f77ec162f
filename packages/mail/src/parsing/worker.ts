/** The file that a parser thread starts with. */
import { parentPort } from "node:worker_threads"
import { serve } from "./serve.js"

// mailparser creates an error object for every mail it discards; of other errors we only use the message.
Error.stackTraceLimit = 0

if (parentPort !== null) serve(parentPort)
