/** A process that sends mails over many SMTP sessions at once, many mails on each, and reports how that went. */
import { Schema } from "effect"
import { percentile, wallClock } from "./harness/stats.js"
import { task } from "./harness/tasks.js"
import { type LoadOutcome, Recipients } from "./load.js"
import { mailPress } from "./mails.js"
import { openPump } from "./smtpPump.js"

const Settings = Schema.Struct({
  port: Schema.Int,
  recipient: Schema.String,
  recipients: Schema.optional(Recipients),
  /** part of every Message-ID */
  run: Schema.String,
  sessions: Schema.Int,
  mails: Schema.Int,
  /** of one mail */
  bytes: Schema.Int,
})

/** Who gets mail number `serial`. */
const recipientOf = (recipients: Recipients | undefined, recipient: string) => {
  if (recipients === undefined) return () => recipient
  const { pattern, accounts, firstGets } = recipients
  const every = firstGets > 0 ? Math.round(1 / firstGets) : Infinity
  return (serial: number): string =>
    serial % every === 0 ? pattern : pattern.replace(/\d{5}/, String(serial % accounts).padStart(5, "0"))
}

task(Settings, async ({ port, recipient, recipients, run, sessions, mails, bytes }) => {
  const to = recipientOf(recipients, recipient)
  const durations: Array<number> = []
  let serial = 0
  const open = await Promise.all(
    Array.from({ length: sessions }, () => {
      const press = mailPress(run, recipient, bytes)
      return openPump({
        port,
        from: "orders@sender.example",
        next: () => (serial < mails ? { to: to(serial), bytes: press(serial++) } : null),
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
