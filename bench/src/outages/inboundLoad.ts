/** Senders that keep a steady pace and behave as RFC 5321 §4.5.4.1 asks: what is not taken is sent again later. */
import { setTimeout as sleep } from "node:timers/promises"
import { mailPress } from "../mails.js"
import { deliver, greetedSession, type SmtpSession } from "../smtpSession.js"
import type { Ledger } from "./ledger.js"

const SESSIONS = 8
/** Milliseconds between two mails. */
const PACE = 50
const BYTES = 4096
/** Every twentieth mail is stored as a blob. */
const LARGE_EVERY = 20
const LARGE_BYTES = 300 * 1024
/** Milliseconds until a sender tries again. */
const RETRY_AFTER = 250
/** Milliseconds for one mail; RFC 5321 §4.5.3.2.6 allows ten minutes. */
const PATIENCE = 30_000

export interface InboundLoad {
  readonly port: number
  readonly recipient: string
  /** part of every Message-ID */
  readonly run: string
  readonly ledger: Ledger
  readonly onAccepted: (serial: string) => void
  readonly isOver: () => boolean
}

/** Ends once the load is over and every mail that was begun is accepted. */
export const inboundLoad = async (load: InboundLoad): Promise<void> => {
  const { port, recipient, run, ledger, onAccepted, isOver } = load
  const startedAt = performance.now()
  let next = 0

  const oneSession = async (): Promise<void> => {
    const small = mailPress(run, recipient, BYTES)
    const large = mailPress(run, recipient, LARGE_BYTES)
    const held: { session: SmtpSession | null } = { session: null }

    /** One try. False when the mail was not accepted; then it may have been stored all the same. */
    const attempt = async (serial: number): Promise<boolean> => {
      let refusal: Error | null = null
      // A domain for each mail: its SPF and DMARC records are in no cache.
      const envelope = { from: `shop@sender-${serial}.example`, to: recipient }
      const content = serial % LARGE_EVERY === 0 ? large(serial) : small(serial)
      const patience = new AbortController()
      try {
        held.session ??= await greetedSession(port)
        const current = held.session
        const expired = sleep(PATIENCE, undefined, { signal: patience.signal }).then(
          () => current.close(),
          () => {},
        )
        const reply = await deliver(current, envelope, content)
        patience.abort()
        await expired
        if (reply.code === 250) return true
        if (reply.code >= 500) refusal = new Error(`a mail: ${reply.text}`)
      } catch {
        patience.abort()
      }
      if (refusal !== null) throw refusal
      held.session?.close()
      held.session = null
      return false
    }

    while (!isOver()) {
      const serial = next++
      await sleep(startedAt + serial * PACE - performance.now())
      const id = String(serial)
      while (!(await attempt(serial))) {
        ledger.repeatable(id)
        await sleep(RETRY_AFTER)
      }
      ledger.accepted(id)
      onAccepted(id)
    }
    held.session?.close()
  }
  await Promise.all(Array.from({ length: SESSIONS }, oneSession))
}
