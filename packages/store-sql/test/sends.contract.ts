/** Contract of `SendStore` and `BlobDraftStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { HOUR, type MailboxRecord, SuppressionId } from "@mailroom/domain"
import {
  AccountStore,
  AttachmentStore,
  BlobDraftStore,
  MailboxStore,
  MailboxSuppressionStore,
  MessageStore,
  type NewSend,
  RawMailStore,
  SendStore,
  SuppressionStore,
  ThreadStore,
  Transactions,
} from "@mailroom/engine"
import { Effect, Option } from "effect"
import { randomBytes } from "node:crypto"
import type { Database } from "./support/databases.js"
import {
  aMailbox,
  aMessage,
  anAttachment,
  aRawMail,
  aThread,
  newId,
  NOON,
  storedMailbox,
} from "./support/records.js"

const TO = "bob@elsewhere.org"

/** A send with every optional part, not recorded yet. */
const aSend = (mailbox: MailboxRecord, over: Partial<NewSend> = {}) =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const account = yield* Effect.flatten(accounts.byId(mailbox.accountId))
    const thread = aThread(mailbox, { messageCount: 0, participants: [] })
    const raw = aRawMail({ content: { kind: "blob", key: `raw/${newId()}`, sizeBytes: 3 } })
    const message = aMessage(mailbox, {
      status: "SENDING",
      rawId: raw.id,
      threadId: thread.id,
      content: { direction: "OUTBOUND" },
    })
    const { id } = message.content
    return {
      account: { ...account, trialSends: 4 },
      mailbox: { ...mailbox, sentDay: { window: "2026-03-01", count: 7 } },
      raw,
      message,
      correspondent: TO,
      threads: [thread],
      links: [{ mailboxId: mailbox.id, rfcId: message.content.messageId, threadId: thread.id }],
      attachments: [
        anAttachment(account.id, { messageId: id, mailboxId: mailbox.id, blobKey: `uploads/${newId()}` }),
      ],
      uploaded: [],
      blobKeys: [],
      ...over,
    } satisfies NewSend
  })

const recorded = (mailbox: MailboxRecord, over: Partial<NewSend> = {}) =>
  Effect.gen(function* () {
    const sends = yield* SendStore
    const { run } = yield* Transactions
    const send = yield* aSend(mailbox, over)
    yield* run(sends.record(send))
    return send
  })

