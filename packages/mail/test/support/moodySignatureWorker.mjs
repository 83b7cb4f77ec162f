/** A signature thread that crashes, hangs or exhausts its memory when the body of a mail says so. */
import { parentPort } from "node:worker_threads"
import { perform, serve } from "../../dist/src/signatures/serve.js"

if (parentPort !== null)
  serve(parentPort, (task, raw, lookup) => {
    const mail = Buffer.from(raw).toString("latin1")
    if (mail.includes("exit now")) process.exit(1)
    if (mail.includes("hoard now")) for (const hoard = []; ;) hoard.push(Array.from({ length: 1000 }, String))
    while (mail.includes("hang now"));
    return perform(task, raw, lookup)
  })
