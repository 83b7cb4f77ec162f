/** A process that sends mails over many SMTP sessions at once, and reports how that went. */
import { Schema } from "effect"
import { percentile, wallClock } from "./harness/stats.js"
import { task } from "./harness/tasks.js"
import { type LoadOutcome, Recipients } from "./load.js"
import { type MailPress, mailPress } from "./mails.js"
import { openPump } from "./smtpPump.js"

const Settings = Schema.Struct({
  port: Schema.Int,
  recipient: Schema.String,
  recipients: Schema.optional(Recipients),
  /** part of every Message-ID */
  run: Schema.String,
  sessions: Schema.Int,
  mails: Schema.Int,
  /** a session that sent so many is followed by another */
  mailsPerSession: Schema.optionalWith(Schema.Int, { default: () => Number.MAX_SAFE_INTEGER }),
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

task(Settings, async ({ port, recipient, recipients, run, sessions, mails, mailsPerSession, bytes }) => {
  const to = recipientOf(recipients, recipient)
  const durations: Array<number> = []
  let serial = 0
  const presses = Array.from({ length: sessions }, () => mailPress(run, recipient, bytes))
  const next = (press: MailPress) => {
    let left = mailsPerSession
    return openPump({
      port,
      from: "orders@sender.example",
      next: () => (left-- > 0 && serial < mails ? { to: to(serial), bytes: press(serial++) } : null),
      onAccepted: (took) => durations.push(took),
    })
  }
  const pumpOn = async (press: MailPress, pump: () => Promise<void>): Promise<void> => {
    await pump()
    if (serial < mails) await pumpOn(press, await next(press))
  }
  const open = await Promise.all(
    presses.map(async (press) => {
      const pump = await next(press)
      return () => pumpOn(press, pump)
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
