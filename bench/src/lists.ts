/**
 * Pages of filtered lists in a large mailbox against a small one, on both databases. A page examines a bounded number of
 * messages, so its time must not grow with the mailbox (docs/decisions/0060). Without `--long` the large mailbox has a
 * hundred thousand messages, with it a million. With `--sqlite` or `--postgres` on that database alone.
 */
import { temporaryFolder } from "@mailroom/test-services"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import {
  AccountId,
  anyMessage,
  type Instant,
  MailboxId,
  type MessageContent,
  type MessageFilter,
  MessageId,
  parseAddressPattern,
  timestamp,
} from "@mailroom/domain"
import { AccountStore, MailboxStore, type MessageRecord, MessageStore } from "@mailroom/engine"
import { SqliteStore } from "@mailroom/store-sql"
import * as PostgresStore from "@mailroom/store-sql/postgres"
import { Console, Effect, Redacted } from "effect"
import { type Benchmark, program } from "./harness/alone.js"
import { atMost, type Check, figure, table } from "./harness/checks.js"
import { isChosen, vacuumed } from "./harness/databases.js"
import { durablePostgres } from "./harness/postgres.js"
import { BenchFailure } from "./harness/processes.js"
import { aMailbox, aMessage, anAccount, idAt } from "./harness/records.js"
import { median, percentile } from "./harness/stats.js"

const SMALL = 10_000
const LARGE = process.argv.includes("--long") ? 1_000_000 : 100_000
/** Messages of one insert. */
const BATCH = 256
/** Between two messages, milliseconds. */
const SPACING = 1000
const START = Date.UTC(2026, 0, 1)
/** Pages of each list, at depths all over the mailbox. Each is read twice, and the first time is not counted: it reads from the disk. */
const PAGES = 100

interface Owner {
  readonly accountId: AccountId
  readonly mailboxId: MailboxId
}

/**
 * The messages of a mailbox. Each condition matches more messages of the small mailbox than a page examines, so that both
 * mailboxes cost the same if a page's cost does not grow.
 */
const messageAt = ({ accountId, mailboxId }: Owner, serial: number): MessageRecord => {
  const createdAt = START + serial * SPACING
  const id = MessageId.make(idAt(createdAt))
  const content: MessageContent = {
    id,
    mailboxId,
    direction: serial % 2 === 0 ? "OUTBOUND" : "INBOUND",
    deliveredTo: "agent@bench.example",
    messageId: `<${id}@sender.example>`,
    inReplyTo: null,
    references: [],
    fromAddress: `sender${serial % 40}@domain${serial % 4}.example`,
    fromName: "A sender",
    toAddresses: ["agent@bench.example"],
    ccAddresses: [],
    bccAddresses: [],
    replyTo: null,
    subject: `Order ${serial} of the week`,
    bodyText: "One line of text. ".repeat(50),
    bodyHtml: null,
    extractedText: null,
    hasAttachments: serial % 3 === 0,
    attachmentsDropped: false,
    attachmentsDroppedReason: null,
    automated: false,
    authentication: null,
    codes: [],
    links: [],
    calendar: null,
    trust: null,
    spam: null,
    createdAt: timestamp(createdAt),
    receivedAt: timestamp(createdAt),
    attachments: [],
  }
  return aMessage(accountId, content, createdAt, {
    labels: serial % 4 === 0 ? ["urgent"] : [],
    readAt: serial % 5 === 0 ? null : createdAt,
  })
}

/** An account with one mailbox, which has `count` messages. */
const filled = (count: number) =>
  Effect.gen(function* () {
    const accountId = AccountId.make(idAt(START))
    const mailboxId = MailboxId.make(idAt(START))
    yield* Effect.flatMap(AccountStore, (store) => store.insert(anAccount(accountId, START)))
    yield* Effect.flatMap(MailboxStore, (store) => store.insert(aMailbox(mailboxId, accountId, START)))
    const owner = { accountId, mailboxId }
    const store = yield* MessageStore
    for (let from = 0; from < count; from += BATCH)
      yield* store.insert(
        Array.from({ length: Math.min(BATCH, count - from) }, (_, n) => messageAt(owner, from + n)),
      )
    return { ...owner, count }
  }).pipe(Effect.mapError((error) => new BenchFailure({ message: String(error) })))

