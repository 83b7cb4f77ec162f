/** Generated from the contract by `npm run client`; do not edit. */
import type { FileUpload } from "../files.js"

/** An account: its plan, limits and usage */
export interface Account {
  /** id of the account */
  readonly id: string
  /** the owner's address */
  readonly email: string
  /** whether the owner has verified that address */
  readonly emailVerified: boolean
  /** the owner's name; null for none */
  readonly name: string | null
  /** the subdomain of the account's addresses */
  readonly slug: string
  /** current plan */
  readonly plan: Plan
  /** billing period */
  readonly billingPeriod: BillingPeriod
  /** state of the account */
  readonly state: AccountState
  /** whether the operator suspended it */
  readonly suspended: boolean
  /** start of the suspension; null while not suspended */
  readonly suspendedAt: Timestamp | null
  /** reason of the suspension; null while not suspended */
  readonly suspendedReason: string | null
  /** whether the owner has paused all sends; scheduled ones wait meanwhile */
  readonly sendingPaused: boolean
  /** storage used by attachments and drafts, bytes */
  readonly storageUsedBytes: number
  /** storage that the plan includes, bytes */
  readonly storageLimitBytes: number
  /** number of mailboxes */
  readonly mailboxCount: number
  /** number of ACTIVE mailboxes */
  readonly activeMailboxCount: number
  /** mailboxes that the plan allows */
  readonly mailboxLimit: number
  /** sends since midnight UTC, over all mailboxes */
  readonly sentToday: number
  /** sends since the first of the month UTC, over all mailboxes */
  readonly sentThisMonth: number
  /** messages received since midnight UTC */
  readonly receivedToday: number
  /** bounced recipients since midnight UTC */
  readonly bouncedToday: number
  /** messages received in the current quota period */
  readonly monthlyInboundCount: number
  /** limit of that period; null means unlimited */
  readonly monthlyInboundLimit: number | null
  /** used percentage of the inbound limit, to one decimal */
  readonly monthlyInboundPercentage: number
  /** start of the next month */
  readonly monthlyInboundResetAt: Timestamp
  /** gated messages above the inbound limit */
  readonly overLimitMessageCount: number
  /** whether the account has a subscription */
  readonly billingLinked: boolean
  /** the trial; null before verification, on a paid plan, and where nothing is sold */
  readonly trial: Trial | null
  /** time of creation */
  readonly createdAt: Timestamp
}

/** A plan */
export type Plan = "Free" | "Developer" | "Growth" | "Scale"

/** How often a plan is paid for */
export type BillingPeriod = "monthly" | "annual"

/** State of an account: it can send in `trial` and, once the owner's address is verified, in `active` */
export type AccountState = "unverified" | "trial" | "payment_required" | "active" | "suspended"

/** ISO 8601 UTC with milliseconds */
export type Timestamp = string

/** The card-free trial */
export interface Trial {
  /** whether the trial is running */
  readonly active: boolean
  /** whether its three days have passed */
  readonly expired: boolean
  /** whether all its sends are used */
  readonly exhausted: boolean
  /** sends so far */
  readonly sendsUsed: number
  /** remaining sends */
  readonly sendsRemaining: number
  /** sends of the trial */
  readonly sendCap: number
  /** messages received so far */
  readonly receivesUsed: number
  /** remaining messages that will be visible */
  readonly receivesRemaining: number
  /** received messages of the trial that are visible */
  readonly receiveCap: number
  /** start: when the owner verified the address */
  readonly startedAt: Timestamp
  /** end of the trial */
  readonly expiresAt: Timestamp
}

/** No valid API key or session */
export interface Unauthorized {
  /** what went wrong, for people */
  readonly error: string
  /** what went wrong, for programs; stable */
  readonly code: "UNAUTHORIZED"
}

/** A mailbox: its address, settings and usage. A scoped key does not see its policies */
export interface Mailbox {
  /** id of the mailbox */
  readonly id: string
  /** custom domain of the address; null on the platform domain */
  readonly domainId: string | null
  /** the local part */
  readonly address: string
  /** the full address */
  readonly fullAddress: string
  /** display name in the From header of sent mail; null for none */
  readonly displayName: string | null
  /** ACTIVE, paused or suspended */
  readonly status: MailboxStatus
  /** whether it can receive; true seconds after creation */
  readonly mailServerProvisioned: boolean
  /** sends since midnight UTC */
  readonly dailySendCount: number
  /** sends that the plan allows in a day */
  readonly dailySendLimit: number
  /** sends since the first of the month, UTC */
  readonly monthlySendCount: number
  /** sends that the plan allows in a month; null means unlimited */
  readonly monthlySendLimit: number | null
  /** mails received since the first of the month, UTC */
  readonly receivedThisMonth: number
  /** whether it is paused because the plan has no room for it */
  readonly pausedByBilling: boolean
  /** reason of the suspension; null while it is not suspended */
  readonly suspendedReason: string | null
  /** why it must not send; null while it may. It still receives, and `POST …/resume-sending` ends it */
  readonly sendingStopped: SendingStopped | null
  /** which sends wait for a review: none, those to new recipients, or all */
  readonly outboundPolicy?: OutboundPolicy | undefined
  /** hours until a review that nobody decided rejects the send; 1 to 168 */
  readonly reviewTtlHours?: number | undefined
  /** who may write to it: everybody, or only senders on its allow lists and the owner */
  readonly receivePolicy?: ReceivePolicy | undefined
  /** what happens to mail that it does not take: quarantine it, or refuse it with 550 5.7.1 */
  readonly onBlocked?: OnBlocked | undefined
  /** which mail is quarantined: that of these trust levels, and spam */
  readonly quarantine?: ReadonlyArray<QuarantineTrigger> | undefined
  /** time of creation */
  readonly createdAt: Timestamp
  /** time of the last change of its settings */
  readonly updatedAt: Timestamp
}

/** Only an ACTIVE mailbox can send; a paused one still receives */
export type MailboxStatus = "ACTIVE" | "paused" | "suspended"

/** Why a mailbox must not send */
export interface SendingStopped {
  /** when it was stopped */
  readonly at: Timestamp
  /** why it was stopped */
  readonly reason: SendingStopReason
}

/** BOUNCES: too many hard bounces; COMPLAINTS: too many recipients reported the mail as spam */
export type SendingStopReason = "BOUNCES" | "COMPLAINTS"

/** Which sends wait for a review: none, those to new recipients, or all */
export type OutboundPolicy = "open" | "review_new" | "review"

/** Who may write to a mailbox: everybody, or only senders on its allow lists and the owner */
export type ReceivePolicy = "open" | "allowlisted"

/** What happens to mail that a mailbox does not take: quarantine it, or refuse it with 550 5.7.1 */
export type OnBlocked = "quarantine" | "refuse"

/** Mail of this trust level, or mail that the spam filter calls spam */
export type QuarantineTrigger = "suspicious" | "unverified" | "spam"

/** Entries of the audit trail */
export interface AuditPage {
  /** the entries of the page */
  readonly entries: ReadonlyArray<AuditEntry>
  /** metadata of the page */
  readonly metadata: {
    /** maximal length of the page */
    readonly limit: number
    /** whether there are more entries after this page */
    readonly hasMore: boolean
    /** `cursor` of the next page; absent on the last page */
    readonly nextCursor?: string | undefined
  }
}

/** An entry of the audit trail */
export interface AuditEntry {
  /** id of the entry */
  readonly id: string
  /**
   * what was done: key.created, key.revoked, session.created, session.failed, session.ended,
   * password.changed, account.created, account.suspended, account.resumed, account.deleted, plan.changed,
   * mailbox.created, policy.changed, mailbox.removed, mailbox.suspended, mailbox.resumed,
   * mailbox.sending_stopped, mailbox.sending_resumed, webhook.created, webhook.changed,
   * webhook.secret_rotated, webhook.removed, domain.added, domain.key_rotated, domain.removed,
   * suppression.added, suppression.removed, list.entry_added, list.entry_removed, message.quarantined,
   * message.released, claim.taken_back, thread.taken_over, thread.released, draft.approved, draft.rejected,
   * account.sending_paused, account.sending_resumed, platform.key_rotated, invitation.created,
   * invitation.revoked; more will follow
   */
  readonly action: string
  /** who did it */
  readonly actor: {
    /** who did it */
    readonly kind: AuditActorKind
    /** id of the key; absent for others */
    readonly id?: string | undefined
  }
  /** id or name of what was changed; null for the account itself */
  readonly target: string | null
  /** more about it, by action; without secrets */
  readonly detail: Readonly<Record<string, string | number | boolean | null | ReadonlyArray<string>>>
  /** time of the action */
  readonly createdAt: Timestamp
}

/**
 * An API key; the session of the owner; the program that embeds the engine; the operator; the service itself,
 * such as for a payment or a failed sign-in
 */
export type AuditActorKind = "key" | "session" | "embedded" | "admin" | "system"

export interface Complaint {
  readonly accountId: string
  readonly slug: string
  readonly mailboxId: string
  readonly messageId: string
  /** recipients who complained */
  readonly recipients: ReadonlyArray<string>
  readonly at: Timestamp
}

export interface StoppedMailbox {
  readonly accountId: string
  readonly slug: string
  readonly mailboxId: string
  /** full address of the mailbox */
  readonly address: string
  /** when its sending was stopped */
  readonly at: Timestamp
  readonly reason: SendingStopReason
}

export interface Stats {
  readonly countedTo: 100000
  readonly accounts: number
  readonly suspendedAccounts: number
  readonly mailboxes: number
  /** mailboxes whose sending is stopped */
  readonly stoppedMailboxes: number
  /** messages in and out since midnight UTC that still exist */
  readonly messagesToday: number
  /** accepted mails that are not delivered yet */
  readonly queuedMails: number
  /** webhook deliveries waiting for an attempt */
  readonly waitingDeliveries: number
  /** background jobs waiting */
  readonly waitingJobs: number
}

export interface Examination {
  /** how many counts were compared */
  readonly compared: number
  /** how many of them were wrong, and are corrected */
  readonly wrong: number
  /** the first 100 that were wrong */
  readonly findings: ReadonlyArray<Finding>
  /** false when the time was over before all were compared */
  readonly isComplete: boolean
}

export interface Finding {
  /** which count, such as thread-messages */
  readonly check: string
  readonly accountId: string
  /** id of the thread, attachment, mailbox, account or webhook */
  readonly id: string
  /** the value before; null for none */
  readonly stored: number | null
  /** the value now; null for none */
  readonly counted: number | null
}

export interface LoggedError {
  readonly at: Timestamp
  readonly level: "WARN" | "ERROR" | "FATAL"
  readonly message: string
  /** the fields of the line and the cause; empty for none */
  readonly detail: string
}

/** A DNS record to publish, and its state at the last check */
export interface DnsRecord {
  /** the type of the record */
  readonly type: "MX" | "TXT"
  /** full name of the record */
  readonly host: string
  /** value of the record */
  readonly value: string
  /** preference of an MX record */
  readonly priority?: number | undefined
  /** state at the last check */
  readonly state: DnsRecordState
}

/** State of a DNS record at the last check */
export type DnsRecordState = "MISSING" | "INVALID" | "VALID"

/** The envelope of message.received */
export interface MessageReceivedEvent {
  /** the kind of the event */
  readonly event: "message.received"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: MessageReceivedStub | MessageReceivedData
}

/** A message above the inbound limit, without its content */
export interface MessageReceivedStub {
  /**
   * always true: the message is above the inbound limit, and its content is hidden until the limit is lifted
   */
  readonly over_limit: true
  /** id of the message */
  readonly message_id: string
  /** the mailbox it is in */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** when the service accepted it */
  readonly received_at: Timestamp
  /** the usage, and how to lift the limit */
  readonly account: {
    /** messages received this month, and the limit of the plan */
    readonly inbound_usage: InboundUsage
    /** how to lift the limit */
    readonly upgrade: {
      /** the page where the owner upgrades */
      readonly browser_url: string
      /** the route that returns a checkout link */
      readonly api_endpoint: {
        /** HTTP method */
        readonly method: string
        /** path of the route */
        readonly path: string
      }
      /** what to do, on one line */
      readonly hint: string
    }
  }
}

/** Usage of the inbound quota, from 50 percent on */
export interface InboundUsage {
  /** messages received this month */
  readonly current: number
  /** messages that the plan includes in a month; null means unlimited */
  readonly limit: number | null
  /** used percentage of the limit, to one decimal */
  readonly percentage: number
  /** start of the next month */
  readonly reset_date: Timestamp
  /** from 50, 80 and 100 percent on */
  readonly status: "approaching" | "near" | "limit_reached"
}

/** A message that arrived */
export interface MessageReceivedData {
  /** id of the message */
  readonly message_id: string
  /** the mailbox it is in */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** RFC 5322 Message-ID, angle brackets included */
  readonly rfc_message_id: string
  /** true in a test event, whose message does not exist */
  readonly test?: true | undefined
  /** address of the From header */
  readonly from: string
  /** display name of the From header; null for none */
  readonly from_name: string | null
  /** addresses of the To header */
  readonly to: ReadonlyArray<string>
  /** addresses of the Cc header */
  readonly cc: ReadonlyArray<string>
  /** the subject; empty when there is none */
  readonly subject: string
  /** the text part; HTML without a text alternative counts with its text; null without a body */
  readonly body_text: string | null
  /** the HTML part; null when there is none */
  readonly body_html: string | null
  /** true when a body is cut; a read of the message returns the whole body */
  readonly body_truncated?: true | undefined
  /** the thread it belongs to */
  readonly thread_id: string
  /** Message-ID of the answered mail; null for none */
  readonly in_reply_to: string | null
  /** true for an auto-reply, a list mail or a report: do not reply to it */
  readonly automated: boolean
  /** whether the sender's domain is proven; absent in events from before version 0.2 */
  readonly authentication?: EventAuthentication | undefined
  /** where it comes from, and whether it hides something; absent in events of earlier versions */
  readonly trust?: Trust | undefined
  /** result of the operator's spam filter; absent without one */
  readonly spam?: Spam | undefined
  /** when the service accepted it */
  readonly received_at: Timestamp
  /** the files that were kept */
  readonly attachments: ReadonlyArray<EventAttachment>
  /** true when attachments were dropped */
  readonly attachments_dropped?: true | undefined
  /** why attachments were dropped: too large, too many, or both */
  readonly attachments_dropped_reason?: "size" | "count" | "both" | undefined
  /** usage of the account, from half of the inbound limit on */
  readonly account?: {
    /** messages received this month, and the limit of the plan */
    readonly inbound_usage: InboundUsage
  } | undefined
}

/** Results of SPF, DKIM, DMARC and ARC for the sender */
export interface EventAuthentication {
  /** SPF result for the envelope sender */
  readonly spf: string
  /** DKIM result of the best signature */
  readonly dkim: string
  /** DMARC result for the From header */
  readonly dmarc: string
  /** ARC result for the chain of forwarders */
  readonly arc?: string | undefined
  /** domain of `fromAddress` if an aligned SPF or DKIM result proves it; else null */
  readonly verified_domain: string | null
}

