/** A real SMTP server that plays the relay, and keeps what it is given. */
import { eventually } from "@mailroom/test-services"
import { Effect, type Scope } from "effect"
import { SMTPServer } from "smtp-server"

export interface Relayed {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** Latin-1 */
  readonly raw: string
}

export interface RelaySink {
  readonly url: string
  readonly received: ReadonlyArray<Relayed>
  /** The first mail to the address, once it is there. */
  readonly firstTo: (address: string) => Effect.Effect<Relayed>
}

const nothing: Relayed = { from: "", to: [], raw: "" }

export const relaySink: Effect.Effect<RelaySink, never, Scope.Scope> = Effect.acquireRelease(
  Effect.async<{ readonly sink: RelaySink; readonly close: Effect.Effect<void> }>((resume) => {
    const received: Array<Relayed> = []
    const server = new SMTPServer({
      authOptional: true,
      hideSTARTTLS: true,
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 1,
      onData: (stream, { envelope }, callback) => {
        const chunks: Array<Buffer> = []
        stream.on("data", (chunk: Buffer) => chunks.push(chunk))
        stream.on("end", () => {
          received.push({
            from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
            to: envelope.rcptTo.map(({ address }) => address),
            raw: Buffer.concat(chunks).toString("latin1"),
          })
          callback(null)
        })
      },
    })
    server.on("error", () => {})
    server.listen(0, "127.0.0.1", () => {
      const address = server.server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const firstTo = (wanted: string) =>
        eventually(
          `a mail to ${wanted} is relayed`,
          Effect.sync(() => received.find(({ to }) => to.includes(wanted))),
          (mail) => mail !== undefined,
        ).pipe(Effect.map((mail) => mail ?? nothing))
      resume(
        Effect.succeed({
          sink: { url: `smtp://127.0.0.1:${port}`, received, firstTo },
          close: Effect.async<void>((done) => server.close(() => done(Effect.void))),
        }),
      )
    })
  }),
  ({ close }) => close,
).pipe(Effect.map(({ sink }) => sink))