const filters: Readonly<Record<string, Partial<MessageFilter>>> = {
  "no filter": {},
  "from an address": { from: parseAddressPattern("sender7@domain3.example") },
  "from a domain, unread": { from: parseAddressPattern("@domain0.example"), unread: true },
  "to the mailbox, a label": { to: parseAddressPattern("agent@bench.example"), labels: ["urgent"] },
  unread: { unread: true },
  "unread, with an attachment": { unread: true, hasAttachment: true },
  "sent, without an attachment": { direction: "OUTBOUND", hasAttachment: false },
  "part of a subject that few have": { subject: "99 of" },
  "label and subject that none has": { labels: ["urgent"], subject: "no such subject" },
}

type Filled = Effect.Effect.Success<ReturnType<typeof filled>>

/** Reads one page behind a time in the newer half of the mailbox. Returns its time in milliseconds. */
const timeOf = (
  { accountId, mailboxId, count }: Filled,
  filter: MessageFilter,
  isOfAccount: boolean,
  page: number,
) =>
  Effect.gen(function* () {
    const store = yield* MessageStore
    const share = (((page * 37) % PAGES) + 1) / PAGES
    const createdAt: Instant = START + Math.floor((count * (1 + share)) / 2) * SPACING
    const started = performance.now()
    yield* store.filtered({
      accountId,
      mailboxIds: isOfAccount ? null : [mailboxId],
      filter,
      order: "desc",
      after: { createdAt, id: MessageId.make(idAt(createdAt)) },
      limit: 50,
    })
    return performance.now() - started
  })

/** Compares each list in both mailboxes, page by page in turn. */
const compared = (database: string, settled: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const small = yield* filled(SMALL)
    const large = yield* filled(LARGE)
    yield* settled
    const checks: Array<Check> = []
    const rows: Array<ReadonlyArray<string>> = []
    for (const isOfAccount of [false, true])
      for (const [name, over] of Object.entries(filters)) {
        const filter = { ...anyMessage, ...over }
        const times = { small: new Array<number>(), large: new Array<number>() }
        for (let page = 0; page < 2 * PAGES; page++) {
          const inSmall = yield* timeOf(small, filter, isOfAccount, page)
          const inLarge = yield* timeOf(large, filter, isOfAccount, page)
          if (page < PAGES) continue
          times.small.push(inSmall)
          times.large.push(inLarge)
        }
        const p95 = percentile(times.large, 0.95)
        const ratio = median(times.large) / median(times.small)
        const what = `${database}, ${isOfAccount ? "account" : "mailbox"}: ${name}`
        rows.push([
          what,
          figure(median(times.small)),
          figure(median(times.large)),
          figure(p95),
          figure(ratio),
        ])
        checks.push(
          atMost(`${what}: p95`, p95, 10, "ms"),
          atMost(`${what}: of that at ${figure(SMALL)}`, ratio, 1.3, "x"),
        )
      }
    yield* Console.log(`\nA page of 50 of a filtered list, ${database}`)
    const columns = ["", `p50 ms at ${figure(SMALL)}`, `at ${figure(LARGE)}`, "p95 ms", "ratio of p50"]
    yield* Console.log(table([columns, ...rows]))
    return checks
  })

const onSqlite = Effect.flatMap(temporaryFolder, (folder) =>
  Effect.provide(
    compared("SQLite", Effect.void),
    SqliteStore.layer({ filename: join(folder, "mailroom.db") }),
  ),
)

const onPostgres = Effect.flatMap(durablePostgres, (url) =>
  Effect.provide(
    compared("Postgres", vacuumed(url)),
    PostgresStore.layer({ url: Redacted.make(url), maxConnections: 4 }),
  ),
)

/** Lists with every kind of filter. */
export const lists: Benchmark = Effect.map(
  Effect.all([...(isChosen("sqlite") ? [onSqlite] : []), ...(isChosen("postgres") ? [onPostgres] : [])]),
  (checks) => checks.flat(),
).pipe(Effect.catchTag("StoreUnusable", (error) => new BenchFailure({ message: String(error) })))

program(import.meta.url, lists, process.argv.includes("--long") ? 60 : 15)