/** Where a received message comes from, and whether it hides something */
export interface Trust {
  /** how far the sender can be believed */
  readonly level: TrustLevel
  /** why the level is `suspicious` or `known`; empty for the others */
  readonly reasons: ReadonlyArray<TrustReason>
}

/**
 * `owner`: the account's owner, whose domain is proven. `known`: a proven sender that this mailbox wrote to
 * before, or that is on an allow list. `verified`: a proven sender. `unverified`: nothing proves the sender's
 * domain. `suspicious`: `reasons` says why
 */
export type TrustLevel = "owner" | "known" | "verified" | "unverified" | "suspicious"

/**
 * Of `known`: `written_to` (this mailbox wrote to the sender before), `allow_listed`. Of `suspicious`:
 * `dmarc_fail` (DMARC fails, and the domain's policy is quarantine or reject), `display_name_address` (the
 * display name shows another address), `lookalike_domain` (the domain looks like the owner's, a known or the
 * platform's domain), `hidden_text` (the HTML hides text from people), `invisible_characters`, `text_differs`
 * (the text part says something else than the HTML part), `foreign_reply_to` (an unproven sender with a
 * Reply-To at another domain)
 */
export type TrustReason = "written_to" | "allow_listed" | "dmarc_fail" | "display_name_address" | "lookalike_domain" | "hidden_text" | "invisible_characters" | "text_differs" | "foreign_reply_to"

/** The result of the operator's spam filter */
export interface Spam {
  /** sum of the scores of all symbols; the higher, the more like spam */
  readonly score: number
  /**
   * what the filter proposes: `no action`, `greylist`, `add header`, `rewrite subject`, `soft reject` or
   * `reject`
   */
  readonly action: string
  /** names of the filter's rules that matched, those that weigh most first, at most 50 */
  readonly symbols: ReadonlyArray<string>
}

/** A file of a message, with a link to its bytes */
export interface EventAttachment {
  /** id of the attachment */
  readonly id: string
  /** name of the file */
  readonly filename: string
  /** MIME type of the file */
  readonly content_type: string
  /** size of the file, bytes */
  readonly size_bytes: number
  /** Content-ID of an inline image, without angle brackets; null for other files */
  readonly content_id: string | null
  /** presigned link for GET, valid for 24 hours from this delivery of the event */
  readonly download_url?: string | undefined
}

/** The envelope of message.sent */
export interface MessageSentEvent {
  /** the kind of the event */
  readonly event: "message.sent"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: MessageSentData
}

/** A message that was sent */
export interface MessageSentData {
  /** id of the message */
  readonly message_id: string
  /** the mailbox it is in */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** RFC 5322 Message-ID, angle brackets included */
  readonly rfc_message_id: string
  /** true in a test event, whose message does not exist */
  readonly test?: true | undefined
  /** address of the From header */
  readonly from: string
  /** display name of the From header; null for none */
  readonly from_name: string | null
  /** addresses of the To header */
  readonly to: ReadonlyArray<string>
  /** the subject; empty when there is none */
  readonly subject: string
  /** the thread it belongs to */
  readonly thread_id: string
  /** when the relay accepted it */
  readonly sent_at: Timestamp
}

/** The envelope of message.delivered */
export interface MessageDeliveredEvent {
  /** the kind of the event */
  readonly event: "message.delivered"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: MessageDeliveredData
}

/** Recipients to whom a message was delivered */
export interface MessageDeliveredData {
  /** id of the message */
  readonly message_id: string
  /** the mailbox it is in */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** RFC 5322 Message-ID, angle brackets included */
  readonly rfc_message_id: string
  /** true in a test event, whose message does not exist */
  readonly test?: true | undefined
  /** recipients whose delivery is reported */
  readonly recipients: ReadonlyArray<string>
  /** when the delivery was reported */
  readonly delivered_at: Timestamp
}

/** The envelope of message.bounced */
export interface MessageBouncedEvent {
  /** the kind of the event */
  readonly event: "message.bounced"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: MessageBouncedData
}

/** Recipients who could not be reached */
export interface MessageBouncedData {
  /** id of the message */
  readonly message_id: string
  /** the mailbox it is in */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** RFC 5322 Message-ID, angle brackets included */
  readonly rfc_message_id: string
  /** true in a test event, whose message does not exist */
  readonly test?: true | undefined
  /** recipients that could not be reached */
  readonly bounced_recipients: ReadonlyArray<string>
  /** when the report arrived */
  readonly bounced_at: Timestamp
  /** the reasons, one entry for each bounced recipient */
  readonly bounces: ReadonlyArray<Bounce>
}

/** Why one recipient could not be reached */
export interface Bounce {
  /** the address that could not be reached */
  readonly recipient: string
  /** such as 5.1.1 (RFC 3463) */
  readonly status: string | null
  /** reply of the other server */
  readonly diagnostic: string | null
  /** true when the address is permanently invalid; it is then suppressed */
  readonly permanent: boolean
}

/** The envelope of message.complaint */
export interface MessageComplaintEvent {
  /** the kind of the event */
  readonly event: "message.complaint"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: MessageComplaintData
}

/** Recipients who reported a message as spam */
export interface MessageComplaintData {
  /** id of the message */
  readonly message_id: string
  /** the mailbox it is in */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** RFC 5322 Message-ID, angle brackets included */
  readonly rfc_message_id: string
  /** true in a test event, whose message does not exist */
  readonly test?: true | undefined
  /** recipients who reported the message as spam */
  readonly complained_recipients: ReadonlyArray<string>
  /** when the report arrived */
  readonly complained_at: Timestamp
}

/** The envelope of mailbox.sending_warning */
export interface MailboxSendingWarningEvent {
  /** the kind of the event */
  readonly event: "mailbox.sending_warning"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: MailboxSendingWarningData
}

/** A mailbox whose bounces or complaints passed half of the limit */
export interface MailboxSendingWarningData {
  /** the mailbox */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** true in a test event */
  readonly test?: true | undefined
  /** which share is too high: of hard bounces, or of complaints */
  readonly reason: SendingStopReason
  /** sends that count: the last 1,000 recipients, or those since a resume */
  readonly sends: number
  /** sends among them to permanently invalid addresses */
  readonly hard_bounces: number
  /** sends among them that their recipient reported as spam */
  readonly complaints: number
  /** when the share passed half of the limit */
  readonly warned_at: Timestamp
}

/** The envelope of mailbox.sending_stopped */
export interface MailboxSendingStoppedEvent {
  /** the kind of the event */
  readonly event: "mailbox.sending_stopped"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: MailboxSendingStoppedData
}

/** A mailbox that may not send any more, because of its bounces or complaints */
export interface MailboxSendingStoppedData {
  /** the mailbox */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** true in a test event */
  readonly test?: true | undefined
  /** which share is too high: of hard bounces, or of complaints */
  readonly reason: SendingStopReason
  /** sends that count: the last 1,000 recipients, or those since a resume */
  readonly sends: number
  /** sends among them to permanently invalid addresses */
  readonly hard_bounces: number
  /** sends among them that their recipient reported as spam */
  readonly complaints: number
  /** when the sending was stopped */
  readonly stopped_at: Timestamp
}

/** The envelope of message.quarantined */
export interface MessageQuarantinedEvent {
  /** the kind of the event */
  readonly event: "message.quarantined"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: MessageQuarantinedData
}

/** A message that is hidden until it is released, without its content */
export interface MessageQuarantinedData {
  /** id of the message */
  readonly message_id: string
  /** the mailbox it is in */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** RFC 5322 Message-ID, angle brackets included */
  readonly rfc_message_id: string
  /** true in a test event, whose message does not exist */
  readonly test?: true | undefined
  /** address of the From header */
  readonly from: string
  /** why it is quarantined, at least one reason */
  readonly reasons: ReadonlyArray<QuarantineReason>
  /** how far the sender can be believed */
  readonly trust?: Trust | undefined
  /** when the service accepted it */
  readonly received_at: Timestamp
  /** since when it is quarantined */
  readonly quarantined_at: Timestamp
}

/**
 * `blocked`: a block list has the sender. `not_allowed`: the mailbox takes only allowed senders.
 * `suspicious`, `unverified`, `spam`: the mailbox quarantines such mail. `manual`: a caller quarantined it
 */
export type QuarantineReason = "blocked" | "not_allowed" | "suspicious" | "unverified" | "spam" | "manual"

/** The envelope of draft.review_requested */
export interface DraftReviewRequestedEvent {
  /** the kind of the event */
  readonly event: "draft.review_requested"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: DraftReviewRequestedData
}

/** A send that waits for a review */
export interface DraftReviewRequestedData {
  /** id of the draft, and of the message that is made of it */
  readonly draft_id: string
  /** the mailbox that sends it */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** recipients */
  readonly to: ReadonlyArray<string>
  /** the subject; null for none */
  readonly subject: string | null
  /** digest of the draft */
  readonly digest: string
  /** true in a test event, whose draft does not exist */
  readonly test?: true | undefined
  /** why it was held */
  readonly reasons: ReadonlyArray<HoldReason>
  /** when it was held */
  readonly requested_at: Timestamp
  /** when the review ends without a decision */
  readonly expires_at: Timestamp
}

/** Why a send waits for a review */
export type HoldReason = {
  /** the mailbox reviews every send */
  readonly code: "EVERY_SEND"
} | {
  /** the recipient is new to the mailbox */
  readonly code: "NEW_RECIPIENT"
  /** address of the recipient */
  readonly address: string
}

/** The envelope of draft.approved */
export interface DraftApprovedEvent {
  /** the kind of the event */
  readonly event: "draft.approved"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: DraftApprovedData
}

/** A draft that a person approved */
export interface DraftApprovedData {
  /** id of the draft, and of the message that is made of it */
  readonly draft_id: string
  /** the mailbox that sends it */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** recipients */
  readonly to: ReadonlyArray<string>
  /** the subject; null for none */
  readonly subject: string | null
  /** digest of the draft */
  readonly digest: string
  /** true in a test event, whose draft does not exist */
  readonly test?: true | undefined
  /** whether the approver changed it */
  readonly edited: boolean
  /** who decided; absent in events of earlier versions */
  readonly decided_by?: Actor | undefined
  /** when it was approved */
  readonly approved_at: Timestamp
}

/** Who did something: a key by its name, or the owner */
export interface Actor {
  /** who did it */
  readonly kind: AuditActorKind
  /** id of the key; absent for others */
  readonly id?: string | undefined
  /** name of the key; absent for others */
  readonly name?: string | undefined
}

/** The envelope of draft.rejected */
export interface DraftRejectedEvent {
  /** the kind of the event */
  readonly event: "draft.rejected"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: DraftRejectedData
}

/** A draft that a person rejected */
export interface DraftRejectedData {
  /** id of the draft, and of the message that is made of it */
  readonly draft_id: string
  /** the mailbox that sends it */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** recipients */
  readonly to: ReadonlyArray<string>
  /** the subject; null for none */
  readonly subject: string | null
  /** digest of the draft */
  readonly digest: string
  /** true in a test event, whose draft does not exist */
  readonly test?: true | undefined
  /** the text of the person who rejected it; null for none */
  readonly reason: string | null
  /** who decided; absent in events of earlier versions */
  readonly decided_by?: Actor | undefined
  /** when it was rejected */
  readonly rejected_at: Timestamp
}

/** The envelope of draft.expired */
export interface DraftExpiredEvent {
  /** the kind of the event */
  readonly event: "draft.expired"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: DraftExpiredData
}

/** A draft whose review ended without a decision */
export interface DraftExpiredData {
  /** id of the draft, and of the message that is made of it */
  readonly draft_id: string
  /** the mailbox that sends it */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** recipients */
  readonly to: ReadonlyArray<string>
  /** the subject; null for none */
  readonly subject: string | null
  /** digest of the draft */
  readonly digest: string
  /** true in a test event, whose draft does not exist */
  readonly test?: true | undefined
  /** when the review ended */
  readonly expired_at: Timestamp
}

/** The envelope of draft.withdrawn */
export interface DraftWithdrawnEvent {
  /** the kind of the event */
  readonly event: "draft.withdrawn"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: DraftWithdrawnData
}

/** A draft that does not wait for its review any more, although nobody decided */
export interface DraftWithdrawnData {
  /** id of the draft, and of the message that is made of it */
  readonly draft_id: string
  /** the mailbox that sends it */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** recipients */
  readonly to: ReadonlyArray<string>
  /** the subject; null for none */
  readonly subject: string | null
  /** digest of the draft */
  readonly digest: string
  /** true in a test event, whose draft does not exist */
  readonly test?: true | undefined
  /** true when it was deleted; false when it was changed or scheduled */
  readonly deleted: boolean
  /** who withdrew it */
  readonly withdrawn_by: Actor
  /** when its review ended */
  readonly withdrawn_at: Timestamp
}

/** The envelope of draft.failed */
export interface DraftFailedEvent {
  /** the kind of the event */
  readonly event: "draft.failed"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: DraftFailedData
}

/** A draft that was refused when it was due */
export interface DraftFailedData {
  /** id of the draft, and of the message that is made of it */
  readonly draft_id: string
  /** the mailbox that sends it */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** recipients */
  readonly to: ReadonlyArray<string>
  /** the subject; null for none */
  readonly subject: string | null
  /** digest of the draft */
  readonly digest: string
  /** true in a test event, whose draft does not exist */
  readonly test?: true | undefined
  /** code of the refusal */
  readonly code: string
  /** what refused it */
  readonly message: string
  /** when it was refused */
  readonly failed_at: Timestamp
}

/** The envelope of thread.taken_over */
export interface ThreadTakenOverEvent {
  /** the kind of the event */
  readonly event: "thread.taken_over"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: ThreadTakenOverData
}

/** A thread that a person has taken over: sends of keys into it are refused */
export interface ThreadTakenOverData {
  /** id of the thread */
  readonly thread_id: string
  /** the mailbox it is in */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** subject of the thread */
  readonly subject: string
  /** true in a test event, whose thread does not exist */
  readonly test?: true | undefined
  /** since when a person answers it */
  readonly taken_over_at: Timestamp
}

/** The envelope of thread.released */
export interface ThreadReleasedEvent {
  /** the kind of the event */
  readonly event: "thread.released"
  /** when the event happened */
  readonly timestamp: Timestamp
  /** fields of this kind of event */
  readonly data: ThreadReleasedData
}

/** A thread that keys may answer again */
export interface ThreadReleasedData {
  /** id of the thread */
  readonly thread_id: string
  /** the mailbox it is in */
  readonly mailbox_id: string
  /** full address of the mailbox */
  readonly mailbox_address: string
  /** subject of the thread */
  readonly subject: string
  /** true in a test event, whose thread does not exist */
  readonly test?: true | undefined
  /** when it was released */
  readonly released_at: Timestamp
}

