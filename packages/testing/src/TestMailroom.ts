/** An embedded Mailroom in memory for tests of programs that use it: on the clock of the test, with mail from and to outside. */
import type { ParsedMail } from "@mailroom/domain"
import { Engine, type EngineServices, MailSpool, MimeParser } from "@mailroom/engine"
import { MemoryRelay, recipientReply } from "@mailroom/mail"
import { Array, Clock, Context, Data, Duration, Effect, Layer, TestClock } from "effect"
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

/** The mailbox does not take the mail: its sender gets this reply to RCPT. */
export class MailRefused extends Data.TaggedError("MailRefused")<{
  /** such as `550 5.1.1 No such mailbox here` */
  readonly reply: string
}> {
  override get message(): string {
    return this.reply
  }
}

const SECOND = Duration.seconds(1)
/** Steps in which `pass` moves the clock, unless a step would be shorter than a second. */
const STEPS = 60

const DOMAIN = "agents.acme.dev"

export class Outside extends Context.Tag("@mailroom/testing/Outside")<
  Outside,
  {
    /** Delivers a mail to a mailbox as a mail server does. Before and after it, runs the background work that is due. */
    readonly deliver: (mail: MailFromOutside) => Effect.Effect<void, MailRefused>
    /** The mails that left, oldest first. */
    readonly received: Effect.Effect<ReadonlyArray<MailToOutside>>
    /**
     * Moves the clock of the test, and runs the background work that is due meanwhile, such as drafts with a time and mail from one
     * mailbox to another: after each second, or after each sixtieth of more than a minute. `TestClock.adjust` runs handlers alone.
     */
    readonly pass: (duration: Duration.DurationInput) => Effect.Effect<void>
    /**
     * As `pass`, a second at a time, until so many mails left (default 1), and returns all that did; those that left within a minute,
     * when they are fewer. A mail is composed in real time, in which that clock stands still: after one step it may not have left yet.
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
      const settle = Effect.provide(Engine.settle, context)
      const step = (duration: Duration.Duration) => Effect.zipRight(TestClock.adjust(duration), settle)
      const received = Effect.gen(function* () {
        const sent = yield* relay.sent
        const parsed = yield* parser.parse(sent.map(({ raw }) => raw))
        return Array.zipWith(sent, parsed, ({ envelope }, mail) => ({ to: envelope.to, mail }))
      })
      return {
        deliver: Effect.fnUntraced(function* ({ from = "ada@elsewhere.org", to, subject, text, headers }) {
          // A mailbox that was just made takes mail once a job has set it up.
          yield* settle
          for (const verdict of yield* spool.recipients([{ from, to }]))
            if (verdict.kind !== "accepted")
              return yield* new MailRefused({ reply: recipientReply(verdict).text.trim() })
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
          yield* settle
        }),
        received,
        pass: (duration) => {
          const left = Duration.decode(duration)
          const length = Duration.max(SECOND, Duration.times(left, 1 / STEPS))
          return Effect.iterate(left, {
            while: Duration.greaterThan(Duration.zero),
            body: (rest) => Effect.as(step(Duration.min(length, rest)), Duration.subtract(rest, length)),
          })
        },
        waitForMail: (count = 1) =>
          Effect.zipRight(step(SECOND), relay.sent).pipe(
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
    Layer.provideMerge(InMemoryMailroom.layer(Mailroom.settings({ domain }))),
    Layer.orDie,
  )

export const TestMailroom = { layer }
