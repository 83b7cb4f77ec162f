/**
 * The obvious way to receive mail durably: smtp-server, simpleParser, and one SQLite commit for each mail, with the
 * 250 after the commit. What the service is compared with; a process of its own.
 */
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { callbackify } from "node:util"
import Database from "better-sqlite3"
import { Schema } from "effect"
import { type AddressObject, simpleParser } from "mailparser"
import { SMTPServer } from "smtp-server"
import { service } from "./harness/tasks.js"

const addresses = (field: AddressObject | ReadonlyArray<AddressObject> | undefined): string =>
  JSON.stringify(
    (field === undefined ? [] : [field].flat()).flatMap(({ value }) => value.map(({ address }) => address)),
  )

service(Schema.Struct({ folder: Schema.String }), ({ folder }) => {
  const database = new Database(join(folder, "mail.db"))
  database.pragma("journal_mode = WAL")
  database.pragma("synchronous = FULL")
  database.exec(`CREATE TABLE messages (
    id TEXT PRIMARY KEY, recipient TEXT NOT NULL, message_id TEXT, sender TEXT, recipients TEXT, subject TEXT,
    body_text TEXT, body_html TEXT, raw BLOB NOT NULL, created_at INTEGER NOT NULL
  )`)
  database.exec("CREATE INDEX messages_by_recipient ON messages (recipient, created_at)")
  const insert = database.prepare("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")

  const store = async (raw: Buffer, recipients: ReadonlyArray<string>) => {
    const mail = await simpleParser(raw)
    for (const recipient of recipients)
      insert.run(
        randomUUID(),
        recipient,
        mail.messageId,
        addresses(mail.from),
        addresses(mail.to),
        mail.subject,
        mail.text,
        mail.html === false ? null : mail.html,
        raw,
        Date.now(),
      )
  }

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    logger: false,
    onData: (stream, session, callback) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        callbackify(store)(Buffer.concat(chunks), recipients, callback)
      })
    },
  })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.server.address()
      resolve({ port: typeof address === "object" && address !== null ? address.port : 0 })
    })
  })
})
