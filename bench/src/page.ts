/** One page of 50 messages: against fastify serving the same JSON, and in a large mailbox against a small one. */
import { temporaryFolder } from "@mailroom/test-services"
import { isDeepStrictEqual } from "node:util"
import { MessageListItem } from "@mailroom/domain"
import { Console, Effect, Schema } from "effect"
import { type Account, type Mailbox, newMailbox, unlimitedAccount, untilReceived } from "./harness/account.js"
import { type Benchmark, program } from "./harness/alone.js"
import { atLeast, atMost, figure, table } from "./harness/checks.js"
import { call } from "./harness/http.js"
import { type Mailroom, startMailroom } from "./harness/mailroom.js"
import { ask, BenchFailure } from "./harness/processes.js"
import { median } from "./harness/stats.js"
import { sendMails } from "./load.js"
import { type PageLoad, type PageLoadOutcome, requestPages } from "./pageLoad.js"

const SMALL = 1000
const LARGE = 100_000
/** Short mails show what a request costs, longer ones what its bytes cost. */
const SHORT_MAIL = 1024
const LONG_MAIL = 4096
const ROUNDS = 5
/** How long one server is asked in one round, milliseconds. */
const SLICE = 1200
/** For the messages of a small mailbox, milliseconds. */
const RECEIVE_TIMEOUT = 60_000

const pathOf = (mailbox: Mailbox): string => `/v1/mailboxes/${mailbox.id}/messages?limit=50`

/** A mailbox with a thousand messages that came over SMTP. */
const smallMailbox = (server: Mailroom, account: Account, address: string, bytes: number) =>
  Effect.gen(function* () {
    const mailbox = yield* newMailbox(account, address)
    yield* sendMails({ port: server.smtpPort, recipient: mailbox.address, run: address, mails: SMALL, bytes })
    yield* untilReceived(account, mailbox, SMALL, RECEIVE_TIMEOUT)
    return mailbox
  })

const accountId = (account: Account) =>
  call(
    { method: "GET", url: `${account.baseUrl}/v1/account`, key: account.key },
    Schema.Struct({ account: Schema.Struct({ id: Schema.String }) }),
  ).pipe(Effect.map((answer) => answer.account.id))

/** A mailbox with a hundred thousand copies of messages that came over SMTP, put there through the store. */
const largeMailbox = (server: Mailroom, account: Account, templates: ReadonlyArray<MessageListItem>) =>
  Effect.gen(function* () {
    const mailbox = yield* newMailbox(account, "large")
    const settings = {
      filename: server.databaseFile,
      accountId: yield* accountId(account),
      mailboxId: mailbox.id,
      messages: LARGE,
      templates: templates.slice(0, 100),
    }
    yield* Effect.scoped(ask("fillMailbox", settings, Schema.Struct({ messages: Schema.Int })))
    return mailbox
  })

const Page = Schema.Struct({ messages: Schema.Array(MessageListItem) })

const rowsOf = (
  account: Account,
  mailbox: Mailbox,
): Effect.Effect<ReadonlyArray<MessageListItem>, BenchFailure> =>
  Effect.forEach(
    Array.from({ length: SMALL / 100 }, (_, n) => n * 100),
    (offset) =>
      call(
        {
          method: "GET",
          url: `${account.baseUrl}/v1/mailboxes/${mailbox.id}/messages?limit=100&offset=${offset}`,
          key: account.key,
        },
        Page,
      ),
  ).pipe(Effect.map((pages) => pages.flatMap(({ messages }) => messages)))

const AnyPage = Schema.Struct({
  messages: Schema.Unknown,
  metadata: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
})

/** The comparison is void if the two servers do not serve the same: all but the opaque cursor has to be equal. */
const assertSame = (first: PageLoad, second: PageLoad) =>
  Effect.gen(function* () {
    const [one, other] = yield* Effect.forEach([first, second], ({ port, path, key }) =>
      call({ method: "GET", url: `http://127.0.0.1:${port}${path}`, key }, AnyPage).pipe(
        Effect.map(({ messages, metadata }) => ({
          messages,
          metadata: { ...metadata, nextCursor: typeof metadata["nextCursor"] },
        })),
      ),
    )
    if (!isDeepStrictEqual(one, other))
      return yield* new BenchFailure({ message: "the servers compared do not serve the same page" })
  })

