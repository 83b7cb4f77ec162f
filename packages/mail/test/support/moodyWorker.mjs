/** A parser thread that crashes, hangs or exhausts its memory when the body of a mail says so. */
import { parentPort } from "node:worker_threads"
import { parseMail } from "../../dist/src/parsing/parseMail.js"
import { serve } from "../../dist/src/parsing/serve.js"

if (parentPort !== null)
  serve(parentPort, async (raw) => {
    const mail = await parseMail(raw)
    if (mail.text === "exit") process.exit(1)
    if (mail.text === "throw") throw new Error("boom")
    if (mail.text === "hoard") for (const hoard = []; ;) hoard.push(Array.from({ length: 1000 }, String))
    while (mail.text === "hang");
    return mail
  })
