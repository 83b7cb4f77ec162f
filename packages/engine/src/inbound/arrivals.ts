/** The arrival of mails at mailboxes: which mail becomes a message, of which content, and how it is counted. Pure. */
import {
  type AccountId,
  type AccountRecord,
  addTo,
  AttachmentId,
  type AttachmentRecord,
  authorAddress,
  type BillingMode,
  countReceived,
  domainOf,
  inboundContent,
  type InboundGate,
  inboundGate,
  inboundQuota,
  type InboundQuota,
  type Instant,
  type JudgedSender,
  linksOf,
  MADE_HERE,
  mailboxAddress,
  type MailboxRecord,
  type MessageContent,
  MessageId,
  monthOf,
  normalizeAddress,
  participantsOf,
  quarantineReasons,
  type QuarantineRecord,
  type SenderResults,
  type Spam,
  stateBehindSuspension,
  ThreadId,
  trustContentOf,
  trustOf,
  type TrustRelations,
  viewAttachment,
  totalBytes,
} from "@mailroom/domain"
import { Array } from "effect"
import type { Author, AuthorHistories, AuthorHistory } from "../correspondents/Correspondents.js"
import type { Envelope } from "../ports/MailSpool.js"
import type { DedupProbe } from "../ports/stores/MessageStore.js"
import type { Threadable } from "../threads/ThreadIndex.js"
import type { ReadMail } from "./MailReader.js"
import type { ArrivingSender, Judge } from "./SenderJudgement.js"

/** What was found out about a mail. */
export interface Verdicts {
  readonly authentication: SenderResults
  /** null without a spam filter, or without its answer */
  readonly spam: Spam | null
}

/** A mail with its verdicts, or a part of it for some of its recipients. */
export interface DeliverableMail extends Omit<ReadMail, keyof Verdicts>, Verdicts {
  /** what stays in the queue for later transactions; null: this is all of it, or the last part */
  readonly rest: {
    /** the envelope of the queue entry before this part */
    readonly before: Envelope
    readonly to: ReadonlyArray<string>
  } | null
}

/** A mail for one of its mailboxes. */
export interface AddressedMail {
  readonly mail: DeliverableMail
  readonly mailbox: MailboxRecord
}

/** One mail for one mailbox, which becomes a message. */
export interface Arriving extends AddressedMail {
  readonly content: MessageContent
  readonly files: ReadonlyArray<AttachmentRecord>
  readonly dedupKey: string | null
  readonly gate: InboundGate | null
  /** why it is hidden until the owner releases it; null: it is not */
  readonly quarantine: QuarantineRecord | null
  /** the id of its thread if it begins one */
  readonly freshThread: ThreadId
  readonly threadable: Threadable
  /** the inbound quota of the account after this mail */
  readonly quota: InboundQuota
}

/** Each mail for each of its mailboxes once, without deleted ones. `mailboxes`: by full address. */
export const addressedMails = (
  mails: ReadonlyArray<DeliverableMail>,
  mailboxes: ReadonlyMap<string, MailboxRecord>,
): ReadonlyArray<AddressedMail> =>
  mails.flatMap((mail) =>
    [...new Set(mail.queued.envelope.to.map(mailboxAddress))].flatMap((address) => {
      const mailbox = mailboxes.get(address)
      return mailbox === undefined ? [] : [{ mail, mailbox }]
    }),
  )

const authorIn = ({ parsed, queued }: DeliverableMail): string => authorAddress(parsed, queued.envelope.from)

/** The author of a mail for a mailbox. */
export const authorOf = ({ mail, mailbox }: AddressedMail): Author => ({
  mailboxId: mailbox.id,
  from: authorIn(mail),
})

/** The sender of a mail for a mailbox. */
export const senderOf = ({ mail, mailbox }: AddressedMail): ArrivingSender => ({
  mailbox,
  envelopeFrom: mail.queued.envelope.from,
  from: authorIn(mail),
  authentication: mail.authentication,
})

/** The key that finds a duplicate of a mail in a mailbox; null without a Message-ID, where equal mails are two messages. */
export const probeOf = ({ mail: { parsed }, mailbox }: AddressedMail): DedupProbe | null =>
  parsed.messageId === null || parsed.fingerprint === null
    ? null
    : { mailboxId: mailbox.id, rfcId: parsed.messageId, dedupKey: parsed.fingerprint }

/** The fingerprint covers the Message-ID. */
export const copyKey = ({ mailboxId, dedupKey }: DedupProbe): string => `${mailboxId} ${dedupKey}`

/** The first envelope recipient that a mailbox gets the mail for. */
const recipientFor = ({ fullAddress }: MailboxRecord, to: ReadonlyArray<string>): string =>
  to.find((address) => mailboxAddress(address) === fullAddress) ?? fullAddress

/** What a mailbox has to do with the author of a mail. */
const relationsOf = (
  account: AccountRecord,
  { fullAddress }: MailboxRecord,
  platformDomain: string,
  { verdict }: JudgedSender,
  { correspondent, similarDomains }: AuthorHistory,
): TrustRelations => ({
  owner: account.emailVerifiedAt === null ? null : normalizeAddress(account.email),
  knownDomains: [platformDomain, domainOf(fullAddress), ...similarDomains],
  isWrittenTo: (correspondent?.writtenAt ?? null) !== null,
  isAllowListed: verdict === "allow",
})

