/** A process that sends mails over many SMTP sessions at once, many mails on each, and reports how that went. */
import { Schema } from "effect"
import { percentile, wallClock } from "./harness/stats.js"
import { task } from "./harness/tasks.js"
import type { LoadOutcome } from "./load.js"
import { mailPress } from "./mails.js"
import { openPump } from "./smtpPump.js"

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
  const durations: Array<number> = []
  let serial = 0
  const open = await Promise.all(
    Array.from({ length: sessions }, () => {
      const press = mailPress(run, recipient, bytes)
      return openPump({
        port,
        from: "orders@sender.example",
        to: recipient,
        next: () => (serial < mails ? press(serial++) : null),
        onAccepted: (took) => durations.push(took),
      })
    }),
  )
  const startedAt = wallClock()
  await Promise.all(open.map((pump) => pump()))
  return {
    startedAt,
    acceptedAt: wallClock(),
    p50: percentile(durations, 0.5),
    p99: percentile(durations, 0.99),
  } satisfies LoadOutcome
})
