/** A process that sends mails over many SMTP sessions at once, many mails on each, and reports how that went. */
import { Schema } from "effect"
import { percentile, wallClock } from "./harness/stats.js"
import { task } from "./harness/tasks.js"
import type { LoadOutcome } from "./load.js"
import { mailPress } from "./mails.js"
import { deliver, greetedSession } from "./smtpSession.js"

const Settings = Schema.Struct({
  port: Schema.Int,
  recipient: Schema.String,
  /** part of every Message-ID */
  run: Schema.String,
  sessions: Schema.Int,
  mails: Schema.Int,
  /** of one mail */
  bytes: Schema.Int,
})

task(Settings, async ({ port, recipient, run, sessions, mails, bytes }) => {
  const open = await Promise.all(Array.from({ length: sessions }, () => greetedSession(port)))
  const envelope = { from: "orders@sender.example", to: recipient }
  const durations: Array<number> = []
  let serial = 0
  const startedAt = wallClock()
  await Promise.all(
    open.map(async (session) => {
      const press = mailPress(run, recipient, bytes)
      while (serial < mails) {
        const mail = press(serial++)
        const before = performance.now()
        const reply = await deliver(session, envelope, mail)
        if (reply.code !== 250) throw new Error(`refused: ${reply.text}`)
        durations.push(performance.now() - before)
      }
    }),
  )
  const acceptedAt = wallClock()
  for (const session of open) session.close()
  return {
    startedAt,
    acceptedAt,
    p50: percentile(durations, 0.5),
    p99: percentile(durations, 0.99),
  } satisfies LoadOutcome
})