/** The owner and the slug of a new account */
export interface SignupBody {
  /** email of the owner, who gets the verification mail */
  readonly email: EmailAddress
  /** the owner's password: 8 to 256 characters */
  readonly password: Password
  /** subdomain of the account's addresses; it cannot be changed */
  readonly slug: Slug
  /** the owner's name */
  readonly name?: string | undefined
  /** plan that the owner intends to buy */
  readonly plan?: string | undefined
  /** billing period of that plan: monthly or annual */
  readonly period?: string | undefined
  /** token of an invitation, where signup needs one */
  readonly invitation?: string | undefined
}

/** one plain mail address */
export type EmailAddress = string

/** 8 to 256 characters */
export type Password = string

/** 3 to 30 lower-case letters, digits and hyphens; neither the first nor the last is a hyphen */
export type Slug = string

/** Invalid input, or a rule that the request breaks */
export interface BadRequest {
  /** what went wrong, for people */
  readonly error: string
  /** what went wrong, for programs; stable */
  readonly code: "API_KEY_LIMIT_REACHED" | "ATTACHMENT_NOT_FOUND" | "DOMAIN_NOT_VERIFIED" | "DRAFT_LIMIT_REACHED" | "EVENT_EXPIRED" | "INVALID_SIGNATURE" | "INVALID_TOKEN" | "LAST_FULL_KEY" | "LIST_LIMIT_REACHED" | "MAILBOX_NOT_ACTIVE" | "MAILBOX_SUSPENDED" | "NO_INVITATION" | "NOBODY_TO_ANSWER" | "RECIPIENT_BLOCKED" | "RECIPIENT_NOT_ALLOWED" | "RECIPIENT_SUPPRESSED" | "RELAY_REFUSED" | "VALIDATION_FAILED" | "WEBHOOK_LIMIT_REACHED" | "WEBHOOK_NOT_ACTIVE"
  /** every field that is wrong */
  readonly issues?: ReadonlyArray<{
    /** the field, such as `attachments.0.filename` */
    readonly path: string
    /** what is wrong with it */
    readonly message: string
    /** where in the text of the field, in characters from its start; only for a search query */
    readonly position?: number | undefined
  }> | undefined
  /** the refused recipient */
  readonly address?: string | undefined
}

/** Does not exist, or is out of the key's scope */
export interface NotFound {
  /** what went wrong, for people */
  readonly error: string
  /** what went wrong, for programs; stable */
  readonly code: "ACCOUNT_NOT_FOUND" | "ATTACHMENT_NOT_FOUND" | "CHECKOUT_NOT_FOUND" | "DELIVERY_NOT_FOUND" | "DOMAIN_NOT_FOUND" | "DRAFT_NOT_FOUND" | "ENDPOINT_NOT_FOUND" | "KEY_NOT_FOUND" | "MAILBOX_NOT_FOUND" | "MESSAGE_NOT_FOUND" | "INVITATION_NOT_FOUND" | "LIST_ENTRY_NOT_FOUND" | "LIST_NOT_FOUND" | "SUPPRESSION_NOT_FOUND" | "THREAD_NOT_FOUND" | "WEBHOOK_NOT_FOUND"
  /** what to do */
  readonly message?: string | undefined
  /** links to the documents, and the existing routes */
  readonly resolution?: unknown | undefined
}

/** The request body came too slowly, or stopped */
export interface RequestTimeout {
  /** what went wrong, for people */
  readonly error: string
  /** what went wrong, for programs; stable */
  readonly code: "REQUEST_TIMEOUT"
}

/** Above a size limit */
export interface PayloadTooLarge {
  /** what went wrong, for people */
  readonly error: string
  /** what went wrong, for programs; stable */
  readonly code: "SIZE_EXCEEDED" | "STORAGE_FULL"
  /** how to lift the limit, if a larger plan would */
  readonly upgrade?: "POST /v1/billing/upgrade for a checkout URL" | undefined
}

/** An error of the service */
export interface InternalError {
  /** what went wrong, for people */
  readonly error: string
  /** what went wrong, for programs; stable */
  readonly code: "INTERNAL_ERROR"
}

/** Something that the service needs is unavailable; try again later */
export interface Unavailable {
  /** what went wrong, for people */
  readonly error: string
  /** what went wrong, for programs; stable */
  readonly code: "DNS_UNAVAILABLE" | "INTERRUPTED" | "OVERLOADED" | "PAYMENTS_UNAVAILABLE" | "PROVIDER_UNAVAILABLE" | "RELAY_UNAVAILABLE" | "REPORT_TOO_EARLY" | "SEND_UNCERTAIN" | "STORAGE_UNAVAILABLE" | "TOO_MANY_BODIES"
  /** id of the message whose send has an unknown outcome */
  readonly messageId?: string | undefined
}

/** Not allowed for this key, plan or account */
export interface Forbidden {
  /** what went wrong, for people */
  readonly error: string
  /** what went wrong, for programs; stable */
  readonly code: "ACCOUNT_SUSPENDED" | "CUSTOM_DOMAIN_LIMIT_REACHED" | "EMAIL_NOT_VERIFIED" | "FOREIGN_ORIGIN" | "INVITATION_REQUIRED" | "MAILBOX_LIMIT_REACHED" | "PERMISSION_DENIED" | "SCOPE_FORBIDDEN" | "SENDING_STOPPED" | "SENDING_PAUSED" | "SESSION_REQUIRED" | "SIGNUP_CLOSED"
  /** how to lift the limit, if a larger plan would */
  readonly upgrade?: "POST /v1/billing/upgrade for a checkout URL" | undefined
  /** the account is suspended */
  readonly suspended?: true | undefined
  /** why it is suspended, or why its sending is stopped */
  readonly reason?: string | null | undefined
  /** permissions that the key lacks: a route needs one of them, a new key needs its creator to have all */
  readonly required?: ReadonlyArray<Permission> | undefined
}

/**
 * `read`: mail, events and webhooks; `send`: mail; `draft`: write drafts; `manage`: the account, its
 * mailboxes, keys, domains and billing; `review`: approve and reject drafts
 */
export type Permission = "read" | "send" | "draft" | "manage" | "review"

/** Taken, or already done */
export interface Conflict {
  /** what went wrong, for people */
  readonly error: string
  /** what went wrong, for programs; stable */
  readonly code: "ADDRESS_TAKEN" | "ALREADY_PAID" | "ATTACHMENT_IN_USE" | "BILLING_DISABLED" | "CLAIM_LOST" | "CLAIMED" | "DIGEST_MISMATCH" | "DOMAIN_IN_USE" | "DOMAIN_TAKEN" | "EMAIL_TAKEN" | "IDEMPOTENCY_KEY_IN_USE" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_RESULT_LOST" | "NO_SUBSCRIPTION" | "NOT_PENDING_REVIEW" | "NOT_A_REQUEST" | "NOT_INVITED" | "SEND_OUTCOME_UNKNOWN" | "SLUG_RESERVED" | "SLUG_TAKEN" | "THREAD_TAKEN_OVER"
  /** id of the message whose send has an unknown outcome */
  readonly messageId?: string | undefined
  /** of DIGEST_MISMATCH: the digest of the draft as it is now */
  readonly digest?: string | undefined
}

/** A rate or a quota is used up */
export interface TooManyRequests {
  /** what went wrong, for people */
  readonly error: string
  /** what went wrong, for programs; stable */
  readonly code: "DAILY_SEND_LIMIT_REACHED" | "MAIL_LOOP_CUT" | "MONTHLY_SEND_LIMIT_REACHED" | "RATE_LIMITED" | "SEND_VELOCITY_EXCEEDED" | "TOO_MANY_STREAMS" | "TOO_MANY_WAITS" | "TOO_MANY_UNREAD"
  /** how to lift the limit, if a larger plan would */
  readonly upgrade?: "POST /v1/billing/upgrade for a checkout URL" | undefined
}

/** Availability of a slug */
export interface SlugVerdict {
  /** whether the slug is available */
  readonly available: boolean
  /** why it is not available */
  readonly reason?: "reserved" | "taken" | undefined
}

/** Done */
export interface Ok {
  /** always true */
  readonly ok: true
}

/** The token from the mail, and the new password */
export interface ResetPasswordBody {
  /** token from the mail */
  readonly token: string
  /** the new password: 8 to 256 characters */
  readonly password: Password
}

/** Payment is required */
export interface PaymentRequired {
  /** what went wrong, for people */
  readonly error: string
  /** what went wrong, for programs; stable */
  readonly code: "PAYMENT_DECLINED" | "PAYMENT_REQUIRED" | "TRIAL_RECIPIENT_LOCKED"
  /** always true */
  readonly payment_required: true
  /** how to pay */
  readonly upgrade: Upgrade
}

/** How to lift the limit */
export interface Upgrade {
  /** the page where the owner upgrades */
  readonly browserUrl: string
  /** the route that returns a checkout link */
  readonly apiEndpoint: {
    /** HTTP method */
    readonly method: "POST"
    /** path of the route */
    readonly path: "/v1/billing/upgrade"
  }
  /** what to do, on one line */
  readonly hint: string
}

/** Changes of the account; absent fields stay */
export interface UpdateAccountBody {
  /** true pauses all sends, false resumes them */
  readonly sendingPaused?: boolean | undefined
}

/** The caller and its account */
export interface Whoami {
  /** the caller */
  readonly principal: {
    /** an API key, or the owner's session */
    readonly kind: "key" | "session"
    /** id of the key; absent for a session */
    readonly keyId?: string | undefined
    /** whether it is restricted to mailboxes */
    readonly scoped: boolean
    /** mailboxes in its scope; null for all mailboxes of the account */
    readonly mailboxIds: ReadonlyArray<string> | null
    /** what it may do */
    readonly permissions: ReadonlyArray<Permission>
  }
  /** its account */
  readonly account: {
    /** id of the account */
    readonly id: string
    /** the subdomain of the account's addresses */
    readonly slug: string
    /** current plan */
    readonly plan: Plan
    /** state of the account */
    readonly state: AccountState
  }
}

/** The confirmation of the deletion */
export interface DeleteAccountBody {
  /** the word DELETE, in capitals */
  readonly confirm: "DELETE"
}

/** A request for support */
export interface SupportBody {
  /** the subject, on one line */
  readonly subject: Subject
  /** the text, at most 20,000 characters */
  readonly message: string
}

/** 1 to 998 characters on one line */
export type Subject = string

/** An API key, without its value */
export interface ApiKey {
  /** id of the key */
  readonly id: string
  /** name of the key */
  readonly name: string
  /** the first 11 characters of the key */
  readonly prefix: string
  /** mailboxes in its scope; null for full access */
  readonly mailboxIds: ReadonlyArray<string> | null
  /** whether it is restricted to mailboxes */
  readonly scoped: boolean
  /** what it may do */
  readonly permissions: ReadonlyArray<Permission>
  /** false after revocation */
  readonly enabled: boolean
  /** time of the last use, to the minute; null before the first */
  readonly lastUsedAt: Timestamp | null
  /** time of creation */
  readonly createdAt: Timestamp
}

/** A key to create */
export interface CreateKeyBody {
  /** label of the key */
  readonly name: string
  /** mailboxes in the scope of the key; without them it has full access */
  readonly mailboxIds?: ReadonlyArray<string> | undefined
  /**
   * what the key may do, or a preset. Default: everything with full access; `read`, `send` and `draft` with
   * `mailboxIds`
   */
  readonly permissions?: ReadonlyArray<Permission> | PermissionPreset | undefined
}

/** `readOnly` is `read`; `draftOnly` is `read` and `draft` */
export type PermissionPreset = "readOnly" | "draftOnly"

/** A mailbox to create */
export interface CreateMailboxBody {
  /** the local part: 1 to 64 letters, digits, dots, hyphens and underscores */
  readonly address: LocalPart
  /** display name in the From header of sent mail, at most 255 characters; null or blank for none */
  readonly displayName?: string | null | undefined
  /** id of a VERIFIED custom domain; without it the mailbox is on the platform domain */
  readonly domainId?: string | undefined
  /** which sends wait for a review: none, those to new recipients, or all */
  readonly outboundPolicy?: OutboundPolicy | undefined
  /** hours until a review that nobody decided rejects the send; 1 to 168 */
  readonly reviewTtlHours?: number | undefined
  /** who may write to it: everybody, or only senders on its allow lists and the owner */
  readonly receivePolicy?: ReceivePolicy | undefined
  /** what happens to mail that it does not take: quarantine it, or refuse it with 550 5.7.1 */
  readonly onBlocked?: OnBlocked | undefined
  /** which mail is quarantined: that of these trust levels, and spam */
  readonly quarantine?: ReadonlyArray<QuarantineTrigger> | undefined
}

/** 1 to 64 letters, digits, dots, hyphens and underscores, which become lower-case */
export type LocalPart = string

/** Changes of a mailbox; absent fields do not change */
export interface UpdateMailboxBody {
  /** display name in the From header of sent mail; null or blank for none */
  readonly displayName?: string | null | undefined
  /** ACTIVE starts the mailbox, paused stops it from sending */
  readonly status?: string | undefined
  /** which sends wait for a review: none, those to new recipients, or all */
  readonly outboundPolicy?: OutboundPolicy | undefined
  /** hours until a review that nobody decided rejects the send; 1 to 168 */
  readonly reviewTtlHours?: number | undefined
  /** who may write to it: everybody, or only senders on its allow lists and the owner */
  readonly receivePolicy?: ReceivePolicy | undefined
  /** what happens to mail that it does not take: quarantine it, or refuse it with 550 5.7.1 */
  readonly onBlocked?: OnBlocked | undefined
  /** which mail is quarantined: that of these trust levels, and spam */
  readonly quarantine?: ReadonlyArray<QuarantineTrigger> | undefined
}

/** The end of a wait */
export interface WaitAnswer {
  /** the message; null when the time was over first */
  readonly message: Message | null
  /** whether the wait ended without a message */
  readonly timedOut: boolean
  /** pass it to the next wait as `after`; valid for 30 days */
  readonly after: string
}

