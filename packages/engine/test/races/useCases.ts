/** The use cases that race, each with itself and with each other one. */
import {
  AttachmentId,
  type AttachmentRecord,
  dayOf,
  type DraftRecord,
  type MessageId,
  monthOf,
  plans,
  timestamp,
  unsubscribeText,
  unsubscribeToken,
} from "@mailroom/domain"
import {
  AccountRemoval,
  AccountStore,
  AddressLists,
  Administration,
  ApiKeys,
  AttachmentReading,
  Attachments,
  AttachmentTexts,
  AttachmentStore,
  Authentication,
  Billing,
  Consumers,
  CrashRecovery,
  DeliveryWorker,
  Idempotency,
  Jobs,
  Mailboxes,
  MessageChanges,
  Messages,
  PasswordReset,
  Quarantines,
  Retention,
  SearchIndexer,
  SendingHealthStore,
  Suppressions,
  Transactions,
  Unsubscribes,
  Vault,
  WebhookWorker,
} from "@mailroom/engine"
import { Clock, Effect, TestClock } from "effect"
import { randomUUID } from "node:crypto"
import { accepted, aMail as arrivingMail, received } from "../support/arrivals.js"
import { changeAccount, changeMailbox } from "../support/changes.js"
import { claim } from "../support/domains.js"
import {
  approve,
  changeDraft,
  draft,
  draftsOf,
  pause,
  removeDraft,
  runDue,
  sendDraft,
  setPolicies,
} from "../support/drafts.js"
import { as, aSignup, type Owner, signUp, verifyEmail } from "../support/owners.js"
import { NOON } from "../support/mailroom.js"
import { addMailboxes, changePlan, lapses } from "../support/plans.js"
import { imported } from "../support/imports.js"
import { newest } from "../support/reading.js"
import { lostSend, Rows, type World } from "../support/race.js"
import { deliveryReport } from "../support/reports.js"
import { inline, RECIPIENT, reply, send, trySend, upload } from "../support/sends.js"
import { claim as claimMessage, end, takeBack } from "../support/sharing.js"
import { aMail, submit } from "../support/submissions.js"
import { release, takeOver } from "../support/threads.js"
import { change, removeWebhook, subscribe, URL_TWO } from "../support/webhooks.js"
import { file, FILLS, FIRST, mailTo, type Scene, SECOND } from "./scene.js"

export interface UseCase {
  readonly name: string
  /** Prepares the scene, so that the use case has something to do. */
  readonly prepare?: (scene: Scene) => Effect.Effect<unknown, unknown, World>
  /** `racer` distinguishes two runs of one use case that must differ. */
  readonly run: (scene: Scene, racer: "one" | "two") => Effect.Effect<unknown, unknown, World>
}

const deliver = Effect.flatMap(DeliveryWorker, ({ drain }) =>
  Effect.repeat(drain, { until: (count) => count === 0 }),
)
const work = Effect.flatMap(Effect.all([CrashRecovery, Jobs]), ([recovery, jobs]) =>
  Effect.zipRight(recovery.drain, jobs.drain),
)

/** Counts the sent message of the scene as the last of 50 sends, of which 5 bounced: its bounce stops the mailbox. */
const nearlyStopped = (owner: Owner) =>
  Effect.gen(function* () {
    const { id: messageId } = yield* newest(owner, { direction: "OUTBOUND" })
    const accountId = (yield* as(owner)).account.id
    const health = yield* SendingHealthStore
    const { run } = yield* Transactions
    yield* run(health.countSend({ accountId, mailboxId: owner.mailboxId, messageId, sends: 49, at: NOON }))
    const reports = [1, 2, 3, 4, 5].map((distance) => ({ messageId, distance, outcome: "bounced" as const }))
    yield* run(health.addReports(reports))
  })

/** Free bytes in a storage that is filled. */
const ROOM = 10

