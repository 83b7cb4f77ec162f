/**
 * One SMTP session that hands over mail after mail, lockstep, and costs as little as it can: what is measured is the
 * receiver, which shares the machine with it.
 */
import { connect } from "node:net"
import { replyIn } from "./smtpSession.js"

export interface Pump {
  readonly port: number
  readonly from: string
  /** the next mail with its final dot, its bytes valid until the next call; null when there are no more */
  readonly next: () => { readonly to: string; readonly bytes: Uint8Array } | null
  /** milliseconds from MAIL to the 250 */
  readonly onAccepted: (took: number) => void
}

const SPACE = 0x20
const LINE_FEED = 0x0a
/** The reply after each step: the first digit of its code. */
const steps = { mail: 0x32, rcpt: 0x32, data: 0x33, content: 0x32 } as const
const following = { mail: "rcpt", rcpt: "data", data: "content", content: "mail" } as const

/** Greets, and returns a function that pumps until `next` has no more. */
export const openPump = async (pump: Pump): Promise<() => Promise<void>> => {
  const socket = connect({ port: pump.port, host: "127.0.0.1", noDelay: true })
  const commands = {
    mail: Buffer.from(`MAIL FROM:<${pump.from}>\r\n`),
    data: Buffer.from("DATA\r\n"),
  }
  let onReply: (reply: Buffer) => void = () => {}
  let onLost: (error: Error) => void = () => {}
  socket.on("data", (chunk: Buffer) => onReply(chunk))
  socket.on("error", (error) => onLost(error))
  socket.on("close", () => onLost(new Error("the connection was closed")))

  /** A whole reply, whatever it says. */
  const lastLine = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let arrived = ""
      onLost = reject
      onReply = (chunk) => {
        arrived += chunk.toString("latin1")
        if (replyIn(arrived) !== null) resolve()
      }
    })
  await lastLine()
  const greeted = lastLine()
  socket.write("EHLO bench.example\r\n")
  await greeted

  return () =>
    new Promise((resolve, reject) => {
      let step: keyof typeof steps = "mail"
      let mail = pump.next()
      let startedAt = performance.now()
      const finish = () => {
        onLost = () => {}
        socket.destroy()
        resolve()
      }
      onLost = reject
      onReply = (reply) => {
        const complete = reply.length > 4 && reply[3] === SPACE && reply.at(-1) === LINE_FEED
        if (!complete || reply[0] !== steps[step])
          return reject(new Error(`the reply to ${step}: ${reply.toString("latin1")}`))
        if (step === "content") {
          pump.onAccepted(performance.now() - startedAt)
          mail = pump.next()
          if (mail === null) return finish()
          startedAt = performance.now()
        }
        step = following[step]
        if (step === "content") socket.write(mail?.bytes ?? "")
        else if (step === "rcpt") socket.write(`RCPT TO:<${mail?.to}>\r\n`)
        else socket.write(commands[step])
      }
      if (mail === null) finish()
      else socket.write(commands.mail)
    })
}