/** A complete message */
export interface Message {
  /** id of the message */
  readonly id: string
  /** the mailbox it is in */
  readonly mailboxId: string
  /** INBOUND for received, OUTBOUND for sent */
  readonly direction: Direction
  /** the envelope recipient, with its +tag; null for sent messages and for those of earlier versions */
  readonly deliveredTo: string | null
  /** RFC 5322 Message-ID, angle brackets included */
  readonly messageId: string
  /** Message-ID of the answered mail; null for none */
  readonly inReplyTo: string | null
  /** Message-IDs of the References header, oldest first */
  readonly references: ReadonlyArray<string>
  /** address of the From header */
  readonly fromAddress: string
  /** display name of the From header; null for none */
  readonly fromName: string | null
  /** addresses of the To header */
  readonly toAddresses: ReadonlyArray<string>
  /** addresses of the Cc header */
  readonly ccAddresses: ReadonlyArray<string>
  /** blind copies of a sent message; empty for received ones */
  readonly bccAddresses: ReadonlyArray<string>
  /** address of the Reply-To header; null for none */
  readonly replyTo: string | null
  /** the subject; empty when there is none */
  readonly subject: string
  /**
   * the text part. For inbound mail never null: HTML without a text alternative counts with its text; empty
   * without a body
   */
  readonly bodyText: string | null
  /** the HTML part; null when there is none */
  readonly bodyHtml: string | null
  /**
   * new text of the author, without quotes and signature; of a sent message without a text part the text of
   * its HTML, of its first 512 kB; null without text
   */
  readonly extractedText: string | null
  /** whether it has attachments */
  readonly hasAttachments: boolean
  /** whether attachments were dropped */
  readonly attachmentsDropped: boolean
  /** why attachments were dropped: too large, too many, or both; null when none was */
  readonly attachmentsDroppedReason: "size" | "count" | "both" | null
  /** true for an auto-reply, a list mail or a report: do not reply to it */
  readonly automated: boolean
  /** whether the sender's domain is proven; null for sent and imported messages */
  readonly authentication: SenderAuthentication | null
  /** one-time codes found in the text */
  readonly codes: ReadonlyArray<{
    /** the code */
    readonly code: string
    /** the text around it */
    readonly context: string
  }>
  /** links found in the bodies */
  readonly links: ReadonlyArray<{
    /** target of the link */
    readonly url: string
    /** text of the link, or the target */
    readonly text: string
  }>
  /** the invitation in a received mail; null without one */
  readonly calendar: Calendar | null
  /**
   * where it comes from, and whether it hides something; null for sent messages and for those of earlier
   * versions
   */
  readonly trust: Trust | null
  /** result of the operator's spam filter; null for sent messages and without a result */
  readonly spam: Spam | null
  /** time of storage; of an imported message, when it was received or sent */
  readonly createdAt: Timestamp
  /**
   * when the service, or for an imported message the server before it, accepted it; null for sent messages
   */
  readonly receivedAt: Timestamp | null
  /** the attachments */
  readonly attachments: ReadonlyArray<Attachment>
  /** the thread it belongs to */
  readonly threadId: string
  /** RECEIVED for inbound messages; else the progress of the delivery */
  readonly status: MessageStatus
  /** whether it is gated, above the inbound limit */
  readonly overLimit: boolean
  /** labels set by clients */
  readonly labels: ReadonlyArray<string>
  /** when it was marked as read; null while unread */
  readonly readAt: Timestamp | null
  /**
   * when the relay accepted it, or when an imported message was sent; null before that, and for inbound
   * messages
   */
  readonly sentAt: Timestamp | null
  /** who works on it, and until when; null while it is free */
  readonly claim: MessageClaim | null
  /** since when it is quarantined, and why; null: it is not */
  readonly quarantined: Quarantine | null
  /** header fields by name, decoded; a list when a field repeats */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string>>>
}

/** INBOUND for received, OUTBOUND for sent */
export type Direction = "INBOUND" | "OUTBOUND"

/** Results of SPF, DKIM, DMARC and ARC for the sender */
export interface SenderAuthentication {
  /** SPF result for the envelope sender */
  readonly spf: string
  /** DKIM result of the best signature */
  readonly dkim: string
  /** DMARC result for the From header */
  readonly dmarc: string
  /** ARC result for the chain of forwarders */
  readonly arc?: string | undefined
  /** domain of `fromAddress` if an aligned SPF or DKIM result proves it; else null */
  readonly verifiedDomain: string | null
}

/** The invitation in a message */
export interface Calendar {
  /**
   * what it is for: REQUEST invites, CANCEL calls off, REPLY answers, PUBLISH only shows; null when it does
   * not say
   */
  readonly method: string | null
  /** id of the event, the same in each mail about it */
  readonly uid: string
  /** revision of the event, from 0 */
  readonly sequence: number
  /**
   * the one occurrence of a recurring event that this is about, by its start: `2026-03-10`,
   * `2026-03-10T08:00:00Z`, `2026-03-10T09:00:00+01:00`, or without a zone when it names none that is known
   */
  readonly recurrenceId?: string | undefined
  /** title; null without one */
  readonly summary: string | null
  /** start; null without one */
  readonly start: string | null
  /** end, which is not part of the event; null without one */
  readonly end: string | null
  /** time zone of `start`, as the event names it; null for none */
  readonly timezone: string | null
  /** place; null without one */
  readonly location: string | null
  /** who invites; null when nobody does */
  readonly organizer: {
    /** mail address */
    readonly address: string
    /** display name; null without one */
    readonly name: string | null
  } | null
  /** who is invited, at most 200 */
  readonly attendees: ReadonlyArray<{
    /** mail address */
    readonly address: string
    /** display name; null without one */
    readonly name: string | null
    /** answer of the attendee */
    readonly status: ParticipationStatus
  }>
  /** rule of a recurring event, as RFC 5545 writes it: `FREQ=WEEKLY;BYDAY=MO` */
  readonly rrule?: string | undefined
}

/** Answer of an attendee */
export type ParticipationStatus = "needs-action" | "accepted" | "declined" | "tentative" | "delegated"

/** A file of a message, or an upload to send */
export interface Attachment {
  /** id of the attachment */
  readonly id: string
  /** message of the file; null for an upload that is not sent yet */
  readonly messageId: string | null
  /** name of the file */
  readonly filename: string
  /** MIME type; for an invitation with its method: `text/calendar; method=REQUEST` */
  readonly contentType: string
  /** size of the file, bytes */
  readonly sizeBytes: number
  /** Content-ID of an inline image, without angle brackets; null for other files */
  readonly contentId: string | null
  /** time of the upload or the arrival */
  readonly createdAt: Timestamp
}

/** Inbound: RECEIVED. Outbound: the progress of the delivery */
export type MessageStatus = "RECEIVED" | "SENDING" | "SENT" | "UNKNOWN" | "DELIVERED" | "BOUNCED" | "COMPLAINED" | "FAILED"

/** Who works on a message, and until when */
export interface MessageClaim {
  /** CLAIMED while a worker holds it, COMPLETED when its work is done */
  readonly state: "CLAIMED" | "COMPLETED"
  /** when the lease ends and the message is free again; null when it is COMPLETED */
  readonly expiresAt: Timestamp | null
  /** the worker that claimed it; null for imported mail, and for claims of earlier versions */
  readonly claimedBy: Actor | null
}

/** That a message is quarantined, and why */
export interface Quarantine {
  /** since when */
  readonly at: Timestamp
  /** why, at least one reason */
  readonly reasons: ReadonlyArray<QuarantineReason>
}

/** A page of messages */
export interface MessagesPage {
  /** the messages of the page */
  readonly messages: ReadonlyArray<MessageListItem>
  /** metadata of the page and the list */
  readonly metadata: {
    /** number of gated messages, which the list hides */
    readonly overLimitCount: number
    /** how to lift the inbound limit; absent when nothing is gated */
    readonly upgrade?: Upgrade | undefined
    /** usage of the inbound quota; present from 50 percent on */
    readonly limitHint?: InboundUsage | undefined
    /** maximal length of the page */
    readonly limit: number
    /** whether there are more entries after this page */
    readonly hasMore: boolean
    /** `cursor` of the next page; absent on the last page */
    readonly nextCursor?: string | undefined
    /** number of skipped messages */
    readonly offset: number
  }
}

/** A message in a list: without headers, bodies cut at 64 kB */
export interface MessageListItem {
  /** id of the message */
  readonly id: string
  /** the mailbox it is in */
  readonly mailboxId: string
  /** INBOUND for received, OUTBOUND for sent */
  readonly direction: Direction
  /** the envelope recipient, with its +tag; null for sent messages and for those of earlier versions */
  readonly deliveredTo: string | null
  /** RFC 5322 Message-ID, angle brackets included */
  readonly messageId: string
  /** Message-ID of the answered mail; null for none */
  readonly inReplyTo: string | null
  /** Message-IDs of the References header, oldest first */
  readonly references: ReadonlyArray<string>
  /** address of the From header */
  readonly fromAddress: string
  /** display name of the From header; null for none */
  readonly fromName: string | null
  /** addresses of the To header */
  readonly toAddresses: ReadonlyArray<string>
  /** addresses of the Cc header */
  readonly ccAddresses: ReadonlyArray<string>
  /** blind copies of a sent message; empty for received ones */
  readonly bccAddresses: ReadonlyArray<string>
  /** address of the Reply-To header; null for none */
  readonly replyTo: string | null
  /** the subject; empty when there is none */
  readonly subject: string
  /**
   * the text part. For inbound mail never null: HTML without a text alternative counts with its text; empty
   * without a body
   */
  readonly bodyText: string | null
  /** the HTML part; null when there is none */
  readonly bodyHtml: string | null
  /**
   * new text of the author, without quotes and signature; of a sent message without a text part the text of
   * its HTML, of its first 512 kB; null without text
   */
  readonly extractedText: string | null
  /** whether it has attachments */
  readonly hasAttachments: boolean
  /** whether attachments were dropped */
  readonly attachmentsDropped: boolean
  /** why attachments were dropped: too large, too many, or both; null when none was */
  readonly attachmentsDroppedReason: "size" | "count" | "both" | null
  /** true for an auto-reply, a list mail or a report: do not reply to it */
  readonly automated: boolean
  /** whether the sender's domain is proven; null for sent and imported messages */
  readonly authentication: SenderAuthentication | null
  /** one-time codes found in the text */
  readonly codes: ReadonlyArray<{
    /** the code */
    readonly code: string
    /** the text around it */
    readonly context: string
  }>
  /** links found in the bodies */
  readonly links: ReadonlyArray<{
    /** target of the link */
    readonly url: string
    /** text of the link, or the target */
    readonly text: string
  }>
  /** the invitation in a received mail; null without one */
  readonly calendar: Calendar | null
  /**
   * where it comes from, and whether it hides something; null for sent messages and for those of earlier
   * versions
   */
  readonly trust: Trust | null
  /** result of the operator's spam filter; null for sent messages and without a result */
  readonly spam: Spam | null
  /** time of storage; of an imported message, when it was received or sent */
  readonly createdAt: Timestamp
  /**
   * when the service, or for an imported message the server before it, accepted it; null for sent messages
   */
  readonly receivedAt: Timestamp | null
  /** the attachments */
  readonly attachments: ReadonlyArray<Attachment>
  /** the thread it belongs to */
  readonly threadId: string
  /** RECEIVED for inbound messages; else the progress of the delivery */
  readonly status: MessageStatus
  /** whether it is gated, above the inbound limit */
  readonly overLimit: boolean
  /** labels set by clients */
  readonly labels: ReadonlyArray<string>
  /** when it was marked as read; null while unread */
  readonly readAt: Timestamp | null
  /**
   * when the relay accepted it, or when an imported message was sent; null before that, and for inbound
   * messages
   */
  readonly sentAt: Timestamp | null
  /** who works on it, and until when; null while it is free */
  readonly claim: MessageClaim | null
  /** since when it is quarantined, and why; null: it is not */
  readonly quarantined: Quarantine | null
  /** true when a body is cut at 64 kB; a single read returns it whole */
  readonly truncated?: boolean | undefined
}

/** A message to send: bodyText or bodyHtml is required */
export interface SendBody {
  /** recipients, at least one */
  readonly to: ReadonlyArray<Recipient>
  /** recipients of copies */
  readonly cc?: ReadonlyArray<Recipient> | undefined
  /** recipients of blind copies */
  readonly bcc?: ReadonlyArray<Recipient> | undefined
  /** the subject */
  readonly subject: Subject
  /** the text part */
  readonly bodyText?: string | undefined
  /** the HTML part */
  readonly bodyHtml?: string | undefined
  /** the answered message: its id here, or its Message-ID with or without angle brackets */
  readonly inReplyTo?: string | undefined
  /** ids of uploads, or files as base64 */
  readonly attachments?: ReadonlyArray<string | InlineAttachment | FileUpload> | undefined
  /** additional header fields, X-Custom-* only */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** address of the Reply-To header */
  readonly replyTo?: Recipient | undefined
  /** labels of the stored message */
  readonly labels?: ReadonlyArray<string> | undefined
  /**
   * true: each recipient gets a mail of their own, which names no other recipient and has a link to
   * unsubscribe
   */
  readonly bulk?: boolean | undefined
  /** when to send it, ISO 8601 with an offset, at most 90 days ahead; by default now */
  readonly sendAt?: string | undefined
}

/** a mail address, as `ada@corp.org` or `Ada <ada@corp.org>` */
export type Recipient = string

/** A file inside the request body */
export interface InlineAttachment {
  /** name of the file */
  readonly filename: string
  /** MIME type of the file */
  readonly contentType: string
  /** Content-ID of an inline image, which the HTML shows by `cid:{contentId}` */
  readonly contentId?: string | undefined
  /** base64 */
  readonly content: string
}

/** A mail that was not sent yet */
export interface Draft {
  /** id of the draft, and of the message that is made of it */
  readonly id: string
  /** the mailbox that sends it */
  readonly mailboxId: string
  /** what it waits for, or why it was not sent */
  readonly status: DraftStatus
  /** address in the From header of its mail */
  readonly fromAddress: string
  /**
   * display name in the From header of its mail: that of the mailbox now, or of the submitted mail; null for
   * none
   */
  readonly fromName: string | null
  /** recipients */
  readonly to: ReadonlyArray<string>
  /** recipients of copies */
  readonly cc: ReadonlyArray<string>
  /** recipients of blind copies */
  readonly bcc: ReadonlyArray<string>
  /** the subject; null for none yet */
  readonly subject: string | null
  /** the text part; null for none */
  readonly bodyText: string | null
  /** the HTML part; null for none */
  readonly bodyHtml: string | null
  /** the answered message: its id here, or its Message-ID; null for none */
  readonly inReplyTo: string | null
  /** the files */
  readonly attachments: ReadonlyArray<DraftAttachment>
  /** additional header fields */
  readonly headers: Readonly<Record<string, string>>
  /** address of the Reply-To header; null for none */
  readonly replyTo: string | null
  /** labels of the message that is made of it */
  readonly labels: ReadonlyArray<string>
  /** whether each recipient gets a mail of their own, with a link to unsubscribe */
  readonly bulk: boolean
  /**
   * the mail as it was submitted by SMTP, whose body is sent unchanged; null for any other draft, and after a
   * change of the mail
   */
  readonly submitted: DraftAttachment | null
  /** when it is sent; null without a schedule */
  readonly sendAt: Timestamp | null
  /** the client's own id; null for none */
  readonly clientId: string | null
  /**
   * SHA-256 over recipients, subject, bodies, files, display name and time: an approval names it. Lower-case
   * hex
   */
  readonly digest: string
  /** the review; null for a draft that no policy held */
  readonly review: {
    /** when the send was held */
    readonly requestedAt: Timestamp
    /** when the review ends without a decision */
    readonly expiresAt: Timestamp
    /** why it was held */
    readonly reasons: ReadonlyArray<HoldReason>
  } | null
  /** why it was not sent; null for other drafts */
  readonly error: DraftError | null
  /** time of creation */
  readonly createdAt: Timestamp
  /** time of the last change */
  readonly updatedAt: Timestamp
}