const filesOf = (
  { mail, mailbox }: AddressedMail,
  messageId: MessageId,
  fileIds: ReadonlyArray<string>,
  now: Instant,
): ReadonlyArray<AttachmentRecord> =>
  Array.zipWith(mail.files, fileIds, ({ filename, contentType, contentId, sizeBytes, blobKey }, id) => ({
    id: AttachmentId.make(id, MADE_HERE),
    accountId: mailbox.accountId,
    mailboxId: mailbox.id,
    messageId,
    draftId: null,
    filename,
    contentType,
    sizeBytes,
    contentId,
    blobKey,
    createdAt: now,
  }))

const contentOf = (
  { mail: { queued, parsed, dropped, authentication, spam }, mailbox }: AddressedMail,
  id: MessageId,
  platformDomain: string,
  relations: TrustRelations,
  files: ReadonlyArray<AttachmentRecord>,
  now: Instant,
): MessageContent =>
  inboundContent({
    id,
    mailboxId: mailbox.id,
    parsed,
    envelopeFrom: queued.envelope.from,
    deliveredTo: recipientFor(mailbox, queued.envelope.to),
    fallbackMessageId: `<${id}@${platformDomain}>`,
    receivedAt: queued.envelope.receivedAt,
    createdAt: now,
    attachments: files.map(viewAttachment),
    dropped,
    authentication,
    trust: trustOf(authentication, relations, trustContentOf(parsed, queued.envelope.from)),
    spam,
  })

const countInMailbox = (mailbox: MailboxRecord, gate: InboundGate | null, now: Instant): MailboxRecord => ({
  ...mailbox,
  receivedMonth: addTo(mailbox.receivedMonth, monthOf(now), 1),
  overLimitCount: gate === null ? mailbox.overLimitCount : mailbox.overLimitCount + 1,
})

/** What arrivals depend on. */
export interface Circumstances {
  readonly now: Instant
  readonly billing: BillingMode
  readonly platformDomain: string
  /** the copies of these mails that are messages already, as `copyKey`s */
  readonly copies: ReadonlySet<string>
  readonly histories: AuthorHistories
  readonly judge: Judge
  /** as many new ids as `idsNeeded` says */
  readonly ids: ReadonlyArray<string>
}

/** An id for the message, one for its thread, and one for each file. */
const idsOf = ({ mail }: AddressedMail): number => 2 + mail.files.length

export const idsNeeded = (addressed: ReadonlyArray<AddressedMail>): number =>
  addressed.reduce((sum, one) => sum + idsOf(one), 0)

interface Arrivals {
  readonly arriving: ReadonlyArray<Arriving>
  /** the accounts, counted */
  readonly accounts: ReadonlyMap<AccountId, AccountRecord>
  /** the mailboxes at which something arrived, counted */
  readonly received: ReadonlyMap<MailboxRecord["id"], MailboxRecord>
}

/** Makes each mail arrive at its mailbox, in the order given, and counts it there. Leaves out copies of messages and of each other. */
export const arrivalsOf = (
  addressed: ReadonlyArray<AddressedMail>,
  locked: ReadonlyMap<AccountId, AccountRecord>,
  { now, billing, platformDomain, histories, judge, ids, ...found }: Circumstances,
): Arrivals => {
  const accounts = new Map(locked)
  const copies = new Set(found.copies)
  const received = new Map<MailboxRecord["id"], MailboxRecord>()
  const arriving: Array<Arriving> = []
  let taken = 0
  for (const one of addressed) {
    const { mail, mailbox } = one
    const [messageId, threadId, ...fileIds] = ids.slice(taken, taken + idsOf(one))
    taken += idsOf(one)
    const account = accounts.get(mailbox.accountId)
    if (account === undefined || messageId === undefined || threadId === undefined) continue
    const probe = probeOf(one)
    const copy = probe === null ? null : copyKey(probe)
    if (copy !== null && copies.has(copy)) continue
    if (copy !== null) copies.add(copy)

    const state = stateBehindSuspension(account, billing, now)
    const gate = inboundGate(account, state, now)
    const id = MessageId.make(messageId, MADE_HERE)
    const files = filesOf(one, id, fileIds, now)
    const sender = judge(senderOf(one), account)
    const relations = relationsOf(account, mailbox, platformDomain, sender, histories(authorOf(one)))
    const content = contentOf(one, id, platformDomain, relations, files, now)
    const reasons = quarantineReasons(mailbox.policies, sender, content.trust, content.spam)
    const quarantine = reasons.length === 0 ? null : { at: now, reasons }
    const storageUsedBytes = account.storageUsedBytes + totalBytes(files)
    const counted = { ...countReceived(account, state, gate, now), storageUsedBytes }
    accounts.set(account.id, counted)
    received.set(mailbox.id, countInMailbox(received.get(mailbox.id) ?? mailbox, gate, now))
    arriving.push({
      mail,
      mailbox,
      content,
      files,
      dedupKey: probe?.dedupKey ?? null,
      gate,
      quarantine,
      freshThread: ThreadId.make(threadId, MADE_HERE),
      quota: inboundQuota(counted, state, now),
      threadable: {
        accountId: account.id,
        mailboxId: mailbox.id,
        ownAddress: mailbox.fullAddress,
        links: linksOf(mail.parsed),
        rfcId: content.messageId,
        subject: content.subject,
        participants: participantsOf(content),
        createdAt: now,
        visible: gate === null && quarantine === null,
      },
    })
  }
  return { arriving, accounts, received }
}
