/**
 * Sends every message of a corpus over SMTP and reads it back over HTTP.
 *
 *   node bench/dist/src/corpus/main.js [folder]
 *
 * The folder is the argument, else `MAIL_CORPUS`, else `../shared/mail` beside the repository. The service is one
 * started for the purpose, else the one that `MAILROOM_URL`, `MAILROOM_SMTP_PORT` and `MAILROOM_KEY` name.
 * Exits with 1 when a message stays unanswered, is accepted and cannot be read, or the service stops being healthy.
 */
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { NodeRuntime } from "@effect/platform-node"
import { Config, Console, Data, Effect, Option, type Scope } from "effect"
import { type Account, type Mailbox, newMailbox, received, verifiedAccount } from "../harness/account.js"
import { startMailroom } from "../harness/mailroom.js"
import { BenchFailure, repository } from "../harness/processes.js"
import { deliver, greetedSession } from "../smtpSession.js"
import { differencesOf } from "./compare.js"
import { dataOf, readCorpus, repeatsIn, type SourceMessage } from "./messages.js"
import { nextMessage } from "./readBack.js"
import { type Outcome, report } from "./report.js"

/** For the answer to one mail, milliseconds. */
const ANSWER_TIMEOUT = 10_000

class CorpusFailed extends Data.TaggedError("CorpusFailed")<{ readonly message: string }> {}

interface Target {
  readonly account: Account
  readonly mailbox: Mailbox
  readonly smtpPort: number
}

const corpusFolder = Effect.gen(function* () {
  const configured = yield* Config.option(Config.string("MAIL_CORPUS"))
  const given = process.argv[2] ?? Option.getOrElse(configured, () => join(repository, "../shared/mail"))
  return resolve(given)
})

const account = Effect.gen(function* () {
  const url = yield* Config.option(Config.string("MAILROOM_URL"))
  if (Option.isSome(url)) {
    const key = yield* Config.string("MAILROOM_KEY")
    const smtpPort = yield* Config.integer("MAILROOM_SMTP_PORT")
    return { account: { baseUrl: url.value, key }, smtpPort }
  }
  const server = yield* startMailroom({ settings: { BILLING: "none", DEFAULT_PLAN: "Scale" } })
  return { account: yield* verifiedAccount(server.baseUrl, "corpus"), smtpPort: server.smtpPort }
})

const target: Effect.Effect<Target, unknown, Scope.Scope> = Effect.gen(function* () {
  const found = yield* account
  return { ...found, mailbox: yield* newMailbox(found.account, `corpus-${Date.now()}`) }
})

const healthy = ({ account: { baseUrl } }: Target): Effect.Effect<boolean> =>
  Effect.tryPromise(async () => (await fetch(`${baseUrl}/healthz`)).ok).pipe(
    Effect.timeout(ANSWER_TIMEOUT),
    Effect.orElseSucceed(() => false),
  )

const send = ({ smtpPort, mailbox }: Target, message: SourceMessage, n: number) =>
  Effect.acquireUseRelease(
    Effect.promise(() => greetedSession(smtpPort)),
    (session) => {
      const to = mailbox.address.replace("@", `+${n}@`)
      return Effect.tryPromise(() =>
        deliver(session, { from: "corpus@sender.example", to }, dataOf(message.bytes)),
      )
    },
    (session) => Effect.sync(session.close),
  ).pipe(
    Effect.timeout(ANSWER_TIMEOUT),
    Effect.mapError(() => new BenchFailure({ message: "no answer over SMTP" })),
  )

/** Sends one message and reads it back: what came of it, and the id of the newest message after it. */
const exchange = (
  target: Target,
  message: SourceMessage,
  n: number,
  repeated: string | null,
  last: string | null,
) =>
  Effect.gen(function* () {
    const reply = yield* send(target, message, n)
    const answered = {
      name: message.name,
      smtp: String(reply.code),
      attachments: null,
      differences: [],
      suspicions: [],
      failure: null,
    }
    if (reply.code !== 250) return { outcome: { ...answered, smtp: reply.text, subject: "" }, last }
    if (repeated !== null) return { outcome: { ...answered, subject: `(stored once, as ${repeated})` }, last }
    const read = yield* nextMessage(target.account, target.mailbox, last)
    const outcome: Outcome = {
      ...answered,
      subject: read.subject,
      attachments: read.attachments.length,
      differences: differencesOf(message, read),
      suspicions: read.trust.level === "suspicious" ? read.trust.reasons : [],
    }
    return { outcome, last: read.id }
  }).pipe(
    Effect.catchTag("BenchFailure", ({ message: failure }) => {
      const outcome: Outcome = {
        name: message.name,
        smtp: "",
        subject: "",
        attachments: null,
        differences: [],
        suspicions: [],
        failure,
      }
      return Effect.succeed({ outcome, last })
    }),
  )

const program = Effect.gen(function* () {
  const folder = yield* corpusFolder
  if (!existsSync(folder)) return yield* Console.log(`No corpus at ${folder}; nothing to do.`)
  const messages = readCorpus(folder)
  const repeats = repeatsIn(messages)
  const service = yield* target
  const outcomes: Array<Outcome> = []
  let last: string | null = null
  for (const [n, message] of messages.entries()) {
    const done: { readonly outcome: Outcome; readonly last: string | null } = yield* exchange(
      service,
      message,
      n + 1,
      repeats.get(message.name) ?? null,
      last,
    )
    last = done.last
    const failure = (yield* healthy(service)) ? done.outcome.failure : "the service is not healthy any more"
    outcomes.push({ ...done.outcome, failure })
  }
  yield* Console.log(report(outcomes))

  const failed = outcomes.filter(({ failure }) => failure !== null).length
  if (failed > 0) return yield* new CorpusFailed({ message: `${failed} messages failed` })
  const stored = outcomes.filter(({ attachments }) => attachments !== null).length
  const counted = yield* received(service.account, service.mailbox)
  if (counted !== stored)
    return yield* new CorpusFailed({ message: `${stored} messages were read, but ${counted} are counted` })
})

NodeRuntime.runMain(Effect.scoped(program))