/**
 * DRAFT: waits to be sent; SCHEDULED: is sent at `sendAt`; PENDING_REVIEW: waits for a decision; REJECTED:
 * refused by a person, or not decided in time; FAILED: was refused when it was due
 */
export type DraftStatus = "DRAFT" | "SCHEDULED" | "PENDING_REVIEW" | "REJECTED" | "FAILED"

/** A file of a draft */
export interface DraftAttachment {
  /** id of the attachment */
  readonly id: string
  /** name of the file */
  readonly filename: string
  /** MIME type of the file */
  readonly contentType: string
  /** size of the file, bytes */
  readonly sizeBytes: number
  /** Content-ID of an inline image, without angle brackets; null for other files */
  readonly contentId: string | null
  /** SHA-256 of the bytes, lower-case hex */
  readonly sha256: string
}

/** Why a draft was not sent */
export interface DraftError {
  /** the code of the refusal; REJECTED or REVIEW_EXPIRED for a review */
  readonly code: string
  /** what refused it, or the reason of the rejection */
  readonly message: string
}

/** The message is above the inbound limit; it is stored, and unlocks in place */
export interface InboundLimitExceeded {
  /** what went wrong, for people */
  readonly error: string
  /** what went wrong, for programs; stable */
  readonly code: "INBOUND_LIMIT_EXCEEDED" | "INBOUND_TRIAL_LIMIT_EXCEEDED"
  /** the requested resource */
  readonly resource: {
    /** kind of resource */
    readonly type: "message" | "attachment"
    /** id of the resource */
    readonly id: string
  }
  /** absent where nothing is sold */
  readonly upgrade?: Upgrade | undefined
  /** start of the next month, when the message unlocks */
  readonly resetAt?: string | undefined
}

/** Changes of a message; absent fields do not change */
export interface MessagePatch {
  /** the new labels, which replace all earlier ones */
  readonly labels?: ReadonlyArray<string> | undefined
  /** labels to add; the others stay */
  readonly addLabels?: ReadonlyArray<string> | undefined
  /** labels to remove; the others stay */
  readonly removeLabels?: ReadonlyArray<string> | undefined
  /** true marks as read, false as unread */
  readonly read?: boolean | undefined
}

/** A reply to a message: bodyText or bodyHtml is required */
export interface ReplyBody {
  /** recipients of copies */
  readonly cc?: ReadonlyArray<Recipient> | undefined
  /** recipients of blind copies */
  readonly bcc?: ReadonlyArray<Recipient> | undefined
  /** the text part */
  readonly bodyText?: string | undefined
  /** the HTML part */
  readonly bodyHtml?: string | undefined
  /** ids of uploads, or files as base64 */
  readonly attachments?: ReadonlyArray<string | InlineAttachment | FileUpload> | undefined
  /** additional header fields, X-Custom-* only */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** address of the Reply-To header */
  readonly replyTo?: Recipient | undefined
  /** labels of the stored message */
  readonly labels?: ReadonlyArray<string> | undefined
  /**
   * true: each recipient gets a mail of their own, which names no other recipient and has a link to
   * unsubscribe
   */
  readonly bulk?: boolean | undefined
  /** when to send it, ISO 8601 with an offset, at most 90 days ahead; by default now */
  readonly sendAt?: string | undefined
}

/** An answer to an invitation */
export interface RsvpBody {
  /** the answer */
  readonly status: "accepted" | "tentative" | "declined"
  /** a text for the organizer */
  readonly comment?: string | undefined
}

/** Recipients of a forward, and an optional comment */
export interface ForwardBody {
  /** recipients, at least one */
  readonly to: ReadonlyArray<Recipient>
  /** recipients of copies */
  readonly cc?: ReadonlyArray<Recipient> | undefined
  /** recipients of blind copies */
  readonly bcc?: ReadonlyArray<Recipient> | undefined
  /** the text part */
  readonly bodyText?: string | undefined
  /** the HTML part */
  readonly bodyHtml?: string | undefined
  /** the answered message: its id here, or its Message-ID with or without angle brackets */
  readonly inReplyTo?: string | undefined
  /** ids of uploads, or files as base64 */
  readonly attachments?: ReadonlyArray<string | InlineAttachment | FileUpload> | undefined
  /** additional header fields, X-Custom-* only */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** address of the Reply-To header */
  readonly replyTo?: Recipient | undefined
  /** labels of the stored message */
  readonly labels?: ReadonlyArray<string> | undefined
  /**
   * true: each recipient gets a mail of their own, which names no other recipient and has a link to
   * unsubscribe
   */
  readonly bulk?: boolean | undefined
  /** when to send it, ISO 8601 with an offset, at most 90 days ahead; by default now */
  readonly sendAt?: string | undefined
}

/** The list of threads */
export interface ThreadsList {
  /** the threads */
  readonly threads: ReadonlyArray<Thread>
  /** metadata of the list */
  readonly metadata: {
    /** number of gated messages, which the list hides */
    readonly overLimitCount: number
    /** how to lift the inbound limit; absent when nothing is gated */
    readonly upgrade?: Upgrade | undefined
    /** usage of the inbound quota; present from 50 percent on */
    readonly limitHint?: InboundUsage | undefined
    /** maximal length of the list: 50 */
    readonly limit: number
    /** always 0: there are no pages */
    readonly offset: number
    /** always false: there are no pages */
    readonly hasMore: boolean
  }
}

/** A conversation */
export interface Thread {
  /** id of the thread; it does not change */
  readonly id: string
  /** the mailbox it is in */
  readonly mailboxId: string
  /** subject of the first message */
  readonly subject: string
  /** the addresses in its messages, at most 100 */
  readonly participants: ReadonlyArray<string>
  /** number of visible messages */
  readonly messageCount: number
  /** time of the newest visible message */
  readonly lastMessageAt: Timestamp
  /** time of the first message */
  readonly createdAt: Timestamp
  /** since when a person answers it, and sends of keys are refused; null when nobody has taken it over */
  readonly takenOverAt: Timestamp | null
}

/** A conversation with its messages */
export interface ThreadWithMessages {
  /** id of the thread; it does not change */
  readonly id: string
  /** the mailbox it is in */
  readonly mailboxId: string
  /** subject of the first message */
  readonly subject: string
  /** the addresses in its messages, at most 100 */
  readonly participants: ReadonlyArray<string>
  /** number of visible messages */
  readonly messageCount: number
  /** time of the newest visible message */
  readonly lastMessageAt: Timestamp
  /** time of the first message */
  readonly createdAt: Timestamp
  /** since when a person answers it, and sends of keys are refused; null when nobody has taken it over */
  readonly takenOverAt: Timestamp | null
  /** visible messages, oldest first; at most the newest 500 */
  readonly messages: ReadonlyArray<MessageListItem>
}

/** Changes of all visible messages of a thread; absent fields do not change */
export interface ThreadPatch {
  /** labels to add; the others stay */
  readonly addLabels?: ReadonlyArray<string> | undefined
  /** labels to remove; the others stay */
  readonly removeLabels?: ReadonlyArray<string> | undefined
  /** true marks as read, false as unread */
  readonly read?: boolean | undefined
}

/** A page of drafts */
export interface DraftsPage {
  /** the drafts of the page */
  readonly drafts: ReadonlyArray<DraftListItem>
  /** metadata of the page */
  readonly metadata: {
    /** maximal length of the page */
    readonly limit: number
    /** whether there are more entries after this page */
    readonly hasMore: boolean
    /** `cursor` of the next page; absent on the last page */
    readonly nextCursor?: string | undefined
  }
}

/** A draft in a list: bodies cut at 64 kB */
export interface DraftListItem {
  /** id of the draft, and of the message that is made of it */
  readonly id: string
  /** the mailbox that sends it */
  readonly mailboxId: string
  /** what it waits for, or why it was not sent */
  readonly status: DraftStatus
  /** address in the From header of its mail */
  readonly fromAddress: string
  /**
   * display name in the From header of its mail: that of the mailbox now, or of the submitted mail; null for
   * none
   */
  readonly fromName: string | null
  /** recipients */
  readonly to: ReadonlyArray<string>
  /** recipients of copies */
  readonly cc: ReadonlyArray<string>
  /** recipients of blind copies */
  readonly bcc: ReadonlyArray<string>
  /** the subject; null for none yet */
  readonly subject: string | null
  /** the text part; null for none */
  readonly bodyText: string | null
  /** the HTML part; null for none */
  readonly bodyHtml: string | null
  /** the answered message: its id here, or its Message-ID; null for none */
  readonly inReplyTo: string | null
  /** the files */
  readonly attachments: ReadonlyArray<DraftAttachment>
  /** additional header fields */
  readonly headers: Readonly<Record<string, string>>
  /** address of the Reply-To header; null for none */
  readonly replyTo: string | null
  /** labels of the message that is made of it */
  readonly labels: ReadonlyArray<string>
  /** whether each recipient gets a mail of their own, with a link to unsubscribe */
  readonly bulk: boolean
  /**
   * the mail as it was submitted by SMTP, whose body is sent unchanged; null for any other draft, and after a
   * change of the mail
   */
  readonly submitted: DraftAttachment | null
  /** when it is sent; null without a schedule */
  readonly sendAt: Timestamp | null
  /** the client's own id; null for none */
  readonly clientId: string | null
  /**
   * SHA-256 over recipients, subject, bodies, files, display name and time: an approval names it. Lower-case
   * hex
   */
  readonly digest: string
  /** the review; null for a draft that no policy held */
  readonly review: {
    /** when the send was held */
    readonly requestedAt: Timestamp
    /** when the review ends without a decision */
    readonly expiresAt: Timestamp
    /** why it was held */
    readonly reasons: ReadonlyArray<HoldReason>
  } | null
  /** why it was not sent; null for other drafts */
  readonly error: DraftError | null
  /** time of creation */
  readonly createdAt: Timestamp
  /** time of the last change */
  readonly updatedAt: Timestamp
  /** true when a body is cut at 64 kB; a single read returns it whole */
  readonly truncated?: boolean | undefined
}

/** A draft to create; every field is optional */
export interface DraftBody {
  /** recipients of copies */
  readonly cc?: ReadonlyArray<Recipient> | undefined
  /** recipients of blind copies */
  readonly bcc?: ReadonlyArray<Recipient> | undefined
  /** the text part */
  readonly bodyText?: string | undefined
  /** the HTML part */
  readonly bodyHtml?: string | undefined
  /** the answered message: its id here, or its Message-ID with or without angle brackets */
  readonly inReplyTo?: string | undefined
  /** ids of uploads, or files as base64 */
  readonly attachments?: ReadonlyArray<string | InlineAttachment | FileUpload> | undefined
  /** additional header fields, X-Custom-* only */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** address of the Reply-To header */
  readonly replyTo?: Recipient | undefined
  /** labels of the stored message */
  readonly labels?: ReadonlyArray<string> | undefined
  /**
   * true: each recipient gets a mail of their own, which names no other recipient and has a link to
   * unsubscribe
   */
  readonly bulk?: boolean | undefined
  /** recipients; a send needs at least one */
  readonly to?: ReadonlyArray<Recipient> | undefined
  /** the subject; a send needs one */
  readonly subject?: Subject | undefined
  /** when to send it, ISO 8601 with an offset, at most 90 days ahead; by default now */
  readonly sendAt?: string | undefined
  /** the client's own id, unique in the mailbox: a repeated creation answers with the draft that has it */
  readonly clientId?: string | undefined
}

/** Changes of a draft; absent fields stay, and `attachments` names all files */
export interface DraftPatch {
  /** recipients of copies */
  readonly cc?: ReadonlyArray<Recipient> | undefined
  /** recipients of blind copies */
  readonly bcc?: ReadonlyArray<Recipient> | undefined
  /** ids of uploads, or files as base64 */
  readonly attachments?: ReadonlyArray<string | InlineAttachment> | undefined
  /** additional header fields, X-Custom-* only */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** labels of the stored message */
  readonly labels?: ReadonlyArray<string> | undefined
  /**
   * true: each recipient gets a mail of their own, which names no other recipient and has a link to
   * unsubscribe
   */
  readonly bulk?: boolean | undefined
  /** recipients; a send needs at least one */
  readonly to?: ReadonlyArray<Recipient> | undefined
  /** the subject; null: none */
  readonly subject?: Subject | null | undefined
  /** the text part; null: none */
  readonly bodyText?: string | null | undefined
  /** the HTML part; null: none */
  readonly bodyHtml?: string | null | undefined
  /** the answered message; null: none */
  readonly inReplyTo?: string | null | undefined
  /** address of the Reply-To header; null: none */
  readonly replyTo?: Recipient | null | undefined
  /** when to send it; null: cancel the schedule */
  readonly sendAt?: string | null | undefined
}

/** An approval of exactly this draft */
export interface ApproveBody {
  /** digest of the draft that was looked at */
  readonly digest: string
  /** changes of the approver; the changed draft is sent */
  readonly edits?: DraftChanges | undefined
}

/** Changes of a draft; absent fields stay, and `attachments` names all files */
export interface DraftChanges {
  /** recipients of copies */
  readonly cc?: ReadonlyArray<Recipient> | undefined
  /** recipients of blind copies */
  readonly bcc?: ReadonlyArray<Recipient> | undefined
  /** ids of uploads, or files as base64 */
  readonly attachments?: ReadonlyArray<string | InlineAttachment> | undefined
  /** additional header fields, X-Custom-* only */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** labels of the stored message */
  readonly labels?: ReadonlyArray<string> | undefined
  /**
   * true: each recipient gets a mail of their own, which names no other recipient and has a link to
   * unsubscribe
   */
  readonly bulk?: boolean | undefined
  /** recipients; a send needs at least one */
  readonly to?: ReadonlyArray<Recipient> | undefined
  /** the subject; null: none */
  readonly subject?: Subject | null | undefined
  /** the text part; null: none */
  readonly bodyText?: string | null | undefined
  /** the HTML part; null: none */
  readonly bodyHtml?: string | null | undefined
  /** the answered message; null: none */
  readonly inReplyTo?: string | null | undefined
  /** address of the Reply-To header; null: none */
  readonly replyTo?: Recipient | null | undefined
}

/** A rejection */
export interface RejectBody {
  /** a text for whoever wrote the draft */
  readonly reason?: string | undefined
}

/** Which message to claim, and for how long */
export interface ClaimNextBody {
  /** length of the lease in seconds, 1 to 3600; 60 by default */
  readonly leaseSeconds?: number | undefined
  /** seconds to wait for a message when none is free, 0 to 55; 0 by default */
  readonly timeout?: number | undefined
  /** conditions that the message must meet */
  readonly filter?: ClaimFilter | undefined
}

