/** The SMTP protocol of one session (RFC 5321 §3, §4): reads commands and messages, and replies in their order. */
import {
  ADDRESS_COMMAND_LINE_MAX,
  COMMAND_LINE_MAX,
  ERRORS_MAX,
  errorDelay,
  INLINE_MAX_BYTES,
  JUNK_COMMANDS_MAX,
} from "@mailroom/domain"
import type { Envelope } from "@mailroom/engine"
import { Exit } from "effect"
import type { Socket } from "node:net"
import { argumentsOf, hostnameOf, isHttpRequest, readMail, readRecipient, verbOf } from "./commandLine.js"
import { makeMailTransaction } from "./mailTransaction.js"
import { startTransfer, type TransferOutcome } from "./messageTransfer.js"
import type { Reply } from "./replies.js"
import * as replies from "./replies.js"
import { makeSessionSignIn } from "../submission/sessionSignIn.js"
import type { Judgement, Session, SessionHost } from "./sessionHost.js"
import { makeSessionInput } from "./sessionInput.js"
import { openWire } from "./wire.js"

/** Commands whose lines may have `ADDRESS_COMMAND_LINE_MAX` bytes. */
const longVerbs = new Set(["AUTH", "MAIL", "RCPT"])

/** The envelope while the message arrives. It gets its time when the content is there. */
type ArrivingEnvelope = Omit<Envelope, "receivedAt">