export const sendsContract = (name: string, database: Database) =>
  describe(`${name}: sends`, () => {
    layer(database)((it) => {
      it.effect("returns the facts of a send: the mailbox, suppressed recipients and local recipients", () =>
        Effect.gen(function* () {
          const sends = yield* SendStore
          const [mailbox, other] = [yield* storedMailbox, yield* storedMailbox]
          yield* (yield* SuppressionStore).insert({
            id: SuppressionId.make(newId()),
            accountId: mailbox.accountId,
            email: TO,
            reason: "MANUAL",
            createdAt: NOON,
          })
          const [local = "", domain = ""] = other.fullAddress.split("@")
          const recipients = [TO, `${local}+tag@${domain}`, "carol@elsewhere.org"]
          const facts = yield* Effect.flatten(sends.facts(mailbox.accountId, mailbox.id, recipients))
          expect(facts).toEqual({
            mailbox,
            suppressed: new Set([TO]),
            inside: [
              {
                fullAddress: other.fullAddress,
                status: other.status,
                provisioned: other.provisioned,
                accountSuspended: false,
                screening: null,
              },
            ],
            correspondents: [],
          })
          const tagged = "bob+news@elsewhere.org"
          const around = yield* Effect.flatten(sends.facts(mailbox.accountId, mailbox.id, [tagged]))
          expect([...around.suppressed]).toEqual([tagged])
          const foreign = yield* Effect.flatten(sends.facts(other.accountId, other.id, [TO]))
          expect(foreign.suppressed.size).toBe(0)
          expect(yield* sends.facts(other.accountId, mailbox.id, [TO])).toEqual(Option.none())
        }),
      )

      it.effect("returns an address that a mailbox suppresses in the facts of that mailbox alone", () =>
        Effect.gen(function* () {
          const sends = yield* SendStore
          const mailboxes = yield* MailboxStore
          const mailbox = yield* storedMailbox
          const other = aMailbox(mailbox.accountId)
          yield* mailboxes.insert(other)
          yield* (yield* MailboxSuppressionStore).insert({
            id: SuppressionId.make(newId()),
            accountId: mailbox.accountId,
            mailboxId: mailbox.id,
            email: TO,
            reason: "MANUAL",
            createdAt: NOON,
          })
          for (const [{ id, accountId }, suppressed] of [
            [mailbox, [TO]],
            [other, []],
          ] as const) {
            const facts = yield* Effect.flatten(sends.facts(accountId, id, [TO, "carol@elsewhere.org"]))
            expect([...facts.suppressed]).toEqual(suppressed)
            const tagged = yield* Effect.flatten(sends.facts(accountId, id, ["bob+news@elsewhere.org"]))
            expect(tagged.suppressed.size).toBe(suppressed.length)
          }
        }),
      )

      it.effect("locks the account and its mailbox, and reads both", () =>
        Effect.gen(function* () {
          const sends = yield* SendStore
          const accounts = yield* AccountStore
          const { run } = yield* Transactions
          const [mailbox, other] = [yield* storedMailbox, yield* storedMailbox]
          const account = yield* Effect.flatten(accounts.byId(mailbox.accountId))
          expect(yield* run(sends.lock(account.id, mailbox.id))).toEqual(Option.some({ account, mailbox }))
          expect(yield* run(sends.lock(other.accountId, mailbox.id))).toEqual(Option.none())
        }),
      )

      it.effect("records a send with everything that is stored with it", () =>
        Effect.gen(function* () {
          const mailbox = yield* storedMailbox
          const attachments = yield* AttachmentStore
          const drafts = yield* BlobDraftStore
          const upload = anAttachment(mailbox.accountId, { blobKey: `uploads/${newId()}` })
          yield* attachments.insert([upload])
          const keys = [`uploads/${newId()}`, `raw/${newId()}`]
          yield* drafts.add(keys, NOON)
          const send = yield* recorded(mailbox, { uploaded: [upload.id], blobKeys: keys })
          const { id, messageId } = send.message.content
          const accounts = yield* AccountStore
          const mailboxes = yield* MailboxStore
          const threads = yield* ThreadStore
          expect(yield* accounts.byId(send.account.id)).toEqual(Option.some(send.account))
          expect(yield* mailboxes.byId(send.account.id, mailbox.id)).toEqual(Option.some(send.mailbox))
          expect(yield* (yield* MessageStore).byId(mailbox.id, id)).toEqual(Option.some(send.message))
          expect(yield* (yield* RawMailStore).byId(send.raw.id)).toEqual(Option.some(send.raw))
          expect(yield* threads.byIds([send.message.threadId])).toEqual(send.threads)
          expect(yield* threads.links([{ mailboxId: mailbox.id, rfcId: messageId }])).toEqual(send.links)
          const ids = [upload.id, ...send.attachments.map((file) => file.id)]
          const found = yield* attachments.byIds(mailbox.accountId, ids)
          expect(found.map(({ attachment }) => attachment.messageId)).toEqual([id, id])
          expect(yield* drafts.claim(10, NOON, NOON + HOUR)).toEqual([])
        }),
      )

      it.effect("marks a message SENT once, and returns its current thread", () =>
        Effect.gen(function* () {
          const sends = yield* SendStore
          const threads = yield* ThreadStore
          const { run } = yield* Transactions
          const mailbox = yield* storedMailbox
          const { message } = yield* recorded(mailbox)
          const into = aThread(mailbox, {})
          yield* threads.save([into])
          yield* threads.absorb(message.threadId, into.id, 200)
          const mark = run(sends.markSent(mailbox.accountId, message.content.id, NOON + 1))
          expect(yield* mark).toEqual(Option.some(into.id))
          expect(yield* mark).toEqual(Option.none())
          expect(yield* run(sends.markFoundSent(message.content.id, NOON + 2))).toEqual(Option.none())
          expect(yield* (yield* MessageStore).byId(mailbox.id, message.content.id)).toEqual(
            Option.some({ ...message, threadId: into.id, status: "SENT", sentAt: NOON + 1 }),
          )
        }),
      )

      it.effect("marks messages UNKNOWN that are still SENDING; they may become SENT later", () =>
        Effect.gen(function* () {
          const sends = yield* SendStore
          const { run } = yield* Transactions
          const mailbox = yield* storedMailbox
          const [one, two] = [yield* recorded(mailbox), yield* recorded(mailbox)]
          const ids = [one.message.content.id, two.message.content.id]
          yield* run(sends.markSent(mailbox.accountId, two.message.content.id, NOON))
          const mark = run(sends.markUnknown(ids))
          expect(yield* mark).toEqual([{ id: one.message.content.id, threadId: one.message.threadId }])
          expect(yield* mark).toEqual([])
          const found = run(sends.markFoundSent(one.message.content.id, NOON + 5))
          expect(yield* found).toEqual(Option.some(one.message.threadId))
          expect(yield* found).toEqual(Option.none())
          expect(yield* (yield* MessageStore).byId(mailbox.id, one.message.content.id)).toMatchObject(
            Option.some({ status: "SENT", sentAt: NOON + 5 }),
          )
        }),
      )

      it.effect("shows the first message of a thread without visible messages", () =>
        Effect.gen(function* () {
          const threads = yield* ThreadStore
          const mailbox = yield* storedMailbox
          const thread = aThread(mailbox, { messageCount: 0, subject: "", baseSubject: "", participants: [] })
          yield* threads.save([thread])
          const shown = {
            id: thread.id,
            subject: "Re: Hello",
            baseSubject: "hello",
            participants: [TO],
            lastMessageAt: NOON + 9,
          }
          expect(yield* threads.showFirst(shown)).toBe(true)
          expect(yield* threads.byIds([thread.id])).toEqual([{ ...thread, ...shown, messageCount: 1 }])
          expect(yield* threads.showFirst(shown)).toBe(false)
        }),
      )

      it.effect("returns the times of the answers to a correspondent, automatic ones and all", () =>
        Effect.gen(function* () {
          const sends = yield* SendStore
          const mailbox = yield* storedMailbox
          const at = (createdAt: number, automaticTurn: boolean) =>
            recorded(mailbox, {
              message: aMessage(mailbox, {
                createdAt,
                automaticTurn,
                status: "SENDING",
                content: { direction: "OUTBOUND" },
              }),
            })
          for (const [createdAt, automatic] of [
            [NOON, true],
            [NOON + 1, false],
            [NOON + 2, true],
          ] as const)
            yield* at(createdAt, automatic)
          const of = { mailboxId: mailbox.id, correspondent: TO }
          expect(yield* sends.automaticTurns(of, NOON, 10)).toEqual([NOON, NOON + 2])
          expect(yield* sends.automaticTurns(of, NOON + 1, 10)).toEqual([NOON + 2])
          expect(yield* sends.automaticTurns({ ...of, correspondent: "eve@e.org" }, NOON, 10)).toEqual([])
          expect(yield* sends.lastAnswer(mailbox.id, TO, NOON + 1)).toEqual(Option.some(NOON + 1))
          expect(yield* sends.lastAnswer(mailbox.id, TO, NOON - 1)).toEqual(Option.none())
        }),
      )

      it.effect("records an answer to an address of any length, and finds it by that address", () =>
        Effect.gen(function* () {
          const sends = yield* SendStore
          const mailbox = yield* storedMailbox
          const correspondent = `${randomBytes(2_500).toString("hex")}@elsewhere.org`
          const message = aMessage(mailbox, {
            createdAt: NOON,
            automaticTurn: true,
            status: "SENDING",
            content: { direction: "OUTBOUND" },
          })
          yield* recorded(mailbox, { message, correspondent })
          expect(yield* sends.lastAnswer(mailbox.id, correspondent, NOON)).toEqual(Option.some(NOON))
          const of = { mailboxId: mailbox.id, correspondent }
          expect(yield* sends.automaticTurns(of, NOON, 10)).toEqual([NOON])
        }),
      )

      it.effect("finds blob drafts that are due, and those to which a row refers", () =>
        Effect.gen(function* () {
          const drafts = yield* BlobDraftStore
          const mailbox = yield* storedMailbox
          const [file, raw, none, early] = [newId(), newId(), newId(), newId()]
          yield* (yield* AttachmentStore).insert([anAttachment(mailbox.accountId, { blobKey: file })])
          yield* (yield* RawMailStore).insert([
            aRawMail({ content: { kind: "blob", key: raw, sizeBytes: 1 } }),
          ])
          yield* drafts.add([file, raw, none], NOON)
          yield* drafts.add([early], NOON + 1)
          const claimed = yield* drafts.claim(10, NOON, NOON + HOUR)
          expect([...claimed].sort()).toEqual([file, raw, none])
          expect(yield* drafts.claim(10, NOON, NOON + HOUR)).toEqual([])
          expect(yield* drafts.unnamedAmong([file, raw, none])).toEqual([none])
          yield* drafts.remove([file, raw, none])
          expect(yield* drafts.claim(10, NOON + HOUR, NOON + HOUR)).toEqual([early])
          yield* drafts.remove([early])
        }),
      )
    })
  })