/** The messages that a claim is for; all conditions must hold, absent ones do not matter */
export interface ClaimFilter {
  /** only messages of this thread */
  readonly threadId?: string | undefined
  /** only messages with this address in From; `@example.org` for all addresses of a domain */
  readonly from?: string | undefined
  /**
   * only messages with this address in To, Cc or `deliveredTo`; `@example.org` for all addresses of a domain
   */
  readonly to?: string | undefined
  /** only messages with this text in the subject, in any case */
  readonly subject?: string | undefined
  /** created at or after this time */
  readonly since?: string | undefined
  /** created before this time */
  readonly before?: string | undefined
  /** only messages with all these labels */
  readonly labels?: ReadonlyArray<string> | undefined
  /** true for messages that are not marked as read, false for the others */
  readonly unread?: boolean | undefined
  /** true for messages with attachments, false for those without */
  readonly hasAttachment?: boolean | undefined
  /** true for messages with a code in `codes`, false for those without */
  readonly hasCode?: boolean | undefined
  /** true for messages with a link in `links`, false for those without */
  readonly hasLink?: boolean | undefined
}

/** The claim that the caller holds */
export interface HeldClaim {
  /** proves that the message is yours: keep it for renew, release and complete */
  readonly token: string
  /** when the lease ends */
  readonly expiresAt: Timestamp
}

/** How long to claim a message */
export interface ClaimBody {
  /** length of the lease in seconds, 1 to 3600; 60 by default */
  readonly leaseSeconds?: number | undefined
}

/** The claim to renew */
export interface RenewBody {
  /** the token of the claim */
  readonly token: string
  /** length of the lease from now on, in seconds; as long as the last time by default */
  readonly leaseSeconds?: number | undefined
}

/** The claim to release, or nothing for a quarantined message */
export interface ReleaseBody {
  /** the token of the claim to release; absent to release a quarantined message */
  readonly token?: string | undefined
}

/** The claim to end */
export interface ClaimTokenBody {
  /** the token of the claim */
  readonly token: string
}

/** A page of the messages of several mailboxes */
export interface AccountMessagesPage {
  /** the messages of the page */
  readonly messages: ReadonlyArray<MessageListItem>
  /** metadata of the page and the list */
  readonly metadata: {
    /** number of gated messages, which the list hides */
    readonly overLimitCount: number
    /** how to lift the inbound limit; absent when nothing is gated */
    readonly upgrade?: Upgrade | undefined
    /** usage of the inbound quota; present from 50 percent on */
    readonly limitHint?: InboundUsage | undefined
    /** maximal length of the page */
    readonly limit: number
    /** whether there are more entries after this page */
    readonly hasMore: boolean
    /** `cursor` of the next page; absent on the last page */
    readonly nextCursor?: string | undefined
  }
}

/** A page of threads */
export interface AccountThreadsPage {
  /** the threads of the page */
  readonly threads: ReadonlyArray<Thread>
  /** metadata of the page and the list */
  readonly metadata: {
    /** number of gated messages, which the list hides */
    readonly overLimitCount: number
    /** how to lift the inbound limit; absent when nothing is gated */
    readonly upgrade?: Upgrade | undefined
    /** usage of the inbound quota; present from 50 percent on */
    readonly limitHint?: InboundUsage | undefined
    /** maximal length of the page */
    readonly limit: number
    /** whether there are more entries after this page */
    readonly hasMore: boolean
    /** `cursor` of the next page; absent on the last page */
    readonly nextCursor?: string | undefined
  }
}

/** A page of found messages */
export interface SearchResults {
  /** the messages of the page */
  readonly messages: ReadonlyArray<FoundMessage>
  /** metadata of the page */
  readonly metadata: {
    /** maximal length of the page */
    readonly limit: number
    /** whether there are more entries after this page */
    readonly hasMore: boolean
    /** `cursor` of the next page; absent on the last page */
    readonly nextCursor?: string | undefined
  }
}

/** A message in a list, and where the query matches */
export interface FoundMessage {
  /** id of the message */
  readonly id: string
  /** the mailbox it is in */
  readonly mailboxId: string
  /** INBOUND for received, OUTBOUND for sent */
  readonly direction: Direction
  /** the envelope recipient, with its +tag; null for sent messages and for those of earlier versions */
  readonly deliveredTo: string | null
  /** RFC 5322 Message-ID, angle brackets included */
  readonly messageId: string
  /** Message-ID of the answered mail; null for none */
  readonly inReplyTo: string | null
  /** Message-IDs of the References header, oldest first */
  readonly references: ReadonlyArray<string>
  /** address of the From header */
  readonly fromAddress: string
  /** display name of the From header; null for none */
  readonly fromName: string | null
  /** addresses of the To header */
  readonly toAddresses: ReadonlyArray<string>
  /** addresses of the Cc header */
  readonly ccAddresses: ReadonlyArray<string>
  /** blind copies of a sent message; empty for received ones */
  readonly bccAddresses: ReadonlyArray<string>
  /** address of the Reply-To header; null for none */
  readonly replyTo: string | null
  /** the subject; empty when there is none */
  readonly subject: string
  /**
   * the text part. For inbound mail never null: HTML without a text alternative counts with its text; empty
   * without a body
   */
  readonly bodyText: string | null
  /** the HTML part; null when there is none */
  readonly bodyHtml: string | null
  /**
   * new text of the author, without quotes and signature; of a sent message without a text part the text of
   * its HTML, of its first 512 kB; null without text
   */
  readonly extractedText: string | null
  /** whether it has attachments */
  readonly hasAttachments: boolean
  /** whether attachments were dropped */
  readonly attachmentsDropped: boolean
  /** why attachments were dropped: too large, too many, or both; null when none was */
  readonly attachmentsDroppedReason: "size" | "count" | "both" | null
  /** true for an auto-reply, a list mail or a report: do not reply to it */
  readonly automated: boolean
  /** whether the sender's domain is proven; null for sent and imported messages */
  readonly authentication: SenderAuthentication | null
  /** one-time codes found in the text */
  readonly codes: ReadonlyArray<{
    /** the code */
    readonly code: string
    /** the text around it */
    readonly context: string
  }>
  /** links found in the bodies */
  readonly links: ReadonlyArray<{
    /** target of the link */
    readonly url: string
    /** text of the link, or the target */
    readonly text: string
  }>
  /** the invitation in a received mail; null without one */
  readonly calendar: Calendar | null
  /**
   * where it comes from, and whether it hides something; null for sent messages and for those of earlier
   * versions
   */
  readonly trust: Trust | null
  /** result of the operator's spam filter; null for sent messages and without a result */
  readonly spam: Spam | null
  /** time of storage; of an imported message, when it was received or sent */
  readonly createdAt: Timestamp
  /**
   * when the service, or for an imported message the server before it, accepted it; null for sent messages
   */
  readonly receivedAt: Timestamp | null
  /** the attachments */
  readonly attachments: ReadonlyArray<Attachment>
  /** the thread it belongs to */
  readonly threadId: string
  /** RECEIVED for inbound messages; else the progress of the delivery */
  readonly status: MessageStatus
  /** whether it is gated, above the inbound limit */
  readonly overLimit: boolean
  /** labels set by clients */
  readonly labels: ReadonlyArray<string>
  /** when it was marked as read; null while unread */
  readonly readAt: Timestamp | null
  /**
   * when the relay accepted it, or when an imported message was sent; null before that, and for inbound
   * messages
   */
  readonly sentAt: Timestamp | null
  /** who works on it, and until when; null while it is free */
  readonly claim: MessageClaim | null
  /** since when it is quarantined, and why; null: it is not */
  readonly quarantined: Quarantine | null
  /** true when a body is cut at 64 kB; a single read returns it whole */
  readonly truncated?: boolean | undefined
  /** where the query matches */
  readonly highlights: SearchHighlights
}

/** Where the query matches, as HTML: escaped text with `<mark>` around the words */
export interface SearchHighlights {
  /** the subject; absent when no word of the query is in it */
  readonly subject?: string | undefined
  /** name and address of the sender; absent when no word of the query is in them */
  readonly from?: string | undefined
  /** a part of the text around the first match; absent when no word of the query is in it */
  readonly text?: string | undefined
}

/** What was received and sent in a range of time */
export interface Metrics {
  /** every hour or day of the range, oldest first */
  readonly series: ReadonlyArray<MetricPoint>
  /** the sums over the series */
  readonly totals: MetricCounts
}

/** The counters of one hour or day */
export interface MetricPoint {
  /** start of the hour or day, UTC */
  readonly at: Timestamp
  /** messages that arrived, gated and quarantined ones included */
  readonly received: number
  /** messages that the relay, or a mailbox of this service, accepted */
  readonly sent: number
  /** recipients to whom a delivery was reported */
  readonly delivered: number
  /** recipients whose mail bounced, for good or for now */
  readonly bounced: number
  /** recipients who reported a message as spam */
  readonly complained: number
  /** received messages above the inbound limit */
  readonly gated: number
  /** received messages that were quarantined */
  readonly quarantined: number
}

/** Counters of mail */
export interface MetricCounts {
  /** messages that arrived, gated and quarantined ones included */
  readonly received: number
  /** messages that the relay, or a mailbox of this service, accepted */
  readonly sent: number
  /** recipients to whom a delivery was reported */
  readonly delivered: number
  /** recipients whose mail bounced, for good or for now */
  readonly bounced: number
  /** recipients who reported a message as spam */
  readonly complained: number
  /** received messages above the inbound limit */
  readonly gated: number
  /** received messages that were quarantined */
  readonly quarantined: number
}

/** An attachment with a link to its bytes */
export interface AttachmentLink {
  /** id of the attachment */
  readonly id: string
  /** message of the file; null for an upload that is not sent yet */
  readonly messageId: string | null
  /** name of the file */
  readonly filename: string
  /** MIME type; for an invitation with its method: `text/calendar; method=REQUEST` */
  readonly contentType: string
  /** size of the file, bytes */
  readonly sizeBytes: number
  /** Content-ID of an inline image, without angle brackets; null for other files */
  readonly contentId: string | null
  /** time of the upload or the arrival */
  readonly createdAt: Timestamp
  /** presigned link for GET, valid for 24 hours */
  readonly url: string
}

/** A part of the text inside an attachment */
export interface AttachmentText {
  /** the text from `offset` on, at most `maxChars` characters */
  readonly text: string
  /** where this part begins, in UTF-16 units from the start of the text */
  readonly offset: number
  /** `offset` of the next part; null at the end */
  readonly nextOffset: number | null
  /** length of the whole text in UTF-16 units */
  readonly total: number
  /** kind of file, by its bytes */
  readonly kind: DocumentKind
  /** true when the file has more than the 2,000,000 characters that are kept */
  readonly truncated?: boolean | undefined
}

/** Kind of file that the text was read from */
export type DocumentKind = "pdf" | "word" | "excel" | "powerpoint" | "opendocument" | "rtf" | "html" | "csv" | "json" | "text" | "calendar" | "mail"

/** The file has no text that could be read */
export interface UnsupportedMediaType {
  /** what went wrong, for people */
  readonly error: string
  /** what went wrong, for programs; stable */
  readonly code: "NO_TEXT"
}

/** The file cannot be read */
export interface Unprocessable {
  /** what went wrong, for people */
  readonly error: string
  /** what went wrong, for programs; stable */
  readonly code: "TEXT_DAMAGED" | "TEXT_ENCRYPTED" | "TEXT_TOO_LARGE" | "TEXT_TOO_SLOW"
}

/** A custom domain */
export interface Domain {
  /** id of the domain */
  readonly id: string
  /** the domain name, lower-case, international labels as A-labels */
  readonly domain: string
  /** VERIFIED when MX, SPF and DKIM are VALID; FAILED when they were not in time */
  readonly status: DomainStatus
  /** whether the MX record is VALID */
  readonly mxVerified: boolean
  /** whether the SPF record is VALID */
  readonly spfVerified: boolean
  /** whether the DKIM record is VALID */
  readonly dkimVerified: boolean
  /** whether the DMARC record is VALID; recommended, not required */
  readonly dmarcVerified: boolean
  /** time of creation */
  readonly createdAt: Timestamp
  /** time of the last change of status or records */
  readonly updatedAt: Timestamp
}

/** Only a VERIFIED domain can have mailboxes */
export type DomainStatus = "PENDING_VERIFICATION" | "VERIFIED" | "FAILED"

/** The domain to claim */
export interface CreateDomainBody {
  /** a domain name of two labels or more, international ones in either form */
  readonly domain: string
}

/** The DNS records that the owner of the domain publishes */
export interface DnsRecords {
  /** routes mail for the domain to the service */
  readonly mx: DnsRecord
  /** allows the service to send for the domain */
  readonly spf: DnsRecord
  /** the signing key, then the next key if there is one */
  readonly dkim: ReadonlyArray<DnsRecord>
  /** recommended, not required */
  readonly dmarc: DnsRecord
}

/** A domain with its DNS records */
export interface DomainWithRecords {
  /** the domain */
  readonly domain: Domain
  /** the DNS records to publish, and their state */
  readonly dnsRecords: DnsRecords
}

/** A domain after a check */
export interface CheckedDomain {
  /** the domain */
  readonly domain: Domain
  /** the DNS records to publish, and their state */
  readonly dnsRecords: DnsRecords
  /** result of the check */
  readonly verification: {
    /** whether MX, SPF and DKIM are VALID, so that the domain can have mailboxes; DMARC is recommended */
    readonly allVerified: boolean
  }
}

/** Suppressed addresses */
export interface SuppressionsPage {
  /** the entries of the page */
  readonly suppressions: ReadonlyArray<Suppression>
  /** metadata of the page */
  readonly metadata: {
    /** maximal length of the page */
    readonly limit: number
    /** whether there are more entries after this page */
    readonly hasMore: boolean
    /** `cursor` of the next page; absent on the last page */
    readonly nextCursor?: string | undefined
  }
}

/** A suppressed address */
export interface Suppression {
  /** id of the entry */
  readonly id: string
  /** the address, lower-case */
  readonly email: string
  /** why it is suppressed */
  readonly reason: SuppressionReason
  /** the mailbox that must not send to the address; absent: no mailbox of the account may */
  readonly mailboxId?: string | undefined
  /** time of the suppression */
  readonly createdAt: Timestamp
}

/** Why an address is suppressed */
export type SuppressionReason = "BOUNCE" | "COMPLAINT" | "MANUAL"

/** The address to suppress */
export interface CreateSuppressionBody {
  /** the address to suppress */
  readonly email: EmailAddress
  /** the mailbox that must not send to the address; without it, no mailbox of the account may */
  readonly mailboxId?: string | undefined
  /** MANUAL, which is the default: only reports set the other reasons */
  readonly reason?: "MANUAL" | undefined
}

/** Entries of an allow list or a block list */
export interface ListEntriesPage {
  /** the entries of the page */
  readonly entries: ReadonlyArray<ListEntry>
  /** metadata of the page */
  readonly metadata: {
    /** maximal length of the page */
    readonly limit: number
    /** whether there are more entries after this page */
    readonly hasMore: boolean
    /** `cursor` of the next page; absent on the last page */
    readonly nextCursor?: string | undefined
  }
}

