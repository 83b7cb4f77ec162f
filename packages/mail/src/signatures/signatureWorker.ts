import { parentPort } from "node:worker_threads"
import { serve } from "./serve.js"

if (parentPort !== null) serve(parentPort)
