import { parentPort } from "node:worker_threads"
import { serve } from "./serve.js"

// mailparser makes an error for every mail that it throws away; of others only the message is told.
Error.stackTraceLimit = 0

if (parentPort !== null) serve(parentPort)
