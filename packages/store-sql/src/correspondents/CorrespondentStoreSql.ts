/** The addresses that each mailbox has exchanged mail with, in SQL (docs/decisions/0067). */
import * as SqlClient from "@effect/sql/SqlClient"
import {
  AccountId,
  Correspondent,
  correspondentAddress,
  Direction,
  domainOf,
  domainSkeleton,
  Instant,
  MailboxId,
  MessageContent,
  MessageId,
  MessageStatus,
  provenAuthor,
} from "@mailroom/domain"
import { type CorrespondentProbe, CorrespondentStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { inLists, insertInto } from "../database/batches.js"
import { JsonText } from "../database/columns.js"
import { all, first, rowsOf, run, table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"

const correspondents = table("correspondents", Correspondent)

const writtenDomains = table(
  "correspondent_domains",
  Schema.Struct({ mailboxId: MailboxId, skeleton: Schema.String, domain: Schema.String }),
)

/** A correspondent, or a domain, which has no address. */
const found = rowsOf(
  Schema.Struct({
    ...Correspondent.fields,
    address: Schema.NullOr(Schema.String),
    domain: Schema.NullOr(Schema.String),
  }),
)

const unreadMailboxes = rowsOf(Schema.Struct({ accountId: AccountId, mailboxId: MailboxId }))

const { fromAddress, toAddresses, ccAddresses, bccAddresses, authentication } = MessageContent.fields
const exchanged = rowsOf(
  Schema.Struct({
    id: MessageId,
    direction: Direction,
    status: MessageStatus,
    createdAt: Instant,
    listing: JsonText(Schema.Struct({ fromAddress, toAddresses, ccAddresses, bccAddresses, authentication })),
  }),
)
type Exchanged = Effect.Effect.Success<ReturnType<typeof exchanged.decode>>[number]

const times = ["heardAt", "writtenAt", "approvedAt"] as const

const earlier = (one: Instant | null, other: Instant | null): Instant | null =>
  one === null ? other : other === null ? one : Math.min(one, other)

/** One record for each address, with the earliest of each time: an INSERT must not have the same key twice. */
const merged = (records: ReadonlyArray<Correspondent>): ReadonlyArray<Correspondent> => {
  const byKey = new Map<string, Correspondent>()
  for (const record of records) {
    const key = `${record.mailboxId} ${record.address}`
    const other = byKey.get(key) ?? record
    byKey.set(key, {
      mailboxId: record.mailboxId,
      address: record.address,
      heardAt: earlier(record.heardAt, other.heardAt),
      writtenAt: earlier(record.writtenAt, other.writtenAt),
      approvedAt: earlier(record.approvedAt, other.approvedAt),
    })
  }
  return [...byKey.values()]
}

/** The messages that left or arrived here. Of those in a sent direction, only imported ones have a `dedup_key`. */
const NOT_IMPORTED = "AND (m.direction = 'INBOUND' OR m.dedup_key IS NULL)"

/** Who wrote an inbound message, if that is proven, or to whom an outbound message was sent. */
const correspondentsOf = (
  mailboxId: MailboxId,
  { direction, status, createdAt, listing }: Exchanged,
): ReadonlyArray<Correspondent> => {
  if (status === "SENDING" || status === "UNKNOWN") return []
  const none = { mailboxId, heardAt: null, writtenAt: null, approvedAt: null }
  if (direction === "INBOUND") {
    const address = provenAuthor(listing)
    return address === null ? [] : [{ ...none, address, heardAt: createdAt }]
  }
  return [...listing.toAddresses, ...listing.ccAddresses, ...listing.bccAddresses].flatMap((written) => {
    const address = correspondentAddress(written)
    return address === null ? [] : [{ ...none, address, writtenAt: createdAt }]
  })
}

const make = (sql: SqlClient.SqlClient): CorrespondentStore["Type"] => {
  const { join } = transactionOf(sql)
  const { bytewise, indexedBy } = dialectOf(sql)
  const bytes = sql.literal(bytewise)
  const keepsEarlier = times
    .map((time) => time.replace("At", "_at"))
    .map(
      (column) =>
        `${column} = CASE WHEN correspondents.${column} <= excluded.${column} THEN correspondents.${column}
          ELSE coalesce(excluded.${column}, correspondents.${column}) END`,
    )
  const insert = insertInto(
    sql,
    correspondents,
    `ON CONFLICT (mailbox_id, address) DO UPDATE SET ${keepsEarlier.join(", ")}`,
  )
  const insertDomains = insertInto(sql, writtenDomains, "ON CONFLICT DO NOTHING")

  const rowOf = ({ mailboxId, address, skeletons }: CorrespondentProbe) => {
    // All probes have three skeletons, so that few different statements exist.
    const [one = "", two = one, three = two] = skeletons
    return sql`(${mailboxId}, ${address}, ${one}, ${two}, ${three})`
  }

  const remember = Effect.fnUntraced(function* (records: ReadonlyArray<Correspondent>) {
    const rows = merged(records)
    if (rows.length === 0) return
    yield* insert(rows)
    const domains = new Map(
      rows
        .filter(({ writtenAt }) => writtenAt !== null)
        .map(({ mailboxId, address }) => [`${mailboxId} ${domainOf(address)}`, { mailboxId, address }]),
    )
    yield* insertDomains(
      [...domains.values()].map(({ mailboxId, address }) => ({
        mailboxId,
        skeleton: domainSkeleton(domainOf(address)),
        domain: domainOf(address),
      })),
    )
  })

  const selected = sql.literal(correspondents.selectionOf("c"))
  return {
    find: (probes) => {
      const unique = new Map(probes.map((probe) => [`${probe.mailboxId} ${probe.address}`, probe]))
      return Effect.map(
        inLists([...unique.values()], (list) =>
          all(
            found,
            sql`WITH wanted (mailbox_id, address, one, two, three) AS (VALUES ${sql.csv(list.map(rowOf))})
              SELECT ${selected}, NULL AS domain
              FROM wanted CROSS JOIN correspondents AS c
              WHERE c.mailbox_id = wanted.mailbox_id ${bytes} AND c.address = wanted.address ${bytes}
              UNION ALL
              SELECT d.mailbox_id, NULL, NULL, NULL, NULL, d.domain
              FROM wanted CROSS JOIN correspondent_domains AS d
              WHERE d.mailbox_id = wanted.mailbox_id ${bytes}
                AND d.skeleton IN (wanted.one ${bytes}, wanted.two ${bytes}, wanted.three ${bytes})`,
          ),
        ),
        (rows) => ({
          correspondents: rows.flatMap(({ mailboxId, address, heardAt, writtenAt, approvedAt }) =>
            address === null ? [] : [{ mailboxId, address, heardAt, writtenAt, approvedAt }],
          ),
          similarDomains: rows.flatMap(({ mailboxId, domain }) =>
            domain === null ? [] : [{ mailboxId, domain }],
          ),
        }),
      )
    },
    remember: (records) => join(remember(records)),
    unread: first(
      unreadMailboxes,
      sql`SELECT a.id AS "accountId", u.mailbox_id AS "mailboxId" FROM unread_correspondents AS u
        CROSS JOIN mailboxes AS b CROSS JOIN accounts AS a
        WHERE u.mailbox_id > '' AND b.id = u.mailbox_id AND a.id = b.account_id AND a.deleted_at IS NULL
        ORDER BY u.mailbox_id LIMIT 1`,
    ),
    readSome: (mailboxId, limit) =>
      join(
        Effect.gen(function* () {
          const messages = yield* all(
            exchanged,
            sql`SELECT m.id, m.direction, m.status, m.created_at AS "createdAt", m.listing
              FROM unread_correspondents AS u
              CROSS JOIN messages AS m ${sql.literal(indexedBy("messages_newest"))}
              WHERE u.mailbox_id = ${mailboxId} AND m.mailbox_id = ${mailboxId} AND m.visible = 1
                AND (m.created_at, m.id) > (u.created_at, u.message_id)
                ${sql.literal(NOT_IMPORTED)}
              ORDER BY m.created_at, m.id LIMIT ${limit}`,
          )
          yield* remember(messages.flatMap((message) => correspondentsOf(mailboxId, message)))
          const last = messages.at(-1)
          if (last === undefined || messages.length < limit) {
            yield* run(sql`DELETE FROM unread_correspondents WHERE mailbox_id = ${mailboxId}`)
            return true
          }
          yield* run(
            sql`UPDATE unread_correspondents SET created_at = ${last.createdAt}, message_id = ${last.id}
              WHERE mailbox_id = ${mailboxId}`,
          )
          return false
        }),
      ),
  }
}

export const CorrespondentStoreSql: Layer.Layer<CorrespondentStore, never, SqlClient.SqlClient> =
  Layer.effect(CorrespondentStore, Effect.map(SqlClient.SqlClient, make))