/** An entry of an allow list or a block list */
export interface ListEntry {
  /** id of the entry */
  readonly id: string
  /**
   * an address, `@example.org` for all addresses at a domain, or `@*.example.org` for all at its subdomains
   */
  readonly entry: string
  /** why it is on the list; null when nobody said */
  readonly reason: string | null
  /** time of the addition */
  readonly createdAt: Timestamp
}

/** An entry to add to a list */
export interface CreateListEntryBody {
  /**
   * an address, `@example.org` for all addresses at a domain, or `@*.example.org` for all at its subdomains
   */
  readonly entry: string
  /** why it is on the list; at most 500 characters */
  readonly reason?: string | null | undefined
}

/** A registered receiver of events */
export interface Webhook {
  /** id of the webhook */
  readonly id: string
  /** URL to which events are posted */
  readonly url: string
  /** mailbox whose events it gets; null for all mailboxes */
  readonly mailboxId: string | null
  /** the kinds of events it gets; a later version may add kinds */
  readonly events: ReadonlyArray<EventKind | string>
  /** custom request headers, values masked; null for none */
  readonly headers: Readonly<Record<string, string>> | null
  /** only an ACTIVE webhook gets deliveries */
  readonly status: WebhookStatus
  /** deliveries in a row that used all their attempts */
  readonly failureCount: number
  /** time of the last attempt; null before the first */
  readonly lastTriggeredAt: Timestamp | null
  /** time of creation */
  readonly createdAt: Timestamp
  /** time of the last change */
  readonly updatedAt: Timestamp
}

/** The kind of an event */
export type EventKind = "message.received" | "message.sent" | "message.delivered" | "message.bounced" | "message.complaint" | "mailbox.sending_warning" | "mailbox.sending_stopped" | "message.quarantined" | "draft.review_requested" | "draft.approved" | "draft.rejected" | "draft.expired" | "draft.withdrawn" | "draft.failed" | "thread.taken_over" | "thread.released"

/** Only an ACTIVE webhook gets deliveries */
export type WebhookStatus = "ACTIVE" | "PAUSED" | "FAILED"

