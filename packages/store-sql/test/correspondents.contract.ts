/** Contract of `CorrespondentStore`: what a mailbox has to do with an address. */
import { describe, expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { type Correspondent, domainSkeleton, type MailboxId, type MailboxRecord } from "@mailroom/domain"
import { CorrespondentStore, MessageStore, SendStore, Transactions } from "@mailroom/engine"
import { Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { aMessage, NOON, storedMailbox } from "./support/records.js"

const unknown = { heardAt: null, writtenAt: null, approvedAt: null }

const one = (mailboxId: MailboxId, address: string, times: Partial<Correspondent>): Correspondent => ({
  mailboxId,
  address,
  ...unknown,
  ...times,
})

const find = (mailboxId: MailboxId, ...addresses: ReadonlyArray<string>) =>
  Effect.flatMap(CorrespondentStore, (store) =>
    store.find(addresses.map((address) => ({ mailboxId, address, skeletons: [] }))),
  ).pipe(
    Effect.map(({ correspondents }) =>
      [...correspondents].sort((a, b) => a.address.localeCompare(b.address)),
    ),
  )

const remember = (...records: ReadonlyArray<Correspondent>) =>
  Effect.gen(function* () {
    const { run } = yield* Transactions
    yield* run((yield* CorrespondentStore).remember(records))
  })

/** Makes the mailbox one whose mail an earlier version stored. */
const makeUnread = ({ id }: Pick<MailboxRecord, "id">) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`/* test */ INSERT INTO unread_correspondents (mailbox_id, created_at, message_id)
      VALUES (${id}, 0, '')`,
  )

export const correspondentsContract = (name: string, database: Database) =>
  describe(`${name}: correspondents`, () => {
    layer(database)((it) => {
      it.effect("keeps the earliest of each time, for each mailbox by itself", () =>
        Effect.gen(function* () {
          const [mine, other] = [yield* storedMailbox, yield* storedMailbox]
          const ada = "ada@acme.example"
          yield* remember(one(mine.id, ada, { heardAt: NOON + 2 }), one(mine.id, ada, { heardAt: NOON + 1 }))
          yield* remember(one(mine.id, ada, { heardAt: NOON + 3, writtenAt: NOON + 3 }))
          yield* remember(
            one(mine.id, ada, { approvedAt: NOON + 4 }),
            one(mine.id, "bob@x.example", { writtenAt: 1 }),
          )
          yield* remember(one(mine.id, ada, { writtenAt: NOON, approvedAt: NOON + 5 }))
          expect(yield* find(mine.id, ada, "bob@x.example", "eve@x.example")).toEqual([
            { mailboxId: mine.id, address: ada, heardAt: NOON + 1, writtenAt: NOON, approvedAt: NOON + 4 },
            one(mine.id, "bob@x.example", { writtenAt: 1 }),
          ])
          expect(yield* find(other.id, ada)).toEqual([])
        }),
      )

      it.effect("finds the domains with a skeleton that the mailbox wrote to, not those that wrote", () =>
        Effect.gen(function* () {
          const [mine, other] = [yield* storedMailbox, yield* storedMailbox]
          const store = yield* CorrespondentStore
          yield* remember(
            one(mine.id, "ada@rnodem.example", { writtenAt: NOON }),
            one(mine.id, "bob@rnodem.example", { writtenAt: NOON }),
            one(mine.id, "eve@modern.example", { heardAt: NOON }),
            one(mine.id, "zoe@unlike.example", { writtenAt: NOON }),
          )
          const probe = { address: "new@modem.example", skeletons: [domainSkeleton("modem.example")] }
          const found = yield* store.find([{ mailboxId: mine.id, ...probe }])
          expect(found).toEqual({
            correspondents: [],
            similarDomains: [{ mailboxId: mine.id, domain: "rnodem.example" }],
          })
          expect((yield* store.find([{ mailboxId: other.id, ...probe }])).similarDomains).toEqual([])
        }),
      )

      it.effect("reads the mail of earlier versions in steps, oldest first", () =>
        Effect.gen(function* () {
          const mailbox = yield* storedMailbox
          const store = yield* CorrespondentStore
          const messages = yield* MessageStore
          const { run } = yield* Transactions
          yield* makeUnread(mailbox)
          const outbound = {
            direction: "OUTBOUND",
            toAddresses: ["cy@x.example"],
            bccAddresses: ["di@x.example"],
          } as const
          const from = (fromAddress: string, verifiedDomain: string | null) => ({
            fromAddress,
            authentication: { spf: "pass", dkim: "none", dmarc: "none", verifiedDomain },
          })
          yield* messages.insert([
            aMessage(mailbox, { createdAt: NOON, content: from("Ada@x.example", "x.example") }),
            aMessage(mailbox, { createdAt: NOON + 1, content: from("eve@x.example", null) }),
            aMessage(mailbox, { createdAt: NOON + 2, status: "SENT", content: outbound }),
            aMessage(mailbox, { createdAt: NOON + 3, content: { fromAddress: "" } }),
            aMessage(mailbox, {
              createdAt: NOON + 4,
              status: "UNKNOWN",
              content: { ...outbound, toAddresses: ["perhaps@x.example"] },
            }),
          ])
          const due = yield* store.unread
          expect(Option.map(due, ({ accountId }) => accountId)).toEqual(Option.some(mailbox.accountId))
          const steps = [1, 2, 3].map(() => run(store.readSome(mailbox.id, 2)))
          expect(yield* Effect.all(steps)).toEqual([false, false, true])
          expect(yield* store.unread).toEqual(Option.none())
          expect(
            yield* find(
              mailbox.id,
              ...["ada", "cy", "di", "eve", "perhaps"].map((name) => `${name}@x.example`),
            ),
          ).toEqual([
            one(mailbox.id, "ada@x.example", { heardAt: NOON }),
            one(mailbox.id, "cy@x.example", { writtenAt: NOON + 2 }),
            one(mailbox.id, "di@x.example", { writtenAt: NOON + 2 }),
          ])
        }),
      )

      it.effect("are part of the facts of a send, and are removed with the mailbox", () =>
        Effect.gen(function* () {
          const mailbox = yield* storedMailbox
          const sends = yield* SendStore
          const ada = one(mailbox.id, "ada@x.example", { writtenAt: NOON })
          yield* remember(ada)
          yield* makeUnread(mailbox)
          const facts = yield* Effect.flatten(
            sends.facts(mailbox.accountId, mailbox.id, ["ada@x.example", "bob@x.example"]),
          )
          expect(facts.correspondents).toEqual([ada])
          const messages = yield* MessageStore
          expect((yield* messages.purge(mailbox.id, 10)).removed).toBe(3)
          expect(yield* find(mailbox.id, "ada@x.example")).toEqual([])
        }),
      )
    })
  })