/** Fills the storage with the row of an upload that has no bytes, and leaves `left` bytes free. */
const fillStorage = (owner: Owner, left: number) =>
  Effect.gen(function* () {
    const { account } = yield* as(owner)
    const accounts = yield* AccountStore
    const attachments = yield* AttachmentStore
    const { run } = yield* Transactions
    const storageUsedBytes = plans[account.plan].storageBytes - left
    const id = AttachmentId.make(randomUUID())
    const filler: AttachmentRecord = {
      id,
      accountId: account.id,
      mailboxId: null,
      messageId: null,
      draftId: null,
      filename: "filler",
      contentType: "application/octet-stream",
      sizeBytes: storageUsedBytes - account.storageUsedBytes,
      contentId: null,
      blobKey: `uploads/${id}`,
      createdAt: yield* Clock.currentTimeMillis,
    }
    yield* run(Effect.zipRight(attachments.insert([filler]), accounts.save({ ...account, storageUsedBytes })))
  })

/** A mail from before the scene, with a file, to import into its first conversation. */
const oldMail = (id: string) =>
  arrivingMail({
    id,
    inReplyTo: FIRST,
    headers: ["Date: Fri, 5 Jan 2018 10:00:00 +0100"],
    files: [file("old.txt")],
  })

const sendWithKey = ({ owner }: Scene) =>
  Effect.gen(function* () {
    const { once } = yield* Idempotency
    const answer = (status: number) => ({ status, headers: {}, body: "" })
    const sending = Effect.match(send(owner, { inReplyTo: FIRST }), {
      onSuccess: () => ({ answer: answer(201), final: true }),
      onFailure: () => ({ answer: answer(400), final: false }),
    })
    const request = { key: "the key", route: "POST /messages", body: {} }
    return yield* once(yield* as(owner), request, sending, () => Effect.succeed(answer(201)))
  })

const aDraft = ({ owner }: Scene) =>
  draft(owner, { attachments: [inline("draft.txt", Buffer.from("draft"))] })

