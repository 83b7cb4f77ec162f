/**
 * The page of messages as fastify and better-sqlite3 serve it: the key looked up by its SHA-256, the mailbox, 50 rows,
 * their JSON columns parsed, one object serialized. What the service is compared with; a process of its own.
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import Database from "better-sqlite3"
import { Schema } from "effect"
import { fastify } from "fastify"
import { service } from "./harness/tasks.js"
import { insertMessage, type Row, schema, toServed, toStored } from "./pageTable.js"

const Settings = Schema.Struct({
  folder: Schema.String,
  key: Schema.String,
  mailboxId: Schema.String,
  rows: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
})

interface Owned {
  readonly account_id: string
}

interface MailboxRow extends Owned {
  readonly over_limit_count: number
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

service(Settings, async ({ folder, key, mailboxId, rows }) => {
  const database = new Database(join(folder, "page.db"))
  database.pragma("journal_mode = WAL")
  database.exec(schema)
  database.prepare("INSERT INTO keys VALUES (?, ?)").run(sha256(key), "account")
  database.prepare("INSERT INTO mailboxes VALUES (?, ?, 0)").run(mailboxId, "account")
  const insert = database.prepare(insertMessage)
  database.transaction(() => rows.forEach((row) => insert.run(toStored(row))))()

  const keyByHash = database.prepare<[string], Owned>("SELECT account_id FROM keys WHERE hash = ?")
  const mailboxById = database.prepare<[string], MailboxRow>(
    "SELECT account_id, over_limit_count FROM mailboxes WHERE id = ?",
  )
  const newest = database.prepare<[string, number, number], Row>(
    "SELECT * FROM messages WHERE mailboxId = ? ORDER BY createdAt DESC, id DESC LIMIT ? OFFSET ?",
  )

  const app = fastify({ logger: false })
  app.get<{ Params: { id: string }; Querystring: { limit?: string; offset?: string } }>(
    "/v1/mailboxes/:id/messages",
    async (request, reply) => {
      const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1]
      const owner = bearer === undefined ? undefined : keyByHash.get(sha256(bearer))
      if (owner === undefined) return reply.code(401).send({ error: "missing or invalid API key" })
      const mailbox = mailboxById.get(request.params.id)
      if (mailbox === undefined || mailbox.account_id !== owner.account_id)
        return reply.code(404).send({ error: "no such mailbox" })

      const limit = Number(request.query.limit ?? 50)
      const offset = Number(request.query.offset ?? 0)
      const found = newest.all(request.params.id, limit + 1, offset)
      const messages = found.slice(0, limit).map(toServed)
      const last = found.at(limit - 1)
      const hasMore = found.length > limit
      return {
        messages,
        metadata: {
          overLimitCount: mailbox.over_limit_count,
          limit,
          offset,
          hasMore,
          ...(hasMore && last !== undefined
            ? {
                nextCursor: Buffer.from(`${String(last["createdAt"])} ${String(last["id"])}`).toString(
                  "base64url",
                ),
              }
            : {}),
        },
      }
    },
  )
  const address = await app.listen({ port: 0, host: "127.0.0.1" })
  return { port: Number(new URL(address).port) }
})
