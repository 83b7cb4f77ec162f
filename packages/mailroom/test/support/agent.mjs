/**
 * An agent in a process of its own. It notes each mail in a file before it answers. Arguments: the folder of the mailroom,
 * and the file. Writes the port that takes mail when it is ready.
 */
import { createMailroom } from "mailroom"
import { appendFileSync } from "node:fs"

const [folder, handled] = process.argv.slice(2)
const mailroom = await createMailroom({
  folder,
  domain: "agents.acme.dev",
  receive: { port: 0 },
  sendsPerMinute: 100_000,
})
await mailroom.mailboxes.adopt("agent")
mailroom.onMessage(async (mail) => {
  appendFileSync(handled, `${mail.message.subject}\n`)
  await mail.reply("I have read it.")
})
process.stdout.write(`ready ${mailroom.port}\n`)