/** A webhook to register */
export interface CreateWebhookBody {
  /** URL for events: https, at a public address */
  readonly url: string
  /** kinds of events to post, at least one */
  readonly events: ReadonlyArray<EventKind>
  /** only events of this mailbox */
  readonly mailboxId?: string | undefined
  /** custom request headers, sent with every delivery */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Changes of a webhook; absent fields do not change */
export interface UpdateWebhookBody {
  /** the new URL */
  readonly url?: string | undefined
  /** the new kinds of events */
  readonly events?: ReadonlyArray<EventKind> | undefined
  /** the new custom headers, which replace all earlier ones; null for none */
  readonly headers?: Readonly<Record<string, string>> | null | undefined
  /**
   * ACTIVE starts the webhook. PAUSED stops all attempts, and events in the meantime are not delivered later
   */
  readonly status?: string | undefined
}

/** A test event */
export interface TestWebhookBody {
  /** kind of the test event; default is the first kind of the webhook */
  readonly event?: EventKind | undefined
}

/** One event on its way to one webhook */
export interface Delivery {
  /** id of the delivery; the same in every attempt */
  readonly id: string
  /** the kind of the event: an EventKind, or one that a later version adds */
  readonly event: EventKind | string
  /** id of the event in the stream and the log */
  readonly eventId: string
  /** PENDING is attempted until it is DELIVERED or FAILED */
  readonly status: DeliveryStatus
  /** number of attempts */
  readonly attempts: number
  /** HTTP status of the last attempt; null without a response */
  readonly responseStatus: number | null
  /** why the last attempt got no response; null otherwise */
  readonly lastError: string | null
  /** time of the next attempt; null unless PENDING */
  readonly nextRetryAt: Timestamp | null
  /** when the event happened */
  readonly createdAt: Timestamp
  /** when the receiver accepted it; null before that */
  readonly deliveredAt: Timestamp | null
}

/** PENDING is attempted until it is DELIVERED or FAILED */
export type DeliveryStatus = "PENDING" | "DELIVERED" | "FAILED"

/** A webhook, with its secret */
export interface CreatedWebhook {
  /** the webhook */
  readonly webhook: {
    /** id of the webhook */
    readonly id: string
    /** URL to which events are posted */
    readonly url: string
    /** mailbox whose events it gets; null for all mailboxes */
    readonly mailboxId: string | null
    /** the kinds of events it gets; a later version may add kinds */
    readonly events: ReadonlyArray<EventKind | string>
    /** custom request headers, values masked; null for none */
    readonly headers: Readonly<Record<string, string>> | null
    /** only an ACTIVE webhook gets deliveries */
    readonly status: WebhookStatus
    /** deliveries in a row that used all their attempts */
    readonly failureCount: number
    /** time of the last attempt; null before the first */
    readonly lastTriggeredAt: Timestamp | null
    /** time of creation */
    readonly createdAt: Timestamp
    /** time of the last change */
    readonly updatedAt: Timestamp
    /** secret `whsec_…`; only creation and rotation show it */
    readonly secret: string
  }
}

/** Deliveries of a webhook */
export interface DeliveriesPage {
  /** the deliveries of the page */
  readonly deliveries: ReadonlyArray<Delivery>
  /** metadata of the page */
  readonly metadata: {
    /** maximal length of the page */
    readonly limit: number
    /** whether there are more entries after this page */
    readonly hasMore: boolean
    /** `cursor` of the next page; absent on the last page */
    readonly nextCursor?: string | undefined
  }
}

/** A delivery with its payload */
export interface DeliveryWithPayload {
  /** id of the delivery; the same in every attempt */
  readonly id: string
  /** the kind of the event: an EventKind, or one that a later version adds */
  readonly event: EventKind | string
  /** id of the event in the stream and the log */
  readonly eventId: string
  /** PENDING is attempted until it is DELIVERED or FAILED */
  readonly status: DeliveryStatus
  /** number of attempts */
  readonly attempts: number
  /** HTTP status of the last attempt; null without a response */
  readonly responseStatus: number | null
  /** why the last attempt got no response; null otherwise */
  readonly lastError: string | null
  /** time of the next attempt; null unless PENDING */
  readonly nextRetryAt: Timestamp | null
  /** when the event happened */
  readonly createdAt: Timestamp
  /** when the receiver accepted it; null before that */
  readonly deliveredAt: Timestamp | null
  /** the request body; null when the event is no longer in the log */
  readonly payload: EventEnvelope | null
}

/** An event, as the body of a webhook delivery and the data of a stream frame */
export type EventEnvelope = MessageReceivedEvent | MessageSentEvent | MessageDeliveredEvent | MessageBouncedEvent | MessageComplaintEvent | MailboxSendingWarningEvent | MailboxSendingStoppedEvent | MessageQuarantinedEvent | DraftReviewRequestedEvent | DraftApprovedEvent | DraftRejectedEvent | DraftExpiredEvent | DraftWithdrawnEvent | DraftFailedEvent | ThreadTakenOverEvent | ThreadReleasedEvent

/** Events of the log */
export interface EventLogPage {
  /** the events of the page, oldest first */
  readonly events: ReadonlyArray<{
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "message.received"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: MessageReceivedStub | MessageReceivedData
  } | {
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "message.sent"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: MessageSentData
  } | {
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "message.delivered"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: MessageDeliveredData
  } | {
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "message.bounced"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: MessageBouncedData
  } | {
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "message.complaint"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: MessageComplaintData
  } | {
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "mailbox.sending_warning"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: MailboxSendingWarningData
  } | {
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "mailbox.sending_stopped"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: MailboxSendingStoppedData
  } | {
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "message.quarantined"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: MessageQuarantinedData
  } | {
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "draft.review_requested"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: DraftReviewRequestedData
  } | {
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "draft.approved"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: DraftApprovedData
  } | {
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "draft.rejected"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: DraftRejectedData
  } | {
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "draft.expired"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: DraftExpiredData
  } | {
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "draft.withdrawn"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: DraftWithdrawnData
  } | {
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "draft.failed"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: DraftFailedData
  } | {
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "thread.taken_over"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: ThreadTakenOverData
  } | {
    /** id of the event */
    readonly id: string
    /** the kind of the event */
    readonly event: "thread.released"
    /** when the event happened */
    readonly timestamp: Timestamp
    /** fields of this kind of event */
    readonly data: ThreadReleasedData
  }>
  /** metadata of the page */
  readonly metadata: {
    /**
     * whether there are more events after `nextAfter`; with a filter, a page can be short or empty before the
     * last one
     */
    readonly hasMore: boolean
    /** `after` of the next page; absent while the log is empty */
    readonly nextAfter?: string | undefined
  }
}

/** What to buy */
export interface UpgradeBody {
  /** plan to buy; default Developer */
  readonly plan?: "Developer" | "Growth" | "Scale" | undefined
  /** billing period; default monthly */
  readonly period?: "monthly" | "annual" | undefined
}

/** The new plan */
export interface ChangePlanBody {
  /** the new plan; Free ends the paid plan */
  readonly plan: "Free" | "Developer" | "Growth" | "Scale"
  /** the new billing period; default is the current one */
  readonly period?: "monthly" | "annual" | undefined
}

/** The new account */
export interface SignedUp {
  /** the account and its owner */
  readonly user: {
    /** id of the account */
    readonly id: string
    /** the owner's address */
    readonly email: string
    /** the subdomain of the account's addresses */
    readonly slug: string
    /** domain of the account's addresses */
    readonly platform_domain: string
  }
  /** the first mailbox */
  readonly mailbox: {
    /** id of the mailbox */
    readonly id: string
    /** full address of the mailbox */
    readonly address: string
  }
  /** the first key, with full access */
  readonly api_key: {
    /** the key; this response alone shows it */
    readonly key: string
  }
  /** whether the owner has verified the address */
  readonly email_verified: boolean
  /** hints for the next steps */
  readonly next_steps: {
    /** how the owner verifies the address */
    readonly verify_email: string
    /** how to create another mailbox */
    readonly create_mailbox: string
  }
}

/** The query of `signup.checkSlug`. */
export interface SignupCheckSlugQuery {
  /** 3 to 30 lower-case letters, digits and hyphens */
  readonly slug: Slug
}

export interface SignupVerifyEmailBody {
  /** token from the mail */
  readonly token: string
}

export interface SignupVerifyEmailResult {
  /** always true */
  readonly ok: true
  /** path of the next page of the dashboard */
  readonly target: string
}

export interface SignupResendVerificationBody {
  /** the owner's address */
  readonly email: EmailAddress
}

export interface SessionSignInBody {
  /** the owner's address */
  readonly email: EmailAddress
  /** the owner's password */
  readonly password: string
}

export interface Deleted {
  /** always true */
  readonly deleted: true
}

export interface AccountPostVerifyTargetResult {
  /** a path of the dashboard */
  readonly target: "/onboarding" | "/dashboard?verified=true"
}

export interface KeysListResult {
  /** the keys */
  readonly keys: ReadonlyArray<ApiKey>
}

/** The new key */
export interface CreatedKey {
  /** id of the key */
  readonly id: string
  /** name of the key */
  readonly name: string
  /** the key; this response alone shows it */
  readonly key: string
  /** the first 11 characters of the key */
  readonly prefix: string
  /** whether it is restricted to mailboxes */
  readonly scoped: boolean
  /** mailboxes in its scope; absent for full access */
  readonly mailboxIds?: ReadonlyArray<string> | undefined
  /** what it may do */
  readonly permissions: ReadonlyArray<Permission>
}

export interface Revoked {
  /** always true */
  readonly revoked: true
}

/** The query of `audit.list`. */
export interface AuditListQuery {
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

export interface MailboxesListResult {
  /** the mailboxes */
  readonly mailboxes: ReadonlyArray<Mailbox>
}

/** The query of `messages.wait`. */
export interface MessagesWaitQuery {
  /** only messages of this thread */
  readonly threadId?: string | undefined
  /** only messages with all these labels, separated by commas */
  readonly labels?: string | ReadonlyArray<string> | undefined
  /** true for messages that are not marked as read, false for the others */
  readonly unread?: boolean | undefined
  /** only messages with this address in From; `@example.org` for all addresses of a domain */
  readonly from?: string | undefined
  /**
   * only messages with this address in To, Cc or `deliveredTo`; `@example.org` for all addresses of a domain
   */
  readonly to?: string | undefined
  /** only messages with this text in the subject, in any case */
  readonly subject?: string | undefined
  /** true for messages with attachments, false for those without */
  readonly hasAttachment?: boolean | undefined
  /** created at or after this time */
  readonly since?: string | Date | undefined
  /** created before this time */
  readonly before?: string | Date | undefined
  /** true for messages with a code in `codes`, false for those without */
  readonly hasCode?: boolean | undefined
  /** true for messages with a link in `links`, false for those without */
  readonly hasLink?: boolean | undefined
  /** INBOUND for received messages, which is the default, or OUTBOUND for sent ones; by default "INBOUND" */
  readonly direction?: "INBOUND" | "OUTBOUND" | undefined
  /** seconds to wait, 0 to 55; by default 30 */
  readonly timeout?: number | undefined
  /** `after` of the previous wait: continues where it ended, without a gap and without a repetition */
  readonly after?: string | undefined
}

/** The query of `messages.waitAny`. */
export interface MessagesWaitAnyQuery {
  /** only messages of this thread */
  readonly threadId?: string | undefined
  /** only messages with all these labels, separated by commas */
  readonly labels?: string | ReadonlyArray<string> | undefined
  /** true for messages that are not marked as read, false for the others */
  readonly unread?: boolean | undefined
  /** only messages with this address in From; `@example.org` for all addresses of a domain */
  readonly from?: string | undefined
  /**
   * only messages with this address in To, Cc or `deliveredTo`; `@example.org` for all addresses of a domain
   */
  readonly to?: string | undefined
  /** only messages with this text in the subject, in any case */
  readonly subject?: string | undefined
  /** true for messages with attachments, false for those without */
  readonly hasAttachment?: boolean | undefined
  /** created at or after this time */
  readonly since?: string | Date | undefined
  /** created before this time */
  readonly before?: string | Date | undefined
  /** true for messages with a code in `codes`, false for those without */
  readonly hasCode?: boolean | undefined
  /** true for messages with a link in `links`, false for those without */
  readonly hasLink?: boolean | undefined
  /** INBOUND for received messages, which is the default, or OUTBOUND for sent ones; by default "INBOUND" */
  readonly direction?: "INBOUND" | "OUTBOUND" | undefined
  /** seconds to wait, 0 to 55; by default 30 */
  readonly timeout?: number | undefined
  /** `after` of the previous wait: continues where it ended, without a gap and without a repetition */
  readonly after?: string | undefined
}

/** The query of `messages.list`. */
export interface MessagesListQuery {
  /** only INBOUND or only OUTBOUND messages */
  readonly direction?: "INBOUND" | "OUTBOUND" | undefined
  /** only messages of this thread */
  readonly threadId?: string | undefined
  /** only messages with all these labels, separated by commas */
  readonly labels?: string | ReadonlyArray<string> | undefined
  /** true for messages that are not marked as read, false for the others */
  readonly unread?: boolean | undefined
  /** only messages with this address in From; `@example.org` for all addresses of a domain */
  readonly from?: string | undefined
  /**
   * only messages with this address in To, Cc or `deliveredTo`; `@example.org` for all addresses of a domain
   */
  readonly to?: string | undefined
  /** only messages with this text in the subject, in any case */
  readonly subject?: string | undefined
  /** true for messages with attachments, false for those without */
  readonly hasAttachment?: boolean | undefined
  /** created at or after this time */
  readonly since?: string | Date | undefined
  /** created before this time */
  readonly before?: string | Date | undefined
  /** desc for newest first, asc for oldest first */
  readonly order?: "desc" | "asc" | undefined
  /** quarantined: also messages in quarantine, which are hidden otherwise */
  readonly include?: "quarantined" | undefined
  /** true for messages in quarantine alone; false hides them, unless `include` asks */
  readonly quarantined?: boolean | undefined
  /**
   * preview: `bodyText` is the beginning of the new text, up to 200 characters in one line; the other bodies
   * are null, `links` and `references` empty, and `truncated` is true
   */
  readonly bodies?: "preview" | undefined
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
  /** only received messages that are free, claimed by a worker, or completed */
  readonly claim?: "free" | "claimed" | "completed" | undefined
  /** number of entries to skip; by default 0 */
  readonly offset?: number | undefined
}

/** The query of `messages.import`. */
export interface MessagesImportQuery {
  /** by default OUTBOUND for a mail from the mailbox, else INBOUND */
  readonly direction?: "INBOUND" | "OUTBOUND" | undefined
  /**
   * when the mail was received or sent; by default the date of its topmost Received field, else its Date,
   * else now; a time in the future becomes now
   */
  readonly receivedAt?: string | Date | undefined
  /** labels of the message, separated by commas */
  readonly labels?: string | ReadonlyArray<string> | undefined
  /** whether the message is marked as read */
  readonly read?: boolean | undefined
}

/** The query of `messages.get`. */
export interface MessagesGetQuery {
  /** quarantined: also messages in quarantine, which are hidden otherwise */
  readonly include?: "quarantined" | undefined
}

/** The query of `messages.raw`. */
export interface MessagesRawQuery {
  /** quarantined: also messages in quarantine, which are hidden otherwise */
  readonly include?: "quarantined" | undefined
}

/** The query of `messages.listAll`. */
export interface MessagesListAllQuery {
  /** only INBOUND or only OUTBOUND messages */
  readonly direction?: "INBOUND" | "OUTBOUND" | undefined
  /** only messages of this thread */
  readonly threadId?: string | undefined
  /** only messages with all these labels, separated by commas */
  readonly labels?: string | ReadonlyArray<string> | undefined
  /** true for messages that are not marked as read, false for the others */
  readonly unread?: boolean | undefined
  /** only messages with this address in From; `@example.org` for all addresses of a domain */
  readonly from?: string | undefined
  /**
   * only messages with this address in To, Cc or `deliveredTo`; `@example.org` for all addresses of a domain
   */
  readonly to?: string | undefined
  /** only messages with this text in the subject, in any case */
  readonly subject?: string | undefined
  /** true for messages with attachments, false for those without */
  readonly hasAttachment?: boolean | undefined
  /** created at or after this time */
  readonly since?: string | Date | undefined
  /** created before this time */
  readonly before?: string | Date | undefined
  /** desc for newest first, asc for oldest first */
  readonly order?: "desc" | "asc" | undefined
  /** quarantined: also messages in quarantine, which are hidden otherwise */
  readonly include?: "quarantined" | undefined
  /** true for messages in quarantine alone; false hides them, unless `include` asks */
  readonly quarantined?: boolean | undefined
  /**
   * preview: `bodyText` is the beginning of the new text, up to 200 characters in one line; the other bodies
   * are null, `links` and `references` empty, and `truncated` is true
   */
  readonly bodies?: "preview" | undefined
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

/** The query of `messages.searchAll`. */
export interface MessagesSearchAllQuery {
  /**
   * the query, such as `invoice from:acme.com -is:read "due on"`. Words must all match, in any order and any
   * spelling of case and accents; `"a phrase"`, `begin*`, `-not`, `OR`, parentheses; `from: to: cc: subject:
   * body: filename: label: thread:`, `has:attachment|code|link|invite`, `is:unread|read|automated`,
   * `in:inbound|outbound`, `before: after:` with a date, `larger: smaller:` with a size
   */
  readonly q: string
  /** relevance: the best of the newest matches first; date: every match, newest first */
  readonly sort?: "relevance" | "date" | undefined
  /**
   * preview: `bodyText` is the beginning of the new text, up to 200 characters in one line; the other bodies
   * are null, `links` and `references` empty, and `truncated` is true
   */
  readonly bodies?: "preview" | undefined
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

/** The query of `messages.search`. */
export interface MessagesSearchQuery {
  /**
   * the query, such as `invoice from:acme.com -is:read "due on"`. Words must all match, in any order and any
   * spelling of case and accents; `"a phrase"`, `begin*`, `-not`, `OR`, parentheses; `from: to: cc: subject:
   * body: filename: label: thread:`, `has:attachment|code|link|invite`, `is:unread|read|automated`,
   * `in:inbound|outbound`, `before: after:` with a date, `larger: smaller:` with a size
   */
  readonly q: string
  /** relevance: the best of the newest matches first; date: every match, newest first */
  readonly sort?: "relevance" | "date" | undefined
  /**
   * preview: `bodyText` is the beginning of the new text, up to 200 characters in one line; the other bodies
   * are null, `links` and `references` empty, and `truncated` is true
   */
  readonly bodies?: "preview" | undefined
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

/** The query of `threads.get`. */
export interface ThreadsGetQuery {
  /**
   * preview: `bodyText` is the beginning of the new text, up to 200 characters in one line; the other bodies
   * are null, `links` and `references` empty, and `truncated` is true
   */
  readonly bodies?: "preview" | undefined
}

/** The query of `threads.listAll`. */
export interface ThreadsListAllQuery {
  /** only threads of this mailbox */
  readonly mailboxId?: string | undefined
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

/** The query of `drafts.listAll`. */
export interface DraftsListAllQuery {
  /** only drafts in this state */
  readonly status?: "DRAFT" | "SCHEDULED" | "PENDING_REVIEW" | "REJECTED" | "FAILED" | undefined
  /**
   * preview: `bodyText` is the beginning of the new text, up to 200 characters in one line; the other bodies
   * are null, `links` and `references` empty, and `truncated` is true
   */
  readonly bodies?: "preview" | undefined
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

/** The query of `drafts.list`. */
export interface DraftsListQuery {
  /** only drafts in this state */
  readonly status?: "DRAFT" | "SCHEDULED" | "PENDING_REVIEW" | "REJECTED" | "FAILED" | undefined
  /**
   * preview: `bodyText` is the beginning of the new text, up to 200 characters in one line; the other bodies
   * are null, `links` and `references` empty, and `truncated` is true
   */
  readonly bodies?: "preview" | undefined
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

/** The query of `reviews.list`. */
export interface ReviewsListQuery {
  /**
   * preview: `bodyText` is the beginning of the new text, up to 200 characters in one line; the other bodies
   * are null, `links` and `references` empty, and `truncated` is true
   */
  readonly bodies?: "preview" | undefined
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

export interface NextClaim {
  /** the message; null when none was free in time */
  readonly message: Message | null
  /** the claim; null without a message */
  readonly claim: HeldClaim | null
}

export interface ClaimedMessage {
  /** the message */
  readonly message: Message
  /** the claim */
  readonly claim: HeldClaim
}

export interface ReleasedClaim {
  /** the claim, as messages show it */
  readonly claim: MessageClaim | null
  /** the message that was released from quarantine; absent when a claim was released */
  readonly message?: Message | undefined
}

/** The query of `metrics.read`. */
export interface MetricsReadQuery {
  /** start of the range; by default 30 days before `to`, or a day with `groupBy=hour` */
  readonly from?: string | Date | undefined
  /** end of the range, exclusive; by default now */
  readonly to?: string | Date | undefined
  /** only this mailbox */
  readonly mailboxId?: string | undefined
  /** one point for each hour, for at most 744 hours, or for each day, UTC */
  readonly groupBy?: "hour" | "day" | undefined
}

/** The uploaded file */
export interface UploadedAttachment {
  /** id of the attachment */
  readonly id: string
  /** name of the file */
  readonly filename: string
  /** MIME type; for an invitation with its method: `text/calendar; method=REQUEST` */
  readonly contentType: string
  /** size of the file, bytes */
  readonly sizeBytes: number
}

/** The query of `attachments.text`. */
export interface AttachmentsTextQuery {
  /** where the part begins, in UTF-16 units; `nextOffset` of the part before; by default 0 */
  readonly offset?: number | undefined
  /** maximal length of the part in UTF-16 units, 1 to 500000; by default 50000 */
  readonly maxChars?: number | undefined
}

/** The query of `attachments.download`. */
export interface AttachmentsDownloadQuery {
  /** expiry of the link, milliseconds since 1970 */
  readonly expires: number
  /** signature of the link */
  readonly signature: string
}

export interface DomainsListResult {
  /** the domains */
  readonly domains: ReadonlyArray<Domain>
}

/** A domain with its DNS records */
export interface DomainsCreateResult {
  /** the domain */
  readonly domain: Domain
  /** the DNS records to publish, and their state */
  readonly dnsRecords: DnsRecords
}

/** The query of `suppressions.list`. */
export interface SuppressionsListQuery {
  /** only this address */
  readonly email?: string | undefined
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

/** The query of `lists.list`. */
export interface ListsListQuery {
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

/** The query of `lists.listOfMailbox`. */
export interface ListsListOfMailboxQuery {
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

export interface WebhooksListResult {
  /** the webhooks */
  readonly webhooks: ReadonlyArray<Webhook>
}

/** the webhook */
export interface WebhooksCreateResult {
  /** id of the webhook */
  readonly id: string
  /** URL to which events are posted */
  readonly url: string
  /** mailbox whose events it gets; null for all mailboxes */
  readonly mailboxId: string | null
  /** the kinds of events it gets; a later version may add kinds */
  readonly events: ReadonlyArray<EventKind | string>
  /** custom request headers, values masked; null for none */
  readonly headers: Readonly<Record<string, string>> | null
  /** only an ACTIVE webhook gets deliveries */
  readonly status: WebhookStatus
  /** deliveries in a row that used all their attempts */
  readonly failureCount: number
  /** time of the last attempt; null before the first */
  readonly lastTriggeredAt: Timestamp | null
  /** time of creation */
  readonly createdAt: Timestamp
  /** time of the last change */
  readonly updatedAt: Timestamp
  /** secret `whsec_…`; only creation and rotation show it */
  readonly secret: string
}

/** The query of `webhooks.deliveries`. */
export interface WebhooksDeliveriesQuery {
  /** only deliveries with this status */
  readonly status?: "PENDING" | "DELIVERED" | "FAILED" | undefined
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

/** The query of `events.stream`. */
export interface EventsStreamQuery {
  /** only events of this mailbox */
  readonly mailboxId?: string | undefined
  /** comma-separated event kinds */
  readonly events?: string | ReadonlyArray<string> | undefined
}

/** The query of `events.log`. */
export interface EventsLogQuery {
  /** only events of this mailbox */
  readonly mailboxId?: string | undefined
  /** comma-separated event kinds */
  readonly events?: string | ReadonlyArray<string> | undefined
  /**
   * id of an event, or `metadata.nextAfter` of the previous page; without it the log is read from its
   * beginning. `latest`: the page is empty, and its `nextAfter` is the newest event
   */
  readonly after?: string | undefined
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
}

/** A checkout link for the owner */
export interface BillingUpgradeResult {
  /** page where the owner pays, for a browser */
  readonly checkout_url: string
  /** expiry of the link, Unix time in seconds */
  readonly expires_at: number
  /** hint for the owner */
  readonly message: string
}

export interface BillingPortalResult {
  /** the page for a browser */
  readonly url: string
}

/** The query of `admin.accounts`. */
export interface AdminAccountsQuery {
  /** a string that will be trimmed */
  readonly q?: string | undefined
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

export interface AdminAccountsResult {
  readonly accounts: ReadonlyArray<Account>
  readonly metadata: {
    /** maximal length of the page */
    readonly limit: number
    /** whether there are more entries after this page */
    readonly hasMore: boolean
    /** `cursor` of the next page; absent on the last page */
    readonly nextCursor?: string | undefined
  }
}

export interface AdminSuspendAccountBody {
  readonly reason: string
}

export interface AdminSetPlanBody {
  /** a plan, in any case */
  readonly plan: "Free" | "Developer" | "Growth" | "Scale"
}

export interface AdminSuspendMailboxBody {
  readonly reason?: string | null | undefined
}

export interface AdminCreateInvitationBody {
  readonly days?: number | undefined
}

export interface CreatedInvitation {
  readonly invitation: {
    readonly id: string
    readonly createdAt: Timestamp
    readonly expiresAt: Timestamp
    readonly usedAt: Timestamp | null
  }
  readonly token: string
}

export interface AdminInvitationsResult {
  readonly invitations: ReadonlyArray<{
    readonly id: string
    readonly createdAt: Timestamp
    readonly expiresAt: Timestamp
    readonly usedAt: Timestamp | null
  }>
}

/** The query of `admin.audit`. */
export interface AdminAuditQuery {
  /** a Universally Unique Identifier */
  readonly accountId?: string | undefined
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

/** The query of `admin.complaints`. */
export interface AdminComplaintsQuery {
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

export interface AdminComplaintsResult {
  readonly complaints: ReadonlyArray<Complaint>
  readonly metadata: {
    /** maximal length of the page */
    readonly limit: number
    /** whether there are more entries after this page */
    readonly hasMore: boolean
    /** `cursor` of the next page; absent on the last page */
    readonly nextCursor?: string | undefined
  }
}

/** The query of `admin.stoppedMailboxes`. */
export interface AdminStoppedMailboxesQuery {
  /** maximal length of the page, 1 to 100; by default 50 */
  readonly limit?: number | undefined
  /** `metadata.nextCursor` of the previous page; equally fast at any depth */
  readonly cursor?: string | undefined
}

export interface AdminStoppedMailboxesResult {
  readonly mailboxes: ReadonlyArray<StoppedMailbox>
  readonly metadata: {
    /** maximal length of the page */
    readonly limit: number
    /** whether there are more entries after this page */
    readonly hasMore: boolean
    /** `cursor` of the next page; absent on the last page */
    readonly nextCursor?: string | undefined
  }
}

export interface AdminErrorsResult {
  readonly errors: ReadonlyArray<LoggedError>
}

export interface PlatformDkim {
  readonly dkim: ReadonlyArray<DnsRecord>
}

/** The message; or the draft that it became, because it waits for a review or for its time. */
export type SendResult =
  | { readonly message: Message; readonly draft?: undefined }
  | { readonly draft: Draft; readonly message?: undefined }
