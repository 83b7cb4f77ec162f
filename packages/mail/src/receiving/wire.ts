/** One client's connection: bytes in, replies out, TLS between them. */
import type { Socket } from "node:net"
import { type SecureContext, TLSSocket } from "node:tls"
import type { Reply } from "./replies.js"

export interface WireEvents {
  /** More bytes; the receiver of them may change them. Not called after `end`. */
  readonly onBytes: (bytes: Buffer) => void
  /** TLS is established. */
  readonly onSecure: () => void
  /** The connection is gone. Called once. */
  readonly onClose: () => void
}

export interface Wire {
  /** Queues a reply. Replies that are queued in one turn leave in one packet. */
  readonly send: (reply: Reply) => void
  /** Sends what is queued. */
  readonly flush: () => void
  /** Reads no more bytes until `resume`. Bytes that were read already may still arrive. */
  readonly pause: () => void
  /** Reads on, as soon as the client has taken most of the replies. */
  readonly resume: () => void
  /** Drops what was read and not handled, and takes the client's handshake. */
  readonly startTls: (context: SecureContext) => void
  /**
   * Sends what is queued and closes our side. What the client still sends is dropped. In a handshake, where nothing
   * can be sent, it closes both sides.
   */
  readonly end: () => void
  readonly destroy: () => void
}

export const openWire = (plain: Socket, events: WireEvents): Wire => {
  let socket = plain
  let queued = ""
  let isPaused = false
  let isEnded = false
  let isShakingHands = false

  const read = () => {
    if (isPaused || socket.writableNeedDrain) socket.pause()
    else socket.resume()
  }

  const onData = (bytes: Buffer) => {
    if (!isEnded) events.onBytes(bytes)
  }

  const listen = (to: Socket) => {
    to.on("data", onData)
    to.on("drain", read)
    // The connection closes after an error, and that is handled.
    to.on("error", () => {})
  }

  const flush = () => {
    if (queued === "") return
    if (!socket.destroyed) socket.write(queued, "latin1")
    queued = ""
    // A client that does not read its replies is not read from either.
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
      queued += reply.wire
    },
    flush,
    pause: () => {
      isPaused = true
      socket.pause()
    },
    resume: () => {
      isPaused = false
      read()
    },
    startTls: (secureContext) => {
      flush()
      plain.off("data", onData)
      plain.off("drain", read)
      // Bytes behind STARTTLS were sent by whoever was in the middle (RFC 3207 §6, CVE-2011-0411).
      while (plain.read() !== null);
      const secure = new TLSSocket(plain, { isServer: true, secureContext })
      // Errors after the handshake are reported here alone, because no `tls.Server` has the socket.
      secure.once("_tlsError", () => plain.destroy())
      secure.once("close", () => plain.destroy())
      secure.once("secure", () => {
        isShakingHands = false
        events.onSecure()
      })
      listen(secure)
      socket = secure
      isPaused = false
      isShakingHands = true
    },
    end: () => {
      if (isShakingHands) return destroy()
      flush()
      isEnded = true
      isPaused = false
      socket.end()
      socket.resume()
    },
    destroy,
  }
}
