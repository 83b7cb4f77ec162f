/** The open SMTP sessions: how many an address may have, and how long each of them may take. */
import type { SMTPConnection } from "smtp-server/lib/smtp-connection.js"
import type { Inspection } from "./inspection.js"
import { type Refusal, sessionTooLong, shuttingDown, tooSlow } from "./replies.js"

/** All durations are milliseconds. */
export interface SessionLimits {
  readonly sessionsPerAddress: number
  readonly sessionDeadline: number
  readonly dataDeadline: number
  readonly minimumRate: number
  readonly rateGrace: number
  readonly storeDeadline: number
}

export interface Session {
  readonly connection: SMTPConnection
  readonly openedAt: number
  admitted: boolean
  /** the message that is arriving */
  transfer: { readonly startedAt: number; readonly inspection: Inspection } | null
  /** the question to the store whose answer the client waits for */
  waiting: { readonly since: number; readonly giveUp: () => void } | null
  /** we said 421: whatever still arrives is not ours any more */
  ended: boolean
}

export interface Sessions {
  readonly open: (connection: SMTPConnection) => void
  readonly get: (id: string) => Session | undefined
  readonly close: (id: string) => void
  /** Counts a session for its address, unless the address has all it may have. */
  readonly admit: (session: Session) => boolean
  /** Ends what has taken too long. */
  readonly enforce: () => void
  /** From now on a session ends as soon as it has no transaction running. */
  readonly drain: () => void
  readonly settled: (session: Session) => void
  /** Gives up on every question to the store. */
  readonly giveUp: () => void
}

const end = (session: Session, reply: Refusal): void => {
  session.ended = true
  session.connection.send(reply.responseCode, reply.message)
}

export const makeSessions = (limits: SessionLimits, now: () => number): Sessions => {
  const sessions = new Map<string, Session>()
  const perAddress = new Map<string, number>()
  let draining = false

  const isIdle = (session: Session): boolean => session.transfer === null && session.waiting === null

  const overdue = (session: Session, at: number): Refusal | null => {
    const { transfer } = session
    if (transfer !== null) {
      const elapsed = at - transfer.startedAt
      const tooFew = transfer.inspection.bytes() < (limits.minimumRate * elapsed) / 1000
      if (elapsed > limits.dataDeadline || (elapsed > limits.rateGrace && tooFew)) return tooSlow
    }
    return at - session.openedAt > limits.sessionDeadline ? sessionTooLong : null
  }

  return {
    open: (connection) => {
      sessions.set(connection.id, {
        connection,
        openedAt: now(),
        admitted: false,
        transfer: null,
        waiting: null,
        ended: false,
      })
    },
    admit: (session) => {
      const address = session.connection.remoteAddress
      const count = perAddress.get(address) ?? 0
      session.admitted = count < limits.sessionsPerAddress
      if (session.admitted) perAddress.set(address, count + 1)
      return session.admitted
    },
    get: (id) => sessions.get(id),
    close: (id) => {
      const session = sessions.get(id)
      if (session === undefined) return
      sessions.delete(id)
      if (!session.admitted) return
      const left = (perAddress.get(session.connection.remoteAddress) ?? 0) - 1
      if (left > 0) perAddress.set(session.connection.remoteAddress, left)
      else perAddress.delete(session.connection.remoteAddress)
    },
    enforce: () => {
      const at = now()
      for (const session of sessions.values()) {
        if (session.ended) continue
        if (session.waiting === null) {
          const reply = overdue(session, at)
          if (reply !== null) end(session, reply)
        } else if (at - session.waiting.since > limits.storeDeadline) session.waiting.giveUp()
      }
    },
    drain: () => {
      draining = true
      for (const session of sessions.values()) if (isIdle(session)) end(session, shuttingDown)
    },
    settled: (session) => {
      // After the answer to the transaction, which smtp-server writes in this turn.
      if (draining)
        setImmediate(() => (isIdle(session) && !session.ended ? end(session, shuttingDown) : undefined))
    },
    giveUp: () => {
      for (const { waiting } of sessions.values()) waiting?.giveUp()
    },
  }
}
