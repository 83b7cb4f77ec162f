/** Limits of the open SMTP sessions: their number per network, and their durations. */
import {
  DELAYED_SESSIONS_MAX,
  isStressed,
  networksOf,
  sessionShare,
  STRESS_PROGRESS_TIMEOUT,
} from "@mailroom/domain"
import {
  idleTooLong,
  makeRoom,
  type Reply,
  sessionTooLong,
  shuttingDown,
  tooManyConnections,
  tooManySessions,
  tooSlow,
} from "./replies.js"
import type { Session } from "./sessionHost.js"

/** Milliseconds that a client has to close its side after we closed ours. */
const CLOSING_TIMEOUT = 5000

/** All durations are milliseconds. */
export interface SessionLimits {
  readonly sessions: number
  readonly sessionsPerHost: number
  readonly sessionsPerSite: number
  readonly idleTimeout: number
  readonly sessionDeadline: number
  readonly dataDeadline: number
  /** bytes per second of a message, checked once it has taken `rateGrace` */
  readonly minimumRate: number
  readonly rateGrace: number
  readonly storeDeadline: number
}

export interface Sessions {
  /** Why an address gets no session now; null when it gets one. */
  readonly refusal: (address: string) => Reply | null
  readonly open: (session: Session) => void
  readonly close: (session: Session) => void
  /** Whether another reply may be delayed. */
  readonly mayDelay: () => boolean
  /** Ends sessions beyond their limits, gives up storage requests, and sends delayed replies that are due. */
  readonly enforce: () => void
  /** From now on, ends each session as soon as no message arrives in it and no storage request of it runs. */
  readonly drain: () => void
  /** Call it when a storage request of the session ended, or its message was refused. While draining, it ends an idle session. */
  readonly settled: (session: Session) => void
  /** Gives up every storage request, and closes every connection. */
  readonly destroy: () => void
}

export const makeSessions = (limits: SessionLimits, now: () => number): Sessions => {
  const sessions = new Set<Session>()
  const perNetwork = new Map<string, number>()
  let draining = false

  const stressed = (): boolean => isStressed(sessions.size, limits.sessions)

  const add = (network: string, change: number): void => {
    const count = (perNetwork.get(network) ?? 0) + change
    if (count > 0) perNetwork.set(network, count)
    else perNetwork.delete(network)
  }

  /** A session counts for its host and its site. */
  const count = (address: string, change: number): void => {
    const { host, site } = networksOf(address)
    add(host, change)
    add(`site ${site}`, change)
  }

  /** Also between MAIL and DATA: a client whose session ends there sends the mail again. */
  const isIdle = (session: Session): boolean => session.transfer === null && session.storageRequest === null

  const overdue = (session: Session, at: number): Reply | null => {
    const { transfer } = session
    if (transfer !== null) {
      const elapsed = at - transfer.startedAt
      const tooFew = transfer.bytes() < (limits.minimumRate * elapsed) / 1000
      if (elapsed > limits.dataDeadline || (elapsed > limits.rateGrace && tooFew)) return tooSlow
    } else {
      if (at - session.heardAt > limits.idleTimeout) return idleTooLong
      if (stressed() && at - session.progressAt > STRESS_PROGRESS_TIMEOUT) return makeRoom
    }
    return at - session.openedAt > limits.sessionDeadline ? sessionTooLong : null
  }

  const enforceOn = (session: Session, at: number): void => {
    if (session.endedAt !== null) {
      if (at - session.endedAt > CLOSING_TIMEOUT) session.destroy()
    } else if (session.storageRequest !== null) {
      if (at - session.storageRequest.since > limits.storeDeadline) session.storageRequest.giveUp()
    } else {
      const reply = overdue(session, at)
      if (reply !== null) session.end(reply)
      else if (session.delayed !== null && at >= session.delayed.until) session.delayed.release()
    }
  }

  return {
    refusal: (address) => {
      if (draining) return shuttingDown
      if (sessions.size >= limits.sessions) return tooManySessions
      const { host, site } = networksOf(address)
      const isStress = stressed()
      const isFull = (network: string, granted: number) =>
        (perNetwork.get(network) ?? 0) >= sessionShare(granted, isStress)
      return isFull(host, limits.sessionsPerHost) || isFull(`site ${site}`, limits.sessionsPerSite)
        ? tooManyConnections
        : null
    },
    open: (session) => {
      sessions.add(session)
      count(session.remoteAddress, 1)
    },
    close: (session) => {
      if (sessions.delete(session)) count(session.remoteAddress, -1)
    },
    mayDelay: () => {
      let delayed = 0
      for (const session of sessions) if (session.delayed !== null) delayed++
      return delayed < DELAYED_SESSIONS_MAX && !stressed()
    },
    enforce: () => {
      const at = now()
      for (const session of sessions) enforceOn(session, at)
    },
    drain: () => {
      draining = true
      for (const session of sessions) if (isIdle(session)) session.end(shuttingDown)
    },
    settled: (session) => {
      // After the reply to the request or message, which is sent in this turn of the event loop.
      if (draining) setImmediate(() => (isIdle(session) ? session.end(shuttingDown) : undefined))
    },
    destroy: () => {
      for (const { storageRequest } of sessions) storageRequest?.giveUp()
      for (const session of sessions) session.destroy()
    },
  }
}
