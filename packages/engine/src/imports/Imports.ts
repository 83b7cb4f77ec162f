/** Import of old mail into a mailbox (docs/specification/messages.md, docs/decisions/0076). */
import {
  type AccountRecord,
  AttachmentId,
  type AttachmentRecord,
  blobsAmong,
  type ClaimRecord,
  type Direction,
  importedContent,
  importedDirection,
  importedTime,
  IMPORTS_AT_ONCE_BYTES,
  INLINE_MAX_BYTES,
  type Instant,
  keepAttachments,
  keyInMail,
  linksOf,
  domainOf,
  type MailboxId,
  type MailboxRecord,
  MESSAGE_MAX_BYTES,
  MessageId,
  normalizeAddress,
  NotFound,
  type Overloaded,
  type OverInboundLimit,
  type ParsedMail,
  participantsOf,
  type Principal,
  type RateLimited,
  RawMailId,
  SizeExceeded,
  type StorageFull,
  takeStorage,
  ThreadId,
  trustContentOf,
  trustOf,
  viewAttachment,
  viewClaim,
  totalBytes,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { lockAccount } from "../accounts/lockAccount.js"
import { BlobDrafts } from "../blobs/BlobDrafts.js"
import { Ids } from "../ids/Ids.js"
import { notEvaluated } from "../inbound/authentication.js"
import { readRaw, sizeOf } from "../inbound/rawContent.js"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { makeMemoryBudget } from "../memoryBudget.js"
import { Messages } from "../messages/Messages.js"
import { Blobs } from "../ports/Blobs.js"
import { Vault } from "../ports/Crypto.js"
import { MailSpool, type RawContent } from "../ports/MailSpool.js"
import { CallerParser } from "../parsing/CallerParser.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { AttachmentStore } from "../ports/stores/AttachmentStore.js"
import { ClaimStore } from "../ports/stores/ClaimStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { type DedupProbe, type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { ThreadIndex } from "../threads/ThreadIndex.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { makeImportShares } from "./importShares.js"

/** Bytes of one part of the memory for imported mails. */
const PART_BYTES = 256 * 1024
/** Hex digits of a digest in a Message-ID that the service makes for a mail without one. */
const DIGEST_LENGTH = 32

export interface ImportRequest {
  /** raw bytes of the mail, as they are stored */
  readonly content: Stream.Stream<Uint8Array>
  readonly sizeBytes: number
  /** null: as From says (`importedDirection`) */
  readonly direction: Direction | null
  /** when it was received or sent; null: as its header says (`importedTime`) */
  readonly receivedAt: Instant | null
  readonly labels: ReadonlyArray<string>
  /** whether to mark it as read */
  readonly read: boolean
}

export interface ImportResult {
  readonly message: MessageRecord
  /** false when the mailbox had the mail already; the message has not changed then */
  readonly isNew: boolean
}

/** A mail that was read, with what identifies it in its mailbox. */
interface ReadImport {
  readonly raw: Uint8Array
  readonly parsed: ParsedMail
  readonly probe: DedupProbe
}

/** What one import has written to the blob store. */
interface StoredBytes {
  readonly content: RawContent
  readonly files: ReadonlyArray<AttachmentRecord>
}

export class Imports extends Context.Tag("@mailroom/Imports")<
  Imports,
  {
    /**
     * Stores a mail as a message, at the time when it was received or sent. Emits no event, counts in no quota but the storage,
     * and makes no correspondent. The message counts as worked on, so no worker claims it. A mail that the mailbox has already
     * is not stored again, so an import that was interrupted can be repeated. `SizeExceeded` above 40 MB.
     */
    readonly add: (
      principal: Principal,
      mailboxId: MailboxId,
      request: ImportRequest,
    ) => Effect.Effect<
      ImportResult,
      NotFound | Overloaded | OverInboundLimit | RateLimited | SizeExceeded | StorageFull
    >
  }
>() {
  static readonly layer = Layer.effect(
    Imports,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const attachments = yield* AttachmentStore
      const blobs = yield* Blobs
      const claims = yield* ClaimStore
      const blobDrafts = yield* BlobDrafts
      const ids = yield* Ids
      const mailboxes = yield* Mailboxes
      const mailboxStore = yield* MailboxStore
      const messages = yield* Messages
      const messageStore = yield* MessageStore
      const parser = yield* CallerParser
      const rawMails = yield* RawMailStore
      const spool = yield* MailSpool
      const threads = yield* ThreadIndex
      const vault = yield* Vault
      const { commit } = yield* UnitOfWork
      const { platformDomain } = yield* Settings
      const takeShare = makeImportShares()
      const duringBudget = makeMemoryBudget(IMPORTS_AT_ONCE_BYTES, PART_BYTES)

      /** The raw bytes, in memory when they are few, else as a draft in the blob store. */
      const stage = ({ content, sizeBytes }: ImportRequest): Effect.Effect<RawContent> =>
        sizeBytes > INLINE_MAX_BYTES
          ? spool.stage(content)
          : Effect.map(Stream.runCollect(content), (chunks) => ({
              kind: "inline" as const,
              bytes: Buffer.concat([...chunks]),
            }))

      const read = Effect.fnUntraced(function* (
        { id: mailboxId, accountId }: MailboxRecord,
        content: RawContent,
      ) {
        const raw = yield* readRaw(blobs, content)
        const parsed = yield* parser.parse(accountId, raw)
        const dedupKey = parsed.fingerprint ?? vault.digest(raw)
        const rfcId = parsed.messageId ?? `<${dedupKey.slice(0, DIGEST_LENGTH)}@${platformDomain}>`
        return { raw, parsed, probe: { mailboxId, rfcId, dedupKey } } satisfies ReadImport
      })

      /** The message that the mailbox sent with this Message-ID, if its mail has the same bytes. */
      const sentCopy = Effect.fnUntraced(function* ({ probe, raw }: ReadImport) {
        const found = Option.getOrNull(yield* messageStore.byRfcId(probe.mailboxId, probe.rfcId))
        if (found === null || found.rawId === null || found.content.direction !== "OUTBOUND")
          return Option.none()
        const stored = Option.getOrNull(yield* rawMails.byId(found.rawId))
        if (stored === null || sizeOf(stored.content) !== raw.length) return Option.none()
        const bytes = yield* readRaw(blobs, stored.content)
        return Buffer.compare(bytes, raw) === 0 ? Option.some(found) : Option.none()
      })

      const existing = (mail: ReadImport) =>
        Effect.flatMap(messageStore.copyOf(mail.probe), (copy) =>
          Option.isSome(copy) ? Effect.succeed(copy) : sentCopy(mail),
        )

      /** Stores the attachments in blobs of their own, unless they are read from the raw mail. */
      const storeFiles = Effect.fnUntraced(function* (
        { parsed }: ReadImport,
        message: Pick<AttachmentRecord, "accountId" | "mailboxId" | "messageId" | "createdAt">,
        rawId: RawMailId,
      ) {
        const { kept, dropped } = keepAttachments(parsed.attachments)
        const files = yield* Effect.forEach(kept, ({ content, ...file }) =>
          Effect.gen(function* () {
            const id = AttachmentId.make(yield* ids.uuid)
            const isOwn = content instanceof Uint8Array
            const blobKey = isOwn ? `attachments/${id}/0` : keyInMail({ rawId, lines: content })
            if (isOwn) yield* blobDrafts.put(blobKey, Stream.make(content))
            return { ...file, ...message, id, draftId: null, blobKey } satisfies AttachmentRecord
          }),
        )
        return { files, dropped }
      })

      /** The trust of a sender that nothing proves: suspicious or unverified. */
      const unprovenTrust = (account: AccountRecord, mailbox: MailboxRecord, mail: ParsedMail) =>
        trustOf(
          notEvaluated,
          {
            owner: account.emailVerifiedAt === null ? null : normalizeAddress(account.email),
            knownDomains: [platformDomain, domainOf(mailbox.fullAddress)],
            isWrittenTo: false,
            isAllowListed: false,
          },
          trustContentOf(mail, ""),
        )

      /** In the transaction of an import: writes the message with its thread, and counts its storage. */
      const insert = Effect.fnUntraced(function* (
        account: AccountRecord,
        message: MessageRecord,
        mailbox: MailboxRecord,
        { parsed }: ReadImport,
        { content, files }: StoredBytes,
        now: Instant,
      ) {
        const sizeBytes = totalBytes(files)
        yield* accounts.save(yield* takeStorage(account, sizeBytes))
        const threadable = {
          accountId: account.id,
          mailboxId: mailbox.id,
          ownAddress: mailbox.fullAddress,
          links: linksOf(parsed),
          rfcId: message.content.messageId,
          subject: message.content.subject,
          participants: participantsOf(message.content),
          createdAt: message.createdAt,
          visible: true,
        }
        const placing = yield* threads.open([threadable])
        placing.place(threadable, message.threadId)
        yield* placing.save
        const placed: MessageRecord = { ...message, threadId: placing.threadOf(threadable) }
        if (message.rawId !== null) yield* rawMails.insert([{ id: message.rawId, content, createdAt: now }])
        yield* messageStore.insert([placed])
        yield* attachments.insert(files)
        yield* blobDrafts.end(blobKeysOf({ content, files }))
        if (placed.content.direction === "OUTBOUND") return placed
        // An agent that works off its mailbox must not get mail of years ago.
        const claim: ClaimRecord = {
          state: "COMPLETED",
          tokenHash: "",
          expiresAt: now,
          leaseSeconds: 0,
          claimedBy: null,
        }
        const { id, direction } = placed.content
        yield* claims.save(
          { id, mailboxId: mailbox.id, direction, createdAt: placed.createdAt, claim: null },
          claim,
        )
        return { ...placed, claim: viewClaim(claim, now) }
      })

      const store = Effect.fnUntraced(function* (
        { account }: Principal,
        mailbox: MailboxRecord,
        request: ImportRequest,
        content: RawContent,
        mail: ReadImport,
      ) {
        const now = yield* Clock.currentTimeMillis
        const [messageId, threadId, rawUuid] = [yield* ids.uuid, yield* ids.uuid, yield* ids.uuid]
        const { parsed, probe } = mail
        const id = MessageId.make(messageId)
        const rawId = RawMailId.make(rawUuid)
        const at = Math.min(request.receivedAt ?? importedTime(parsed.headers, now), now)
        const direction = request.direction ?? importedDirection(parsed, mailbox.fullAddress)
        const place = { accountId: account.id, mailboxId: mailbox.id, messageId: id, createdAt: now }
        const { files, dropped } = yield* storeFiles(mail, place, rawId)
        const record = (owner: AccountRecord): MessageRecord => ({
          accountId: account.id,
          content: importedContent({
            id,
            mailboxId: mailbox.id,
            mailbox: mailbox.fullAddress,
            direction,
            at,
            parsed,
            fallbackMessageId: probe.rfcId,
            attachments: files.map(viewAttachment),
            dropped,
            trust: unprovenTrust(owner, mailbox, parsed),
          }),
          headers: parsed.headers,
          threadId: ThreadId.make(threadId),
          status: direction === "INBOUND" ? "RECEIVED" : "SENT",
          gate: null,
          labels: [...new Set(request.labels)],
          readAt: request.read ? now : null,
          sentAt: direction === "INBOUND" ? null : at,
          createdAt: at,
          dedupKey: probe.dedupKey,
          rawId,
          automaticTurn: false,
          claim: null,
          quarantine: null,
        })
        return yield* commit(
          Effect.gen(function* () {
            const locked = yield* lockAccount(accounts, account.id)
            const [current] = yield* mailboxStore.lock([mailbox.id])
            if (current === undefined) return yield* new NotFound({ resource: "mailbox" })
            // Another import of the same mail may have been faster.
            const copy = yield* messageStore.copyOf(probe)
            if (Option.isSome(copy)) return { message: copy.value, isNew: false }
            const bytes = { content, files }
            const message = yield* insert(locked, record(locked), current, mail, bytes, now)
            return { message, isNew: true }
          }),
        ).pipe(
          // A typed failure rolled back. After a defect the commit may have succeeded, so the rows need the blobs.
          Effect.tapError(() => blobDrafts.discard(blobKeysOf({ content, files }))),
          Effect.tap(({ isNew }) =>
            isNew ? Effect.void : blobDrafts.discard(blobKeysOf({ content, files })),
          ),
        )
      })

      /** A copy that is hidden by a limit is refused, like every read of it. */
      const found = (principal: Principal, { content: { mailboxId, id } }: MessageRecord) =>
        Effect.map(messages.get(principal, mailboxId, id, true), (message) => ({ message, isNew: false }))

      const importStaged = Effect.fnUntraced(function* (
        principal: Principal,
        mailbox: MailboxRecord,
        request: ImportRequest,
        content: RawContent,
      ) {
        const mail = yield* read(mailbox, content)
        const copy = yield* existing(mail)
        if (Option.isSome(copy)) {
          yield* spool.discard(content)
          return yield* found(principal, copy.value)
        }
        const result = yield* store(principal, mailbox, request, content, mail)
        return result.isNew ? result : yield* found(principal, result.message)
      })

      return {
        add: Effect.fn("Imports.add")(function* (principal, mailboxId, request) {
          const mailbox = yield* mailboxes.require(principal, mailboxId)
          const { sizeBytes } = request
          if (sizeBytes > MESSAGE_MAX_BYTES)
            return yield* new SizeExceeded({ what: "the mail", limitBytes: MESSAGE_MAX_BYTES })
          yield* takeShare(principal.account.id, sizeBytes)
          const content = yield* stage(request)
          const imported = importStaged(principal, mailbox, request, content)
          return yield* duringBudget(principal.account.id, sizeBytes, imported).pipe(
            // Nothing was written yet, and the client comes again with the same bytes.
            Effect.tapErrorTag("Overloaded", () => spool.discard(content)),
          )
        }),
      }
    }),
  )
}

const blobKeysOf = ({ content, files }: StoredBytes): ReadonlyArray<string> => [
  ...(content.kind === "blob" ? [content.key] : []),
  ...blobsAmong(files.map(({ blobKey }) => blobKey)),
]