interface Compared {
  readonly first: ReadonlyArray<PageLoadOutcome>
  readonly second: ReadonlyArray<PageLoadOutcome>
}

/** Both are asked in turn, a warm-up round uncounted. */
const inTurn = (first: PageLoad, second: PageLoad): Effect.Effect<Compared, BenchFailure> =>
  Effect.gen(function* () {
    const round = Effect.all({ first: requestPages(first, SLICE), second: requestPages(second, SLICE) })
    yield* round
    const rounds = yield* Effect.replicateEffect(round, ROUNDS)
    return { first: rounds.map((r) => r.first), second: rounds.map((r) => r.second) }
  })

const perSecond = (outcomes: ReadonlyArray<PageLoadOutcome>): number =>
  median(outcomes.map((outcome) => outcome.perSecond))

const row = (name: string, outcomes: ReadonlyArray<PageLoadOutcome>): ReadonlyArray<string> => [
  name,
  figure(perSecond(outcomes)),
  figure(median(outcomes.map(({ p50 }) => p50))),
  figure(median(outcomes.map(({ p99 }) => p99))),
]

const columns = ["", "pages/s", "p50 ms", "p99 ms"]

/** Our share of what fastify does with the same rows. */
const againstFastify = (
  server: Mailroom,
  account: Account,
  mailbox: Mailbox,
  rows: ReadonlyArray<MessageListItem>,
) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const peer = yield* ask(
      "fastifyPeer",
      { folder, key: account.key, mailboxId: mailbox.id, rows },
      Schema.Struct({ port: Schema.Int }),
    )
    const ours = { port: server.httpPort, path: pathOf(mailbox), key: account.key }
    const theirs = { ...ours, port: peer.port }
    yield* assertSame(ours, theirs)
    const { first, second } = yield* inTurn(ours, theirs)
    yield* Console.log(table([columns, row("this service", first), row("fastify", second)]))
    return perSecond(first) / perSecond(second)
  }).pipe(Effect.scoped)

export const page: Benchmark = Effect.gen(function* () {
  const server = yield* startMailroom()
  const account = yield* unlimitedAccount(server.baseUrl)
  const short = yield* smallMailbox(server, account, "short", SHORT_MAIL)
  const long = yield* smallMailbox(server, account, "long", LONG_MAIL)
  const shortRows = yield* rowsOf(account, short)

  yield* Console.log("\nA page of 50 messages that came as mails of 1 kB, 16 connections")
  const shortRatio = yield* againstFastify(server, account, short, shortRows)
  yield* Console.log("\nA page of 50 messages that came as mails of 4 kB, 16 connections")
  const longRatio = yield* againstFastify(server, account, long, yield* rowsOf(account, long))

  const large = yield* largeMailbox(server, account, shortRows)
  const smallPage = { port: server.httpPort, path: pathOf(short), key: account.key }
  const { first, second } = yield* inTurn(smallPage, { ...smallPage, path: pathOf(large) })
  yield* Console.log("\nThe page by the size of the mailbox, mails of 1 kB")
  yield* Console.log(
    table([columns, row(`${figure(SMALL)} messages`, first), row(`${figure(LARGE)} messages`, second)]),
  )
  return [
    atLeast("page of 50, mails of 1 kB, of fastify + better-sqlite3", shortRatio, 0.4, "x"),
    atLeast("page of 50, mails of 4 kB, of fastify + better-sqlite3", longRatio, 0.4, "x"),
    atMost(
      `page cost at ${figure(LARGE)} messages, of that at ${figure(SMALL)}`,
      perSecond(first) / perSecond(second),
      1.3,
      "x",
    ),
  ]
})

program(import.meta.url, page, 5)