/** Does something with the newest draft, if it is still there. */
const onDraft = <A, E, R>(owner: Owner, use: (newest: DraftRecord) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(draftsOf(owner), ([newest]) =>
    newest === undefined ? Effect.void : Effect.asVoid(use(newest)),
  )

const threadOf = (owner: Owner, messageId: MessageId) =>
  Effect.gen(function* () {
    const messages = yield* Messages
    const { threadId } = yield* messages.get(yield* as(owner), owner.mailboxId, messageId)
    return threadId
  })

const consumer = { name: "racer", from: "start" as const, filter: { mailboxes: null, kinds: null } }

/** Handles all events of the account that are due. */
const consume = (owner: Owner, fails: boolean) =>
  Effect.gen(function* () {
    const consumers = yield* Consumers
    yield* consumers.drain(yield* as(owner), consumer, () => (fails ? Effect.fail("no") : Effect.void))
  })

export const useCases: ReadonlyArray<UseCase> = [
  { name: "send", run: ({ owner }) => send(owner, { inReplyTo: FIRST }) },
  {
    name: "send with an uploaded file",
    run: ({ owner, uploadId }) => send(owner, { attachments: [uploadId] }),
  },
  {
    name: "the last send of the day",
    prepare: ({ owner }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        changeMailbox(owner, { sentDay: { window: dayOf(now), count: plans.Developer.sendsPerDay - 1 } }),
      ),
    run: ({ owner }) => send(owner),
  },
  {
    name: "read the text of an uploaded file",
    run: ({ owner, uploadId }) =>
      Effect.gen(function* () {
        const texts = yield* AttachmentTexts
        yield* texts.read(yield* as(owner), uploadId, { offset: 0, maxChars: 10 })
      }),
  },
  { name: "send with a key", run: sendWithKey },
  {
    name: "submit a mail by SMTP",
    run: ({ owner }, racer) =>
      submit(
        owner,
        aMail(owner, [`Message-ID: <${racer}@client.example>`, 'Content-Type: text/csv; name="a.csv"']),
      ),
  },
  { name: "reply", run: ({ owner, messageId }) => reply(owner, messageId) },
  {
    name: "deliver an answer",
    run: (scene, racer) =>
      Effect.zipRight(
        mailTo(scene, { id: `<${racer}@elsewhere.org>`, inReplyTo: FIRST, files: [file("answer.txt")] }),
        deliver,
      ),
  },
  {
    name: "import an old answer",
    run: ({ owner }, racer) => imported(owner, oldMail(`<old-${racer}@elsewhere.org>`)),
  },
  {
    name: "import a mail twice",
    run: ({ owner }) => imported(owner, oldMail("<old@elsewhere.org>")),
  },
  {
    name: "deliver a mail that comes twice",
    run: (scene) =>
      Effect.zipRight(mailTo(scene, { id: "<twice@elsewhere.org>", inReplyTo: FIRST }), deliver),
  },
  {
    name: "deliver a mail that joins two threads",
    run: (scene, racer) =>
      Effect.zipRight(
        mailTo(scene, { id: `<join-${racer}@elsewhere.org>`, references: [FIRST, SECOND] }),
        deliver,
      ),
  },
  {
    name: "deliver a bounce",
    run: ({ returnPath }) => Effect.zipRight(accepted(returnPath, deliveryReport(), ""), deliver),
  },
  {
    name: "deliver the bounce that stops the mailbox",
    prepare: ({ owner }) => nearlyStopped(owner),
    run: ({ returnPath }) => Effect.zipRight(accepted(returnPath, deliveryReport({}), ""), deliver),
  },
  {
    name: "resume a mailbox whose sending is stopped",
    prepare: ({ owner }) => changeMailbox(owner, { sendingStoppedAt: NOON, sendingStopReason: "COMPLAINTS" }),
    run: ({ owner }) =>
      Effect.gen(function* () {
        const mailboxes = yield* Mailboxes
        yield* mailboxes.resumeSending(yield* as(owner), owner.mailboxId)
      }),
  },
  {
    name: "label a message and mark it read",
    run: ({ owner, messageId }, racer) =>
      Effect.gen(function* () {
        const changes = yield* MessageChanges
        yield* changes.update(yield* as(owner), owner.mailboxId, messageId, { labels: [racer], read: true })
      }),
  },
  {
    name: "label a thread",
    run: ({ owner, messageId }, racer) =>
      Effect.gen(function* () {
        const principal = yield* as(owner)
        const changes = yield* MessageChanges
        const threadId = yield* threadOf(owner, messageId)
        yield* changes.updateThread(principal, owner.mailboxId, threadId, { addLabels: [racer] })
      }),
  },
  {
    name: "take a thread over",
    run: ({ owner, messageId }) =>
      Effect.flatMap(threadOf(owner, messageId), (threadId) => takeOver(owner, threadId)),
  },
  {
    name: "release a thread",
    prepare: ({ owner, messageId }) =>
      Effect.flatMap(threadOf(owner, messageId), (threadId) => takeOver(owner, threadId)),
    run: ({ owner, messageId }) =>
      Effect.flatMap(threadOf(owner, messageId), (threadId) => release(owner, threadId)),
  },
  {
    name: "delete a message",
    run: ({ owner, messageId }) =>
      Effect.gen(function* () {
        const changes = yield* MessageChanges
        yield* changes.remove(yield* as(owner), owner.mailboxId, messageId)
        yield* work
      }),
  },
  {
    name: "claim a message and complete it",
    run: ({ owner }) =>
      Effect.gen(function* () {
        const claimed = yield* claimMessage(owner)
        if (claimed !== null) yield* end(owner, claimed)
      }),
  },
  {
    name: "claim a message and take it back",
    run: ({ owner }) =>
      Effect.gen(function* () {
        const claimed = yield* claimMessage(owner)
        if (claimed !== null) yield* takeBack(owner, claimed)
      }),
  },
  {
    name: "delete a mailbox",
    run: ({ owner }) =>
      Effect.gen(function* () {
        const mailboxes = yield* Mailboxes
        yield* mailboxes.remove(yield* as(owner), owner.mailboxId)
        yield* work
      }),
  },
  {
    name: "create the last mailbox",
    prepare: ({ owner }) => Effect.zipRight(changeAccount(owner, { plan: "Free" }), addMailboxes(owner, 1)),
    run: ({ owner }, racer) =>
      Effect.gen(function* () {
        const mailboxes = yield* Mailboxes
        const wanted = { localPart: `last-${racer}`, displayName: null, domainId: null }
        yield* mailboxes.create(yield* as(owner), wanted)
      }),
  },
  {
    name: "delete an account",
    run: ({ owner }) =>
      Effect.gen(function* () {
        const removal = yield* AccountRemoval
        yield* removal.remove(yield* as(owner))
        yield* work
      }),
  },
  {
    name: "verify an email",
    prepare: ({ owner }) => changeAccount(owner, { emailVerifiedAt: null }),
    run: ({ verification }) => verifyEmail(verification),
  },
  {
    name: "ask for a new password",
    run: ({ owner, slug }) =>
      Effect.gen(function* () {
        const passwords = yield* PasswordReset
        yield* passwords.request(owner.email, `client of ${slug}`)
        yield* work
      }),
  },
  {
    name: "sign in",
    run: ({ owner, slug }) =>
      Effect.gen(function* () {
        const authentication = yield* Authentication
        yield* authentication.signIn(owner.email, aSignup(slug).password, `client of ${slug}`)
      }),
  },
  {
    name: "create an API key",
    run: ({ owner }, racer) =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* keys.create(yield* as(owner), { name: racer, mailboxIds: null })
      }),
  },
  {
    name: "begin a checkout",
    prepare: ({ owner }) => lapses(owner),
    run: ({ owner }) =>
      Effect.gen(function* () {
        const billing = yield* Billing
        yield* billing.upgrade(yield* as(owner), { plan: "Growth", period: "monthly" })
      }),
  },
  { name: "claim a domain", run: ({ owner, slug }) => claim(owner, `${slug}.dev`) },
  { name: "create a webhook", run: ({ owner }) => subscribe(owner, { url: URL_TWO }) },
  { name: "sign up with a slug", run: ({ slug }) => signUp(`${slug}-new`) },
  {
    name: "buy a plan that unlocks messages",
    prepare: ({ owner }) =>
      Effect.gen(function* () {
        const window = monthOf(yield* Clock.currentTimeMillis)
        yield* changeAccount(owner, {
          receivedMonth: { window, count: plans.Developer.inboundPerMonth ?? 0 },
        })
        yield* received(owner.address, { id: "<gated@elsewhere.org>", inReplyTo: SECOND })
      }),
    run: ({ owner }) => Effect.zipRight(changePlan(owner, "Growth"), work),
  },
  {
    name: "suspend an account",
    run: ({ owner }) =>
      Effect.gen(function* () {
        const { account } = yield* as(owner)
        const administration = yield* Administration
        yield* administration.suspendAccount(account.id, "spam")
      }),
  },
  {
    name: "recover a send whose process is gone",
    prepare: ({ owner }) => Effect.zipRight(lostSend(owner, FIRST), TestClock.adjust("11 minutes")),
    run: () => work,
  },
  {
    name: "index mail for search",
    prepare: (scene) => Effect.zipRight(mailTo(scene, { id: "<index@elsewhere.org>" }), deliver),
    run: () => Effect.flatMap(SearchIndexer, ({ drain }) => drain),
  },
  {
    name: "read a file for search",
    prepare: (scene) =>
      Effect.zipRight(mailTo(scene, { id: "<file@elsewhere.org>", files: [file("new.txt")] }), deliver),
    run: () => Effect.flatMap(AttachmentReading, ({ drain }) => drain),
  },
  {
    name: "read the correspondents of earlier mail",
    prepare: ({ owner }) =>
      Effect.gen(function* () {
        const rows = yield* Rows
        yield* rows("DELETE FROM correspondents WHERE mailbox_id = $1", [owner.mailboxId])
        yield* rows(
          "INSERT INTO unread_correspondents (mailbox_id, created_at, message_id) VALUES ($1, 0, '')",
          [owner.mailboxId],
        )
        yield* Effect.flatMap(Retention, ({ scheduleCorrespondents }) => scheduleCorrespondents)
      }),
    run: () => work,
  },
  { name: "remove what is old", run: () => Effect.flatMap(Retention, ({ sweep }) => sweep) },
  {
    name: "suppress an address",
    run: ({ owner }) =>
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        yield* suppressions.add(yield* as(owner), RECIPIENT, null)
      }),
  },
  {
    name: "suppress an address for a mailbox",
    run: ({ owner }) =>
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        yield* suppressions.add(yield* as(owner), RECIPIENT, owner.mailboxId)
      }),
  },
  {
    name: "unsubscribe by a link",
    run: ({ owner: { mailboxId } }) =>
      Effect.gen(function* () {
        const { unsubscribe } = yield* Unsubscribes
        const target = { mailboxId, recipient: RECIPIENT }
        const signature = (yield* Vault).sign("unsubscribe", unsubscribeText(target))
        yield* unsubscribe(unsubscribeToken(target, signature))
      }),
  },
  {
    name: "send to the simulator",
    run: ({ owner }) =>
      Effect.zipRight(send(owner, { to: ["complained@simulator.mailroom.localhost"], bulk: true }), deliver),
  },
  {
    name: "put an address on a list",
    run: ({ owner }, racer) =>
      Effect.gen(function* () {
        const lists = yield* AddressLists
        const list = { mailboxId: owner.mailboxId, direction: "receive", kind: "block" } as const
        yield* lists.add(yield* as(owner), list, { entry: `@${racer}.dev`, reason: null })
      }),
  },
  {
    name: "quarantine a message",
    run: ({ owner, messageId }) =>
      Effect.gen(function* () {
        const quarantines = yield* Quarantines
        yield* quarantines.quarantine(yield* as(owner), owner.mailboxId, messageId)
      }),
  },
  {
    name: "upload a file that fills the storage",
    prepare: ({ owner }) => fillStorage(owner, ROOM),
    run: ({ owner }, racer) => upload(owner, `${FILLS}, upload of ${racer}`, Buffer.alloc(ROOM)),
  },
  {
    name: "send a file that fills the storage",
    prepare: ({ owner }) => fillStorage(owner, ROOM),
    run: ({ owner }, racer) =>
      send(owner, { attachments: [inline(`${FILLS}, send of ${racer}`, Buffer.alloc(ROOM))] }),
  },
  {
    name: "write a draft with an uploaded file",
    run: ({ owner, uploadId }) => draft(owner, { clientId: "raced", attachments: [uploadId] }),
  },
  {
    name: "change a draft",
    prepare: aDraft,
    run: ({ owner }, racer) =>
      onDraft(owner, ({ id }) =>
        changeDraft(owner, id, { subject: racer, attachments: [inline("new.txt", Buffer.from(racer))] }),
      ),
  },
  {
    name: "send a draft",
    prepare: aDraft,
    run: ({ owner }) => onDraft(owner, ({ id }) => sendDraft(owner, id)),
  },
  {
    name: "delete a draft",
    prepare: aDraft,
    run: ({ owner }) => onDraft(owner, ({ id }) => removeDraft(owner, id)),
  },
  {
    name: "approve a held send",
    prepare: ({ owner }) =>
      Effect.gen(function* () {
        yield* setPolicies(owner, { outboundPolicy: "review" })
        yield* trySend(owner, { attachments: [inline("held.txt", Buffer.from("held"))] })
      }),
    run: ({ owner }) => onDraft(owner, (held) => approve(owner, held)),
  },
  {
    name: "send what is due",
    prepare: ({ owner }) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const attachments = [inline("due.txt", Buffer.from("due"))]
        yield* trySend(owner, { sendAt: timestamp(now + 1), attachments })
        yield* TestClock.adjust(1)
      }),
    run: () => runDue,
  },
  {
    name: "pause sending, and resume it",
    run: ({ owner }) => Effect.zipRight(pause(owner), pause(owner, false)),
  },
  { name: "upload a file", run: ({ owner }, racer) => upload(owner, racer, Buffer.from(racer)) },
  {
    name: "remove an uploaded file",
    run: ({ owner, uploadId }) =>
      Effect.gen(function* () {
        const attachments = yield* Attachments
        yield* attachments.remove(yield* as(owner), uploadId)
      }),
  },
  {
    name: "change a webhook",
    run: ({ owner, webhook }, racer) =>
      change(owner, webhook, { status: racer === "one" ? "PAUSED" : "ACTIVE" }),
  },
  {
    name: "remove a webhook",
    run: ({ owner, webhook }) => Effect.zipRight(removeWebhook(owner, webhook), work),
  },
  { name: "handle events as a consumer", run: ({ owner }) => consume(owner, false) },
  {
    name: "handle events again that a consumer could not handle",
    prepare: ({ owner }) => Effect.zipRight(consume(owner, true), TestClock.adjust("2 seconds")),
    run: ({ owner }) => consume(owner, false),
  },
  {
    name: "post to a webhook",
    prepare: (scene) => Effect.zipRight(mailTo(scene, { id: "<told@elsewhere.org>" }), deliver),
    run: () => Effect.flatMap(WebhookWorker, ({ drain }) => drain),
  },
]
