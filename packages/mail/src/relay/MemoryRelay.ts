/** `OutboundMail` in memory, for tests, which see the sent mail and choose the replies. */
import { RelayRefused, RelayUnavailable, RelayUncertain } from "@mailroom/domain"
import { type OutboundEnvelope, OutboundMail } from "@mailroom/engine"
import { Context, Effect, Layer } from "effect"

export interface SentMail {
  readonly envelope: OutboundEnvelope
  readonly raw: Uint8Array
}

export class MemoryRelay extends Context.Tag("@mailroom/MemoryRelay")<
  MemoryRelay,
  {
    /** oldest first */
    readonly sent: Effect.Effect<ReadonlyArray<SentMail>>
    /**
     * Sets the reply to RCPT TO for an address: `550 …` refuses it permanently, `450 …` for now, null accepts it
     * again.
     */
    readonly answer: (address: string, reply: string | null) => Effect.Effect<void>
    /** Sets whether the relay can be reached. */
    readonly reachable: (reachable: boolean) => Effect.Effect<void>
    /** From now on, takes mail and loses the reply: senders fail with `RelayUncertain`. */
    readonly loseAnswers: Effect.Effect<void>
    /** From now on, senders wait until `resume`. */
    readonly pause: Effect.Effect<void>
    readonly resume: Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<MemoryRelay | OutboundMail> = Layer.effectContext(
    Effect.sync(() => {
      const sent: Array<SentMail> = []
      const replies = new Map<string, string>()
      const running = Effect.unsafeMakeLatch(true)
      let up = true
      let answering = true
      const send = Effect.fnUntraced(function* (envelope: OutboundEnvelope, raw: Uint8Array) {
        yield* running.await
        if (!up) return yield* new RelayUnavailable({ reason: "no connection to the relay" })
        const refused = envelope.to.filter((address) => replies.get(address)?.startsWith("5"))
        const [first] = refused
        if (first !== undefined)
          return yield* new RelayRefused({ answer: replies.get(first) ?? "", recipients: refused })
        const deferred = envelope.to.find((address) => replies.has(address))
        if (deferred !== undefined)
          return yield* new RelayUnavailable({ reason: replies.get(deferred) ?? "", recipientOnly: true })
        sent.push({ envelope, raw })
        if (!answering) return yield* new RelayUncertain({ reason: "no answer to the whole mail" })
        return { answer: `250 2.0.0 mail ${sent.length}` }
      })
      return Context.make(OutboundMail, { send }).pipe(
        Context.add(MemoryRelay, {
          sent: Effect.sync(() => [...sent]),
          answer: (address, reply) =>
            Effect.sync(() => {
              if (reply === null) replies.delete(address)
              else replies.set(address, reply)
            }),
          reachable: (reachable) =>
            Effect.sync(() => {
              up = reachable
            }),
          loseAnswers: Effect.sync(() => {
            answering = false
          }),
          pause: Effect.asVoid(running.close),
          resume: Effect.asVoid(running.open),
        }),
      )
    }),
  )
}
