/** A mailbox with many messages, in seconds: one mail arrives, and the database copies its row. */
import { deliver, plainMail } from "@mailroom/test-services"
import { Effect } from "effect"
import type { Account } from "../../../server/test/support/account.js"
import { change, rows } from "../../../server/test/support/database.js"
import { arrivedAs } from "../../../server/test/support/messages.js"
import type { Server } from "../../../server/test/support/server.js"

/** Fills the mailbox up to a number of messages. Each has an id, a Message-ID, a subject, and a time one second before that of the next. */
export const fillMailbox = (server: Server, account: Account, count: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { folder, smtpPort } = server
    yield* deliver(smtpPort, account.address, plainMail("Mail 0"))
    const { id } = yield* arrivedAs(account, "Mail 0")
    const columns = yield* rows(folder, "SELECT name FROM pragma_table_info('messages')")
    const copyId = "substr(id, 1, 24) || printf('%012x', n)"
    const copied: Readonly<Record<string, string>> = {
      id: copyId,
      rfc_message_id: "printf('<%d@copies.dev>', n)",
      created_at: "created_at - n * 1000",
      raw_id: "NULL",
      indexed: "1",
      listing: `replace(replace(listing, 'Mail 0', printf('Mail %d', n)), id, ${copyId})`,
    }
    const names = columns.map(({ name }) => String(name))
    yield* change(
      folder,
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})
        INSERT INTO messages (${names.join(", ")})
        SELECT ${names.map((name) => copied[name] ?? name).join(", ")} FROM messages, numbers WHERE id = '${id}'`,
    )
  })
