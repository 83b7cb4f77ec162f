/** The connection of one client: reads bytes, sends replies, and starts TLS. */
import type { Socket } from "node:net"
import { type SecureContext, TLSSocket } from "node:tls"
import type { Reply } from "./replies.js"

export interface WireEvents {
  /** More bytes, which the callee may change. Not called after `end`. */
  readonly onBytes: (bytes: Buffer) => void
  /** TLS is established. */
  readonly onSecure: () => void
  /** The connection is gone. Called once. */
  readonly onClose: () => void
}

/** Why a connection reads no more for now. */
export type PauseReason =
  /** bytes of the client are held back: they have no room, or the client has to wait for a reply */
  | "held"
  /** other sessions have their turn (`largeReads`) */
  | "turn"

export interface Wire {
  /** Queues a reply, so that replies to pipelined commands leave in one packet. */
  readonly send: (reply: Reply) => void
  /** Sends the queued replies. */
  readonly flush: () => void
  /** Reads no more until `resume` for the same reason. Bytes that were read before may still arrive. */
  readonly pause: (reason: PauseReason) => void
  /** Reads again, unless another reason is left, and once the client has read most of the replies. */
  readonly resume: (reason: PauseReason) => void
  /** Drops bytes that were not handled, and starts the TLS handshake. */
  readonly startTls: (context: SecureContext) => void
  /**
   * Sends the queued replies and closes our side. Drops what the client sends after that. During a handshake, where
   * nothing can be sent, closes both sides.
   */
  readonly end: () => void
  readonly destroy: () => void
}

export const openWire = (plain: Socket, events: WireEvents): Wire => {
  let socket = plain
  let queued = ""
  const pauses = new Set<PauseReason>()
  let isEnded = false
  let isShakingHands = false

  const read = () => {
    if (pauses.size > 0 || socket.writableNeedDrain) socket.pause()
    else socket.resume()
  }

  const onData = (bytes: Buffer) => {
    if (!isEnded) events.onBytes(bytes)
  }

  const listen = (to: Socket) => {
    to.on("data", onData)
    to.on("drain", read)
    // A close event follows every error, and is handled.
    to.on("error", () => {})
  }

  const flush = () => {
    if (queued === "") return
    if (!socket.destroyed) socket.write(queued, "latin1")
    queued = ""
    // Read nothing from a client that does not read its replies.
    if (socket.writableNeedDrain) socket.pause()
  }

  listen(plain)
  plain.once("close", events.onClose)

  const destroy = () => {
    socket.destroy()
    plain.destroy()
  }

  return {
    send: (reply) => {
      queued += reply.text
    },
    flush,
    pause: (reason) => {
      pauses.add(reason)
      socket.pause()
    },
    resume: (reason) => {
      pauses.delete(reason)
      read()
    },
    startTls: (secureContext) => {
      flush()
      plain.off("data", onData)
      plain.off("drain", read)
      // Drop plaintext after STARTTLS: an attacker in the middle may have injected it (RFC 3207 §6, CVE-2011-0411).
      while (plain.read() !== null);
      const secure = new TLSSocket(plain, { isServer: true, secureContext })
      // Without a `tls.Server`, errors after the handshake are reported by this event only.
      secure.once("_tlsError", () => plain.destroy())
      secure.once("close", () => plain.destroy())
      secure.once("secure", () => {
        isShakingHands = false
        events.onSecure()
      })
      listen(secure)
      socket = secure
      pauses.clear()
      isShakingHands = true
    },
    end: () => {
      if (isShakingHands) return destroy()
      flush()
      isEnded = true
      pauses.clear()
      socket.end()
      socket.resume()
    },
    destroy,
  }
}
