/** An embedded Mailroom in memory for tests of programs that use it: on the clock of the test, with mail from and to outside. */
import type { ParsedMail } from "@mailroom/domain"
import { Engine, type EngineServices, MailSpool, MimeParser } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Array, Clock, Context, Effect, Layer, TestClock } from "effect"
import { Mailroom } from "mailroom"
import { InMemoryMailroom } from "./InMemoryMailroom.js"

/** A mail from outside. */
export interface MailFromOutside {
  /** default `ada@elsewhere.org` */
  readonly from?: string | undefined
  /** the address of a mailbox */
  readonly to: string
  /** default `Hello` */
  readonly subject?: string | undefined
  /** default `Hello.` */
  readonly text?: string | undefined
  /** more header lines, such as `Auto-Submitted: auto-replied` */
  readonly headers?: ReadonlyArray<string> | undefined
}

/** A mail that left. */
export interface MailToOutside {
  /** the recipients of its envelope */
  readonly to: ReadonlyArray<string>
  readonly mail: ParsedMail
}

const DOMAIN = "agents.acme.dev"

export class Outside extends Context.Tag("@mailroom/testing/Outside")<
  Outside,
  {
    /** Delivers a mail to a mailbox, and runs the background work that is due. */
    readonly deliver: (mail: MailFromOutside) => Effect.Effect<void>
    /** The mails that left, oldest first. */
    readonly received: Effect.Effect<ReadonlyArray<MailToOutside>>
    /**
     * Moves the clock of the test, a second at a time, until so many mails left (default 1), and returns all that did; those
     * that left within a minute, when they are fewer. A mail is composed in real time, in which that clock stands still: after one
     * step it may not have left yet.
     */
    readonly waitForMail: (count?: number) => Effect.Effect<ReadonlyArray<MailToOutside>>
  }
>() {
  static readonly layer = Layer.effect(
    Outside,
    Effect.gen(function* () {
      const context = yield* Effect.context<EngineServices>()
      const spool = yield* MailSpool
      const parser = yield* MimeParser
      const relay = yield* MemoryRelay
      const received = Effect.gen(function* () {
        const sent = yield* relay.sent
        const parsed = yield* parser.parse(sent.map(({ raw }) => raw))
        return Array.zipWith(sent, parsed, ({ envelope }, mail) => ({ to: envelope.to, mail }))
      })
      return {
        deliver: Effect.fnUntraced(function* ({ from = "ada@elsewhere.org", to, subject, text, headers }) {
          const lines = [
            ...(headers ?? []),
            `From: ${from}`,
            `To: ${to}`,
            `Subject: ${subject ?? "Hello"}`,
            "Content-Type: text/plain; charset=utf-8",
            "",
            text ?? "Hello.",
          ]
          const envelope = {
            from,
            to: [to],
            remoteAddress: "203.0.113.9",
            helo: "mail.elsewhere.org",
            tls: true,
            receivedAt: yield* Clock.currentTimeMillis,
          }
          const bytes = new TextEncoder().encode(lines.join("\r\n"))
          yield* spool.accept([{ envelope, content: { kind: "inline", bytes } }])
          yield* Effect.provide(Engine.settle, context)
        }),
        received,
        waitForMail: (count = 1) =>
          Effect.zipRight(TestClock.adjust("1 second"), relay.sent).pipe(
            Effect.repeat({ until: ({ length }) => length >= count, times: 59 }),
            Effect.zipRight(received),
          ),
      }
    }),
  )
}

/** The services of `mailroom` in memory, and `Outside`. Provide `clockAt` for a clock that the test moves. */
const layer = (domain = DOMAIN) =>
  Outside.layer.pipe(
    Layer.provideMerge(Mailroom.over(domain)),
    Layer.provideMerge(
      InMemoryMailroom.layer({ platformDomain: domain, billing: "none", defaultPlan: "Scale" }),
    ),
    Layer.orDie,
  )

export const TestMailroom = { layer }