/** Greets a client and speaks SMTP with it until the connection closes. */
export const openSession = (socket: Socket, host: SessionHost): Session => {
  let hostname: string | null = null
  let isSecure = false
  /** errors and commands without effect, since the last accepted mail */
  let errors = 0
  let junkCommands = 0
  const transaction = makeMailTransaction()

  const wire = openWire(socket, {
    onBytes: (bytes) => {
      session.heardAt = host.now()
      input.read(bytes)
      wire.flush()
    },
    onSecure: () => {
      input.enter("commands")
      isSecure = true
      // Discard what the client said before TLS (RFC 3207 §4.2).
      hostname = null
      signIn?.reset()
      transaction.reset()
      if (host.isTlsFirst) {
        send(host.greeting)
        wire.flush()
      }
    },
    onClose: () => {
      leave()
      host.onClose(session)
    },
  })

  const countLargeRead = host.largeReads.reader({
    rest: () => wire.pause("turn"),
    wake: () => wire.resume("turn"),
  })
  const hold = () => wire.pause("held")
  const goOn = () => wire.resume("held")

  const leave = (): void => {
    input.end()
    session.transfer?.abandon()
    session.transfer = null
    session.delayed = null
  }

  const openedAt = host.now()
  const session: Session = {
    remoteAddress: (socket.remoteAddress ?? "").replace(/^::ffff:/i, "").toLowerCase(),
    openedAt,
    heardAt: openedAt,
    progressAt: openedAt,
    transfer: null,
    storageRequest: null,
    delayed: null,
    endedAt: null,
    end: (reply) => {
      if (session.endedAt !== null) return
      session.endedAt = host.now()
      if (reply.code === 421) host.onErrorReply(session, reply)
      leave()
      send(reply)
      wire.end()
    },
    destroy: wire.destroy,
  }

  const send = (reply: Reply): void => {
    host.onReply()
    wire.send(reply)
  }

  const readMessage = (bytes: Buffer, at: number): number => {
    const { transfer } = session
    if (transfer === null) return bytes.length
    session.progressAt = session.heardAt
    const end = transfer.read(bytes, at)
    if (end === -1 && transfer.bytes() > INLINE_MAX_BYTES) countLargeRead(bytes.length - at)
    if (end !== -1 && session.transfer === transfer) input.enter("waiting")
    return end === -1 ? bytes.length : end
  }

  const proceed = (): void => {
    input.proceed()
    wire.flush()
  }

  const command = (line: string, length: number): void => {
    if (signIn?.isAsking() === true) return signIn.proceed(line, length)
    const verb = verbOf(line)
    const max = longVerbs.has(verb) ? ADDRESS_COMMAND_LINE_MAX : COMMAND_LINE_MAX
    if (length > max) return fail(replies.lineTooLong)
    switch (verb) {
      case "EHLO":
        return greet(line, host.hello(session, isSecure))
      case "HELO":
        return greet(line, host.plainHello)
      case "AUTH":
        if (signIn === null) return fail(replies.unknownCommand)
        return hostname === null ? fail(replies.needsGreeting) : signIn.begin(argumentsOf(line))
      case "MAIL":
        return mail(line)
      case "RCPT":
        return recipient(line)
      case "DATA":
        return data()
      case "RSET":
        transaction.reset()
        return junk(replies.ok)
      case "NOOP":
        return junk(replies.ok)
      case "HELP":
        return junk(replies.help)
      case "VRFY":
        return argumentsOf(line).length === 0 ? fail(replies.needsAddress) : junk(replies.noVerification)
      case "STARTTLS":
        return startTls(line)
      case "QUIT":
        return session.end(replies.bye)
      default:
        return isHttpRequest(line) ? session.end(replies.httpRequest) : fail(replies.unknownCommand)
    }
  }

  /** Replies to a command without effect, or ends the session after `JUNK_COMMANDS_MAX` of them. */
  const junk = (reply: Reply): void => {
    junkCommands++
    if (junkCommands > JUNK_COMMANDS_MAX) session.end(replies.tooManyJunkCommands)
    else send(reply)
  }

  /** Replies to an error of the client, with a delay that grows with the number of errors; at least `minDelay` ms. */
  const fail = (reply: Reply, minDelay = 0): void => {
    errors++
    host.onErrorReply(session, reply)
    const delay = Math.max(minDelay, errorDelay(errors))
    if (errors >= ERRORS_MAX || (delay > 0 && !host.mayDelay())) return session.end(replies.tooManyErrors)
    if (delay === 0) return send(reply)
    input.enter("waiting")
    const release = () => {
      session.delayed = null
      send(reply)
      proceed()
    }
    session.delayed = { until: host.now() + delay, release }
  }

  const greet = (line: string, reply: Reply): void => {
    const name = hostnameOf(line)
    if (name === null) return fail(replies.needsHostname)
    const isFirst = hostname === null
    hostname = name
    transaction.reset()
    if (isFirst) send(reply)
    else junk(reply)
  }

  const startTls = (line: string): void => {
    const tls = host.tls()
    if (tls === null) return fail(replies.noTls)
    if (argumentsOf(line).length > 0) return fail(replies.needsNoArguments)
    if (isSecure) return fail(replies.tlsActive)
    input.enter("handshake")
    send(replies.readyForTls)
    wire.startTls(tls)
  }

  /** Replies to a command after a storage request, unless the session has ended, and reads on. */
  const answered = (respond: () => void): void => {
    if (input.isIn("ended")) return
    input.enter("commands")
    respond()
    if (input.isIn("commands")) proceed()
  }

  const mail = (line: string): void => {
    if (hostname === null) return fail(replies.needsGreeting)
    const needed = signIn?.needed() ?? null
    if (needed !== null) return fail(needed)
    if (transaction.hasSender()) return fail(replies.nestedMail)
    const { address, refusal } = readMail(line)
    if (refusal !== null) return fail(refusal)
    if (host.signIn === null) return begin(address)
    input.enter("waiting")
    host.signIn.begin(session, address, (exit) =>
      answered(() => {
        const reply = Exit.isSuccess(exit) ? exit.value : replies.failureReply(exit.cause)
        if (reply === null) return begin(address)
        noteRefusal(address, [], reply)
        return send(reply)
      }),
    )
  }

  const begin = (sender: string): void => {
    transaction.begin(sender)
    send(replies.senderAccepted)
  }

  const recipient = (line: string): void => {
    if (hostname === null) return fail(replies.needsGreeting)
    if (!transaction.hasSender()) return fail(replies.needsMail)
    const { address, refusal } = readRecipient(line)
    if (refusal !== null) return fail(refusal)
    if (transaction.has(address)) {
      transaction.add(address)
      return junk(replies.recipientAccepted)
    }
    if (!transaction.hasRoom()) {
      noteRefusal(transaction.sender(), [address], replies.tooManyRecipients)
      return send(replies.tooManyRecipients)
    }
    input.enter("waiting")
    host.judge(session, { from: transaction.sender(), to: address }, (exit) =>
      answered(() => {
        if (Exit.isSuccess(exit)) return answerRecipient(address, exit.value)
        const reply = replies.failureReply(exit.cause)
        noteRefusal(transaction.sender(), [address], reply)
        return send(reply)
      }),
    )
  }

  const noteRefusal = (from: string, to: ReadonlyArray<string>, reply: Reply): void =>
    host.onRefused(session, { reply, from, to, helo: hostname ?? "" })

  const answerRecipient = (address: string, verdict: Judgement): void => {
    const reply = replies.recipientReply(verdict)
    if (verdict.kind !== "accepted") noteRefusal(transaction.sender(), [address], reply)
    switch (verdict.kind) {
      case "accepted":
        transaction.add(address)
        session.progressAt = host.now()
        return send(reply)
      case "not provisioned":
      case "busy":
      case "refused":
        return send(reply)
      case "blocked":
      case "suspended":
        return fail(reply)
      case "unknown": {
        const delay = host.countGuess(session)
        return delay === null ? session.end(replies.tooManyUnknownRecipients) : fail(reply, delay)
      }
    }
  }

  const data = (): void => {
    if (hostname === null) return fail(replies.needsGreeting)
    const addresses = transaction.envelope()
    if (addresses === null) return fail(replies.needsRecipient)
    const envelope: ArrivingEnvelope = {
      ...addresses,
      remoteAddress: session.remoteAddress,
      helo: hostname,
      tls: isSecure,
    }
    session.transfer = startTransfer({
      startedAt: host.now(),
      openWriter: host.openWriter,
      onBusy: hold,
      onRoom: goOn,
      onEnd: (outcome) => endMessage(envelope, outcome),
    })
    input.enter("message")
    send(replies.startMail)
  }

  const endMessage = (envelope: ArrivingEnvelope, outcome: TransferOutcome): void => {
    const wasWaiting = input.isIn("waiting")
    session.transfer = null
    transaction.reset()
    if (outcome.kind === "content") return accept(envelope, outcome)
    input.enter("commands")
    const reply = outcome.kind === "failed" ? replies.failureReply(outcome.cause) : outcome.reply
    noteRefusal(envelope.from, envelope.to, reply)
    if (outcome.kind === "endless") return session.end(reply)
    if (outcome.kind === "refused") fail(reply)
    else send(reply)
    if (wasWaiting && input.isIn("commands")) proceed()
    host.onSettled(session)
  }

  const accept = (
    arriving: ArrivingEnvelope,
    { content, release }: TransferOutcome & { kind: "content" },
  ): void => {
    const envelope: Envelope = { ...arriving, receivedAt: host.now() }
    input.enter("waiting")
    host.accept(session, { envelope, content }, release, (exit) =>
      answered(() => {
        const reply = Exit.isSuccess(exit) ? exit.value : replies.failureReply(exit.cause)
        if (reply.code < 400) {
          errors = 0
          junkCommands = 0
          session.progressAt = host.now()
          host.countAccepted(session)
        } else noteRefusal(envelope.from, envelope.to, reply)
        send(reply)
      }),
    )
  }

  const signIn =
    host.signIn === null
      ? null
      : makeSessionSignIn({
          isAllowed: () => host.signIn?.isAllowed(session, isSecure) === true,
          send,
          fail,
          check: (credentials, answer) => {
            input.enter("waiting")
            host.signIn?.signIn(session, credentials, (exit) => answered(() => answer(exit)))
          },
          onSignedIn: () => {
            session.progressAt = host.now()
          },
          onRefused: (reply) => {
            noteRefusal("", [], reply)
            const delay = host.countGuess(session)
            if (delay === null) session.end(replies.tooManySignIns)
            else fail(reply, delay)
          },
        })

  const input = makeSessionInput(host.memory, {
    onCommand: command,
    onAbuse: () => session.end(replies.tooManyErrors),
    onMessage: readMessage,
    onHold: hold,
    onRoom: goOn,
    onMemoryFull: () => session.end(replies.makeRoom),
  })

  const tls = host.isTlsFirst ? host.tls() : null
  if (tls === null) {
    send(host.greeting)
    wire.flush()
  } else {
    input.enter("handshake")
    wire.startTls(tls)
  }
  return session
}
