/** Generated from the contract by `npm run client`; do not edit. */
import type { Call } from "../Call.js"
import type { RequestOptions } from "../options.js"
import type { List } from "../Page.js"
import { Resource } from "../Resource.js"
import type {
  Account,
  AccountMessagesPage,
  AccountPostVerifyTargetResult,
  AccountThreadsPage,
  AdminAccountsQuery,
  AdminAccountsResult,
  AdminAuditQuery,
  AdminComplaintsQuery,
  AdminComplaintsResult,
  AdminCreateInvitationBody,
  AdminErrorsResult,
  AdminInvitationsResult,
  AdminSetPlanBody,
  AdminStoppedMailboxesQuery,
  AdminStoppedMailboxesResult,
  AdminSuspendAccountBody,
  AdminSuspendMailboxBody,
  ApiKey,
  ApproveBody,
  AttachmentLink,
  AttachmentText,
  AttachmentsTextQuery,
  AuditEntry,
  AuditListQuery,
  AuditPage,
  BillingPortalResult,
  BillingUpgradeResult,
  ChangePlanBody,
  CheckedDomain,
  ClaimBody,
  ClaimNextBody,
  ClaimTokenBody,
  ClaimedMessage,
  Complaint,
  CreateDomainBody,
  CreateKeyBody,
  CreateListEntryBody,
  CreateMailboxBody,
  CreateSuppressionBody,
  CreateWebhookBody,
  CreatedInvitation,
  CreatedKey,
  CreatedWebhook,
  DeleteAccountBody,
  Deleted,
  DeliveriesPage,
  Delivery,
  DeliveryWithPayload,
  Domain,
  DomainWithRecords,
  DomainsCreateResult,
  DomainsListResult,
  Draft,
  DraftBody,
  DraftListItem,
  DraftPatch,
  DraftsListAllQuery,
  DraftsListQuery,
  DraftsPage,
  EventLogPage,
  EventsLogQuery,
  Examination,
  ForwardBody,
  FoundMessage,
  KeysListResult,
  ListEntriesPage,
  ListEntry,
  ListsListOfMailboxQuery,
  ListsListQuery,
  LoggedError,
  Mailbox,
  MailboxesListResult,
  Message,
  MessageClaim,
  MessageListItem,
  MessagePatch,
  MessagesGetQuery,
  MessagesListAllQuery,
  MessagesListQuery,
  MessagesPage,
  MessagesRawQuery,
  MessagesSearchAllQuery,
  MessagesSearchQuery,
  Metrics,
  MetricsReadQuery,
  NextClaim,
  Ok,
  PlatformDkim,
  RejectBody,
  ReleaseBody,
  ReleasedClaim,
  RenewBody,
  ReplyBody,
  ResetPasswordBody,
  ReviewsListQuery,
  Revoked,
  RsvpBody,
  SearchResults,
  SendBody,
  SendResult,
  SessionSignInBody,
  SignedUp,
  SignupBody,
  SignupCheckSlugQuery,
  SignupResendVerificationBody,
  SignupVerifyEmailBody,
  SignupVerifyEmailResult,
  SlugVerdict,
  Stats,
  StoppedMailbox,
  SupportBody,
  Suppression,
  SuppressionsListQuery,
  SuppressionsPage,
  TestWebhookBody,
  Thread,
  ThreadPatch,
  ThreadWithMessages,
  ThreadsGetQuery,
  ThreadsList,
  ThreadsListAllQuery,
  UpdateAccountBody,
  UpdateMailboxBody,
  UpdateWebhookBody,
  UpgradeBody,
  Webhook,
  WebhooksCreateResult,
  WebhooksDeliveriesQuery,
  WebhooksListResult,
  Whoami,
} from "./types.js"

export class SignupMethods extends Resource {
  /**
   * Create an account, its first mailbox and its first key.
   * Needs no key. Only this response shows the first key. The owner gets a mail to verify the address; before
   * that the account can receive mail, but not send. A client address can sign up five times an hour.
   */
  create(body: SignupBody, options?: RequestOptions): Call<SignedUp> {
    return this.transport.call("signup.create", [], { body }, options)
  }

  /**
   * Check whether a slug is available.
   * The slug becomes the permanent subdomain of the account. A client address can check thirty slugs a
   * minute.
   */
  checkSlug(query: SignupCheckSlugQuery, options?: RequestOptions): Call<SlugVerdict> {
    return this.transport.call("signup.checkSlug", [], { query }, options)
  }

  /**
   * Verify the owner's address with the token from the mail.
   * Starts the three-day trial. Repeated calls change nothing.
   */
  verifyEmail(body: SignupVerifyEmailBody, options?: RequestOptions): Call<SignupVerifyEmailResult> {
    return this.transport.call("signup.verifyEmail", [], { body }, options)
  }

  /**
   * Send the verification mail again.
   * The response is the same for known and unknown addresses.
   */
  resendVerification(body: SignupResendVerificationBody, options?: RequestOptions): Call<Ok> {
    return this.transport.call("signup.resendVerification", [], { body }, options)
  }
}

export class SessionMethods extends Resource {
  /**
   * Open a session; the response sets the cookie.
   * For the dashboard, and to replace a lost key with `POST /v1/api-keys`. After ten wrong passwords for an
   * email within 15 minutes, the client address has to wait. There are higher limits for one address over all
   * emails, and for one email over all addresses.
   */
  signIn(body: SessionSignInBody, options?: RequestOptions): Call<Ok> {
    return this.transport.call("session.signIn", [], { body }, options)
  }

  /**
   * End the session.
   * The cookie is invalid afterwards.
   */
  signOut(options?: RequestOptions): Call<Ok> {
    return this.transport.call("session.signOut", [], {}, options)
  }

  /**
   * Send the owner a link to set a new password.
   * The response is the same for known and unknown addresses. The link can be used once, within an hour.
   */
  requestPasswordReset(body: SignupResendVerificationBody, options?: RequestOptions): Call<Ok> {
    return this.transport.call("session.requestPasswordReset", [], { body }, options)
  }

  /**
   * Set a new password with the token from the mail; ends all sessions.
   * API keys do not change. The answer to a form is a page.
   */
  resetPassword(body: ResetPasswordBody, options?: RequestOptions): Call<Ok> {
    return this.transport.call("session.resetPassword", [], { body }, options)
  }
}

export class AccountMethods extends Resource {
  /**
   * Plan, usage and limits of the account.
   * Returns the plan with its limits and the usage: storage, mailboxes, sends, inbound quota and trial. Also
   * works while payment is required or the account is suspended; `state` shows it. Needs full access and
   * `read` or `manage`.
   */
  get(options?: RequestOptions): Call<Account> {
    return this.transport.call("account.get", [], {}, options)
  }

  /**
   * Stop all sends of the account, or resume them.
   * While `sendingPaused` is true, every send responds with 403 `SENDING_PAUSED`. Scheduled mails wait, and
   * are sent when sending resumes. Needs full access and `manage`.
   */
  update(body: UpdateAccountBody, options?: RequestOptions): Call<Account> {
    return this.transport.call("account.update", [], { body }, options)
  }

  /**
   * Delete the account and all its data for good.
   * Mailboxes, messages, attachments, keys and webhooks are unavailable at once, and deleted in the
   * background. Event streams end, and a subscription is cancelled. The slug and the email stay reserved for
   * 30 days. Needs full access and `manage`.
   */
  remove(body: DeleteAccountBody, options?: RequestOptions): Call<Deleted> {
    return this.transport.call("account.remove", [], { body }, options)
  }

  /**
   * Who the caller is: key or session, its mailboxes and its account.
   * Also answers a scoped key, and while payment is required or the account is suspended. Needs no
   * permission.
   */
  whoami(options?: RequestOptions): Call<Whoami> {
    return this.transport.call("account.whoami", [], {}, options)
  }

  /**
   * Send the owner the welcome mail, once.
   * Responds before the mail is sent. Repeated calls send one mail. Needs full access and `manage`.
   */
  welcome(options?: RequestOptions): Call<Ok> {
    return this.transport.call("account.welcome", [], {}, options)
  }

  /**
   * Get the page that follows verification.
   * Returns the onboarding for the first call after verification if the signup named a plan to buy or no key
   * was used, else the dashboard. Corrects or clears an intent that cannot be bought, and sends the welcome
   * mail. Needs full access and `manage`.
   */
  postVerifyTarget(options?: RequestOptions): Call<AccountPostVerifyTargetResult> {
    return this.transport.call("account.postVerifyTarget", [], {}, options)
  }

  /**
   * Ask the operator of the service for help.
   * Mails the operator, who replies to the owner. Also works while payment is required or the account is
   * suspended. At most ten requests an hour. 404 where the operator accepts no requests. Needs full access
   * and `send` or `manage`.
   */
  support(body: SupportBody, options?: RequestOptions): Call<Ok> {
    return this.transport.call("account.support", [], { body }, options)
  }
}

export class KeysMethods extends Resource {
  /**
   * List all keys.
   * The active keys, newest first, then those that were revoked in the last 400 days; 1,000 at most. Shows
   * the prefix of each key; its value cannot be read again. Needs full access and `read` or `manage`.
   */
  list(options?: RequestOptions): List<ApiKey, KeysListResult> {
    return this.transport.list("keys.list", [], {}, options)
  }

  /**
   * Create a key.
   * With `mailboxIds` the key reaches these mailboxes only; without, it has full access. `permissions` limits
   * what it may do there. A key cannot create a key that may do more than itself. No other response shows the
   * value. A session cookie works too, to replace a lost key. An account has at most 500 active keys: 400
   * `API_KEY_LIMIT_REACHED`. Needs full access and `manage`.
   */
  create(body: CreateKeyBody, options?: RequestOptions): Call<CreatedKey> {
    return this.transport.call("keys.create", [], { body }, options)
  }

  /**
   * Revoke a key at once.
   * Requests with the key answer 401 from now on, and its event streams end. A key may always revoke itself.
   * A key cannot revoke the only active full-access key of an account that is unverified, in its trial or
   * active. Needs full access and `manage`.
   */
  revoke(keyId: string, options?: RequestOptions): Call<Revoked> {
    return this.transport.call("keys.revoke", [keyId], {}, options)
  }
}

export class AuditMethods extends Resource {
  /**
   * List the audit trail, newest first, for 400 days.
   * Who changed keys, sign-ins, plan, mailboxes, webhooks, domains and suppressions of the account, and what
   * the operator did to it. Also works while payment is required or the account is suspended. Needs full
   * access and `manage`.
   */
  list(query?: AuditListQuery, options?: RequestOptions): List<AuditEntry, AuditPage> {
    return this.transport.list("audit.list", [], { query }, options)
  }
}

export class MailboxesMethods extends Resource {
  /**
   * List mailboxes.
   * All mailboxes of the account, or those in the scope of the key, oldest first. Needs `read` or `send` or
   * `draft` or `manage`.
   */
  list(options?: RequestOptions): List<Mailbox, MailboxesListResult> {
    return this.transport.list("mailboxes.list", [], {}, options)
  }

  /**
   * Create a mailbox.
   * The address is `{address}@{slug}.{platform domain}`, or on the custom domain of `domainId`. The mailbox
   * is ACTIVE at once; `mailServerProvisioned` becomes true when it can receive. Needs full access and
   * `manage`.
   */
  create(body: CreateMailboxBody, options?: RequestOptions): Call<Mailbox> {
    return this.transport.call("mailboxes.create", [], { body }, options)
  }

  /**
   * Get a mailbox.
   * Returns its settings, its sends of the day and the month, and its received messages of the month. Needs
   * `read` or `send` or `draft` or `manage`.
   */
  get(mailboxId: string, options?: RequestOptions): Call<Mailbox> {
    return this.transport.call("mailboxes.get", [mailboxId], {}, options)
  }

  /**
   * Change the settings of a mailbox, pause or start it.
   * A paused mailbox receives and cannot send. Starting a mailbox needs room in the plan. A suspended mailbox
   * cannot be started. A scoped key cannot change the policies: `outboundPolicy`, `reviewTtlHours`,
   * `receivePolicy`, `onBlocked` and `quarantine`. Needs `send` or `manage`.
   */
  update(mailboxId: string, body: UpdateMailboxBody, options?: RequestOptions): Call<Mailbox> {
    return this.transport.call("mailboxes.update", [mailboxId], { body }, options)
  }

  /**
   * Delete a mailbox and its messages for good.
   * The address is free at once; messages and attachments are deleted in the background. Needs full access
   * and `manage`.
   */
  remove(mailboxId: string, options?: RequestOptions): Call<Deleted> {
    return this.transport.call("mailboxes.remove", [mailboxId], {}, options)
  }

  /**
   * Let a mailbox send again whose sending was stopped.
   * Its sends are counted from zero again. Nothing changes when its sending is not stopped. Needs full access
   * and `manage`.
   */
  resumeSending(mailboxId: string, options?: RequestOptions): Call<Mailbox> {
    return this.transport.call("mailboxes.resumeSending", [mailboxId], {}, options)
  }
}

export class MessagesMethods extends Resource {
  /**
   * List the messages of a mailbox, newest first.
   * Takes any combination of filters. Gated messages are hidden and counted in `metadata.overLimitCount`;
   * quarantined ones are hidden unless `include=quarantined`. For deep pages, pass `metadata.nextCursor` as
   * `cursor`: unlike `offset`, it is equally fast at any depth, and takes every filter. A page of a filtered
   * list may have fewer messages than `limit`, or none, and not be the last: continue while
   * `metadata.hasMore` is true. Bodies are cut at 64 kB. Needs `read`.
   */
  list(
    mailboxId: string,
    query?: MessagesListQuery,
    options?: RequestOptions,
  ): List<MessageListItem, MessagesPage> {
    return this.transport.list("messages.list", [mailboxId], { query }, options)
  }

  /**
   * Send a message; responds when the relay has accepted it.
   * Responds with 201 and the message, or with 202 and a draft when `sendAt` names a later time or a policy
   * of the mailbox holds the mail for a review. The checks, in this order: sending is not paused, the mailbox
   * is ACTIVE and its sending not stopped, its custom domain is VERIFIED, the owner is verified, payment,
   * recipient and sends of the trial, test and disposable domains, blocked recipients, suppressed recipients,
   * attachments, sizes, a thread that a person has taken over, storage, mail loops, velocity, daily and
   * monthly limit, the relay. A refused send does not count; one that the relay refused counts in the
   * velocity. Recipients on the platform get the mail without the relay. The body may also be a multipart
   * form with the same field names, repeated for lists, and files as `attachments`. Needs `send`.
   */
  send(mailboxId: string, body: SendBody, options?: RequestOptions): Call<SendResult> {
    return this.transport.call("messages.send", [mailboxId], { body }, options)
  }

  /**
   * Get a message.
   * Returns headers, complete bodies and attachments. 402 while the message is above the inbound limit; it
   * unlocks in place. 404 while it is quarantined, unless `include=quarantined`. Needs `read`.
   */
  get(
    mailboxId: string,
    messageId: string,
    query?: MessagesGetQuery,
    options?: RequestOptions,
  ): Call<Message> {
    return this.transport.call("messages.get", [mailboxId, messageId], { query }, options)
  }

  /**
   * Label a message, or mark it read or unread.
   * `labels` replaces all earlier labels; `addLabels` and `removeLabels` change some and keep the others,
   * also when several clients do it at once. Absent fields do not change. Needs `read`.
   */
  update(mailboxId: string, messageId: string, body: MessagePatch, options?: RequestOptions): Call<Message> {
    return this.transport.call("messages.update", [mailboxId, messageId], { body }, options)
  }

  /**
   * Delete a message with its attachments and its source.
   * The message cannot be restored. It still counts toward the quota. Deletes a quarantined message, too.
   * Needs `send` or `manage`.
   */
  remove(mailboxId: string, messageId: string, options?: RequestOptions): Call<Deleted> {
    return this.transport.call("messages.remove", [mailboxId, messageId], {}, options)
  }

  /**
   * Get the raw mail as it was received or sent.
   * Returns `message/rfc822`, including trace headers. 404 while it is quarantined, unless
   * `include=quarantined`. Needs `read`.
   */
  raw(
    mailboxId: string,
    messageId: string,
    query?: MessagesRawQuery,
    options?: RequestOptions,
  ): Call<Response> {
    return this.transport.bytes("messages.raw", [mailboxId, messageId], { query }, options)
  }

  /**
   * Quarantine a received message.
   * Needs the permission to read, too. The message is hidden from now on, from lists, threads, search, waits
   * and claims, until it is released; `message.quarantined` tells so. Does nothing to a quarantined message.
   * 400 for a sent message. Needs `manage`.
   */
  quarantine(mailboxId: string, messageId: string, options?: RequestOptions): Call<Message> {
    return this.transport.call("messages.quarantine", [mailboxId, messageId], {}, options)
  }

  /**
   * Reply to the sender of a message, in its thread.
   * The reply goes to the Reply-To of the message or, without one, to its sender; a reply to a sent message
   * goes to its recipients. `cc` and `bcc` of the body are added. Subject and threading headers come from the
   * message; nothing is quoted. 400 `NOBODY_TO_ANSWER` for a message without a valid address to reply to.
   * Every check of a send follows. Needs `send`.
   */
  reply(mailboxId: string, messageId: string, body: ReplyBody, options?: RequestOptions): Call<SendResult> {
    return this.transport.call("messages.reply", [mailboxId, messageId], { body }, options)
  }

  /**
   * Reply to all addresses of a message, in its thread.
   * The reply goes to the recipients of a reply and those of To, with a copy to those of Cc, without the
   * mailbox itself. 400 for more than 50 recipients in To or in Cc. Every check of a send follows. Needs
   * `send`.
   */
  replyAll(
    mailboxId: string,
    messageId: string,
    body: ReplyBody,
    options?: RequestOptions,
  ): Call<SendResult> {
    return this.transport.call("messages.replyAll", [mailboxId, messageId], { body }, options)
  }

  /**
   * Answer the invitation in a message.
   * Sends the organizer a reply in the message's thread that calendars understand: accepted, tentative or
   * declined. 400 `NO_INVITATION` for a message without a calendar; 409 for one that asks for no answer, or
   * does not invite this mailbox. Every rule of a send applies. Needs `send`.
   */
  rsvp(mailboxId: string, messageId: string, body: RsvpBody, options?: RequestOptions): Call<SendResult> {
    return this.transport.call("messages.rsvp", [mailboxId, messageId], { body }, options)
  }

  /**
   * Forward a message with its attachments.
   * The text of the body comes first, then the original message, which the key must be allowed to read, too.
   * A forward starts a new thread. 400 for more than 20 attachments, those of the message included. Every
   * check of a send follows. Needs `send`.
   */
  forward(
    mailboxId: string,
    messageId: string,
    body: ForwardBody,
    options?: RequestOptions,
  ): Call<SendResult> {
    return this.transport.call("messages.forward", [mailboxId, messageId], { body }, options)
  }

  /**
   * List the messages of all mailboxes, newest first.
   * As the list of a mailbox, with the same filters; a scoped key sees its mailboxes. A page may have fewer
   * messages than `limit`, or none, and not be the last: continue with `metadata.nextCursor` while
   * `metadata.hasMore` is true. Needs `read`.
   */
  listAll(
    query?: MessagesListAllQuery,
    options?: RequestOptions,
  ): List<MessageListItem, AccountMessagesPage> {
    return this.transport.list("messages.listAll", [], { query }, options)
  }

  /**
   * Search the messages of all mailboxes.
   * A key with a scope searches the mailboxes of its scope. Searches subject, names and addresses, the first
   * 256 kB of the text, and the names of attachments. Gated messages are hidden. By relevance, the newest 100
   * matches are compared, and of the newest 12,000 messages of the account the newest 100 with the words in
   * the subject, and as a phrase; by date, every match is found. A query that does not parse answers 400 with
   * its `position` in `issues`. Needs `read`.
   */
  searchAll(query: MessagesSearchAllQuery, options?: RequestOptions): List<FoundMessage, SearchResults> {
    return this.transport.list("messages.searchAll", [], { query }, options)
  }

  /**
   * Search the messages of a mailbox.
   * Searches subject, names and addresses, the first 256 kB of the text, and the names of attachments. Gated
   * messages are hidden. By relevance, the newest 100 matches are compared, and of the newest 12,000 messages
   * of the account the newest 100 with the words in the subject, and as a phrase; by date, every match is
   * found. A query that does not parse answers 400 with its `position` in `issues`. Needs `read`.
   */
  search(
    mailboxId: string,
    query: MessagesSearchQuery,
    options?: RequestOptions,
  ): List<FoundMessage, SearchResults> {
    return this.transport.list("messages.search", [mailboxId], { query }, options)
  }
}

export class ThreadsMethods extends Resource {
  /**
   * List up to 50 threads, newest activity first.
   * A thread groups messages by their Message-ID, In-Reply-To and References. Counts and times are those of
   * visible messages. `GET /v1/threads` with `mailboxId` has the others, in pages. Needs `read`.
   */
  list(mailboxId: string, options?: RequestOptions): List<Thread, ThreadsList> {
    return this.transport.list("threads.list", [mailboxId], {}, options)
  }

  /**
   * Get a thread with its messages, oldest first.
   * Returns at most the newest 500 messages. Older ones are in the list of messages, with `threadId` and
   * `before`. Needs `read`.
   */
  get(
    mailboxId: string,
    threadId: string,
    query?: ThreadsGetQuery,
    options?: RequestOptions,
  ): Call<ThreadWithMessages> {
    return this.transport.call("threads.get", [mailboxId, threadId], { query }, options)
  }

  /**
   * Label all messages of a thread, or mark them read or unread.
   * Changes all visible messages. Absent fields do not change. A repeated call changes nothing more. Needs
   * `read`.
   */
  update(mailboxId: string, threadId: string, body: ThreadPatch, options?: RequestOptions): Call<Thread> {
    return this.transport.call("threads.update", [mailboxId, threadId], { body }, options)
  }

  /**
   * Take a thread over: a person answers it.
   * From now on sends of keys into the thread get 409 `THREAD_TAKEN_OVER`, and scheduled ones fail when they
   * are due. The owner's session sends, and what a person approves from now on is sent. Mail and events go
   * on. A repeated call changes nothing. Needs `review`.
   */
  takeOver(threadId: string, options?: RequestOptions): Call<Thread> {
    return this.transport.call("threads.takeOver", [threadId], {}, options)
  }

  /**
   * Release a thread that a person took over.
   * Keys may send into it again. A repeated call changes nothing. Needs `review`.
   */
  release(threadId: string, options?: RequestOptions): Call<Thread> {
    return this.transport.call("threads.release", [threadId], {}, options)
  }

  /**
   * List the threads of all mailboxes or of one, newest activity first.
   * A scoped key sees the threads of its mailboxes. A thread that gets a message while a client pages moves
   * to the first page. Needs `read`.
   */
  listAll(query?: ThreadsListAllQuery, options?: RequestOptions): List<Thread, AccountThreadsPage> {
    return this.transport.list("threads.listAll", [], { query }, options)
  }
}

export class DraftsMethods extends Resource {
  /**
   * List the drafts of all mailboxes, newest first.
   * A scoped key sees the drafts of its mailboxes. Bodies are cut at 64 kB. Needs `read` or `draft`.
   */
  listAll(query?: DraftsListAllQuery, options?: RequestOptions): List<DraftListItem, DraftsPage> {
    return this.transport.list("drafts.listAll", [], { query }, options)
  }

  /**
   * List the drafts of a mailbox, newest first.
   * Bodies are cut at 64 kB. Needs `read` or `draft`.
   */
  list(
    mailboxId: string,
    query?: DraftsListQuery,
    options?: RequestOptions,
  ): List<DraftListItem, DraftsPage> {
    return this.transport.list("drafts.list", [mailboxId], { query }, options)
  }

  /**
   * Create a draft, or schedule a mail.
   * The fields of a send, all optional. With `sendAt`, which needs the permission to send, every check of a
   * send is made now and again when it is due. A repeated `clientId` responds with the draft that has it. The
   * body may also be a multipart form, as that of a send. Needs `draft`.
   */
  create(mailboxId: string, body: DraftBody, options?: RequestOptions): Call<Draft> {
    return this.transport.call("drafts.create", [mailboxId], { body }, options)
  }

  /**
   * Get a draft.
   * A draft that was sent is gone: its message has the same id. Needs `read` or `draft`.
   */
  get(mailboxId: string, draftId: string, options?: RequestOptions): Call<Draft> {
    return this.transport.call("drafts.get", [mailboxId, draftId], {}, options)
  }

  /**
   * Change a draft, schedule it, or cancel its schedule.
   * Absent fields do not change; `attachments` names all files. A changed mail ends its review and its
   * approval. A scheduled one is checked and scheduled again, which needs the permission to send, as `sendAt`
   * does. `sendAt: null` cancels the schedule. Needs `draft`.
   */
  update(mailboxId: string, draftId: string, body: DraftPatch, options?: RequestOptions): Call<Draft> {
    return this.transport.call("drafts.update", [mailboxId, draftId], { body }, options)
  }

  /**
   * Delete a draft with its files.
   * Cancels its schedule or its review. Needs `draft`.
   */
  remove(mailboxId: string, draftId: string, options?: RequestOptions): Call<Deleted> {
    return this.transport.call("drafts.remove", [mailboxId, draftId], {}, options)
  }

  /**
   * Send a draft now.
   * Responds with 201 and the message, which has the id of the draft, or with 202 and the draft when a policy
   * holds it for a review. Every check of a send is made. A refused draft stays as it was. 400 for a draft
   * without recipient, subject or body. Needs `send`.
   */
  send(mailboxId: string, draftId: string, options?: RequestOptions): Call<SendResult> {
    return this.transport.call("drafts.send", [mailboxId, draftId], {}, options)
  }
}

export class ReviewsMethods extends Resource {
  /**
   * List the drafts that wait for a review, newest first.
   * A scoped key sees those of its mailboxes. Bodies are cut at 64 kB. Needs `read` or `review`.
   */
  list(query?: ReviewsListQuery, options?: RequestOptions): List<DraftListItem, DraftsPage> {
    return this.transport.list("reviews.list", [], { query }, options)
  }

  /**
   * Approve a draft with exactly this content, and send it.
   * `edits` change the draft, and the changed one is sent. 409 `DIGEST_MISMATCH` for another content than the
   * one that `digest` names. Responds with 201 and the message, or with 202 and the draft when it is sent
   * later: at its `sendAt`, when the relay is back, when the velocity allows it, or when the account resumes
   * sending. When a check refuses the send, it responds with 202, too: the draft is FAILED, and `error` has
   * the refusal. Needs full access and `review`.
   */
  approve(draftId: string, body: ApproveBody, options?: RequestOptions): Call<SendResult> {
    return this.transport.call("reviews.approve", [draftId], { body }, options)
  }

  /**
   * Reject a draft.
   * The draft is REJECTED, and `error.message` has the reason. A changed draft can be sent again. Needs full
   * access and `review`.
   */
  reject(draftId: string, body?: RejectBody, options?: RequestOptions): Call<Draft> {
    return this.transport.call("reviews.reject", [draftId], { body }, options)
  }
}

export class ClaimsMethods extends Resource {
  /**
   * Claim the oldest inbound message that nobody has claimed or completed.
   * Any number of workers may call this at the same time: each gets another message. The claim ends with its
   * lease, unless it is renewed, released or completed before. With `timeout`, waits for a message, and then
   * counts as a wait. Needs `read`.
   */
  next(mailboxId: string, body?: ClaimNextBody, options?: RequestOptions): Call<NextClaim> {
    return this.transport.call("claims.next", [mailboxId], { body }, options)
  }

  /**
   * Claim a message.
   * Answers 409 `CLAIMED` while another worker holds it, with `Retry-After` until the lease ends, and for
   * ever when its work is done. Only received messages can be claimed. Needs `read`.
   */
  one(
    mailboxId: string,
    messageId: string,
    body?: ClaimBody,
    options?: RequestOptions,
  ): Call<ClaimedMessage> {
    return this.transport.call("claims.one", [mailboxId, messageId], { body }, options)
  }

  /**
   * Take a claimed message back from its worker.
   * Needs no token. The message is free at once; the worker gets 409 `CLAIM_LOST` when it renews or completes
   * its claim. Does nothing to a message that is free. 409 `CLAIMED` when its work is done. Needs `manage`.
   */
  takeBack(mailboxId: string, messageId: string, options?: RequestOptions): Call<Deleted> {
    return this.transport.call("claims.takeBack", [mailboxId, messageId], {}, options)
  }

  /**
   * Begin the lease of a claim again.
   * Answers 409 `CLAIM_LOST` when the lease has ended, or the token is not that of the claim. Needs `read`.
   */
  renew(
    mailboxId: string,
    messageId: string,
    body: RenewBody,
    options?: RequestOptions,
  ): Call<MessageClaim | null> {
    return this.transport.call("claims.renew", [mailboxId, messageId], { body }, options)
  }

  /**
   * Give a claimed message back, or release a message from quarantine.
   * With `token`: the message is free at once, and first in turn by its age. Can be repeated with the same
   * token. 409 `CLAIM_LOST` as for renew. Without `token`: a quarantined message is shown from now on, and
   * `message.received` tells so; this needs the permission `manage`; 400 for a message that is not
   * quarantined. Needs `read`.
   */
  release(
    mailboxId: string,
    messageId: string,
    body?: ReleaseBody,
    options?: RequestOptions,
  ): Call<ReleasedClaim> {
    return this.transport.call("claims.release", [mailboxId, messageId], { body }, options)
  }

  /**
   * Mark the work on a claimed message as done.
   * Nobody can claim the message again. Can be repeated with the same token. 409 `CLAIM_LOST` as for renew.
   * Needs `read`.
   */
  complete(
    mailboxId: string,
    messageId: string,
    body: ClaimTokenBody,
    options?: RequestOptions,
  ): Call<MessageClaim | null> {
    return this.transport.call("claims.complete", [mailboxId, messageId], { body }, options)
  }
}

export class MetricsMethods extends Resource {
  /**
   * Count received and sent mail by the hour or the day.
   * The range is widened to whole hours or days, UTC; those without mail have zeros. Hours are kept for 35
   * days and days for 400, also when the messages are deleted. Counting began with the version that has this
   * route. A scoped key sees its mailboxes. Needs `read`.
   */
  read(query?: MetricsReadQuery, options?: RequestOptions): Call<Metrics> {
    return this.transport.call("metrics.read", [], { query }, options)
  }
}

export class AttachmentsMethods extends Resource {
  /**
   * Get an attachment with a link to its bytes.
   * `url` is presigned: it returns the bytes for 24 hours without a key. Needs `read`.
   */
  get(attachmentId: string, options?: RequestOptions): Call<AttachmentLink> {
    return this.transport.call("attachments.get", [attachmentId], {}, options)
  }

  /**
   * Delete an upload that is not part of a message.
   * Frees its storage. A file of a message is deleted with the message: 409 names the message. Needs full
   * access and `send` or `draft` or `manage`.
   */
  remove(attachmentId: string, options?: RequestOptions): Call<Deleted> {
    return this.transport.call("attachments.remove", [attachmentId], {}, options)
  }

  /**
   * Get the text inside an attachment.
   * Reads PDF, Word, Excel, PowerPoint, OpenDocument, RTF, HTML, CSV, JSON, plain text, calendars and nested
   * mail. The bytes decide what a file is, then its type and name. The text is read when it is first asked
   * for, and kept. 415: the file has no text. 422: it is encrypted, damaged, too large inside, or took too
   * long. Needs `read`.
   */
  text(attachmentId: string, query?: AttachmentsTextQuery, options?: RequestOptions): Call<AttachmentText> {
    return this.transport.call("attachments.text", [attachmentId], { query }, options)
  }
}

export class DomainsMethods extends Resource {
  /**
   * List the domains of the account, oldest first.
   * Shows the state of the DNS records at the last check. Only a VERIFIED domain can have mailboxes. Needs
   * full access and `read` or `manage`.
   */
  list(options?: RequestOptions): List<Domain, DomainsListResult> {
    return this.transport.list("domains.list", [], {}, options)
  }

  /**
   * Add a domain; returns the DNS records to publish.
   * Publish the records at your DNS provider; the service checks them every five minutes for three days. The
   * DKIM record proves that you own the domain: several accounts may add it, and it belongs to the account
   * whose records are found. Needs full access and `manage`.
   */
  create(body: CreateDomainBody, options?: RequestOptions): Call<DomainsCreateResult> {
    return this.transport.call("domains.create", [], { body }, options)
  }

  /**
   * Get a domain and its DNS records.
   * Shows the required value of each record, and whether it is MISSING, INVALID or VALID. MX, SPF and DKIM
   * must be VALID; DMARC is recommended. Needs full access and `read` or `manage`.
   */
  get(domainId: string, options?: RequestOptions): Call<DomainWithRecords> {
    return this.transport.call("domains.get", [domainId], {}, options)
  }

  /**
   * Remove a domain without mailboxes.
   * Refused while mailboxes use the domain. If it is added again, it gets new records. Needs full access and
   * `manage`.
   */
  remove(domainId: string, options?: RequestOptions): Call<Deleted> {
    return this.transport.call("domains.remove", [domainId], {}, options)
  }

  /**
   * Check the DNS records now.
   * Returns the result of the check. 503 when a name server does not answer; nothing is changed then. Needs
   * full access and `manage`.
   */
  verify(domainId: string, options?: RequestOptions): Call<CheckedDomain> {
    return this.transport.call("domains.verify", [domainId], {}, options)
  }

  /**
   * Create the next DKIM key.
   * `dnsRecords.dkim` then has two records: publish the second. Once it is found, the new key signs the
   * domain's mail. Keep the first record for a week, for mail that is still on its way. Repeated calls return
   * the same key until then. Needs full access and `manage`.
   */
  rotateDkim(domainId: string, options?: RequestOptions): Call<DomainWithRecords> {
    return this.transport.call("domains.rotateDkim", [domainId], {}, options)
  }
}

export class SuppressionsMethods extends Resource {
  /**
   * List suppressed addresses, newest first.
   * Permanent bounces, complaints, and recipients who unsubscribe suppress an address automatically. A send
   * to a suppressed address is refused, and the error names it. An entry with `mailboxId` holds for that
   * mailbox only. Needs full access and `read` or `manage`.
   */
  list(query?: SuppressionsListQuery, options?: RequestOptions): List<Suppression, SuppressionsPage> {
    return this.transport.list("suppressions.list", [], { query }, options)
  }

  /**
   * Suppress an address; an existing entry does not change.
   * Sends to the address answer 400 from now on: those of all mailboxes, or those of the mailbox that
   * `mailboxId` names. For an address that is already suppressed, the response has its earlier `reason` and
   * time. Needs full access and `manage`.
   */
  create(body: CreateSuppressionBody, options?: RequestOptions): Call<Suppression> {
    return this.transport.call("suppressions.create", [], { body }, options)
  }

  /**
   * Remove an address from the list.
   * The address can be written to again. The next permanent bounce or complaint suppresses it again. Needs
   * full access and `manage`.
   */
  remove(suppressionId: string, options?: RequestOptions): Call<Deleted> {
    return this.transport.call("suppressions.remove", [suppressionId], {}, options)
  }
}

export class ListsMethods extends Resource {
  /**
   * List the entries of a list of the account, newest first.
   * The most specific entry decides: one of the mailbox before one of the account, then an address before a
   * domain before a wildcard; of two that are equal the block. A scoped key gets 403. Needs full access and
   * `read` or `manage`.
   */
  list(
    direction: "receive" | "send",
    kind: "allow" | "block",
    query?: ListsListQuery,
    options?: RequestOptions,
  ): List<ListEntry, ListEntriesPage> {
    return this.transport.list("lists.list", [direction, kind], { query }, options)
  }

  /**
   * Add an entry to a list of the account.
   * Receive lists decide about new mail; an allow entry counts only for senders whose domain is proven. Send
   * lists refuse blocked recipients with 400 `RECIPIENT_BLOCKED`; an allow entry lifts a less specific block.
   * An entry that is on the list already keeps its reason and time. Needs full access and `manage`.
   */
  add(
    direction: "receive" | "send",
    kind: "allow" | "block",
    body: CreateListEntryBody,
    options?: RequestOptions,
  ): Call<ListEntry> {
    return this.transport.call("lists.add", [direction, kind], { body }, options)
  }

  /**
   * Remove an entry from a list of the account.
   * Mail that is quarantined already stays so until it is released. Needs full access and `manage`.
   */
  remove(
    direction: "receive" | "send",
    kind: "allow" | "block",
    entryId: string,
    options?: RequestOptions,
  ): Call<Deleted> {
    return this.transport.call("lists.remove", [direction, kind, entryId], {}, options)
  }

  /**
   * List the entries of a list of a mailbox, newest first.
   * The most specific entry decides: one of the mailbox before one of the account, then an address before a
   * domain before a wildcard; of two that are equal the block. A scoped key gets 403. Needs full access and
   * `read` or `manage`.
   */
  listOfMailbox(
    mailboxId: string,
    direction: "receive" | "send",
    kind: "allow" | "block",
    query?: ListsListOfMailboxQuery,
    options?: RequestOptions,
  ): List<ListEntry, ListEntriesPage> {
    return this.transport.list("lists.listOfMailbox", [mailboxId, direction, kind], { query }, options)
  }

  /**
   * Add an entry to a list of a mailbox.
   * Receive lists decide about new mail; an allow entry counts only for senders whose domain is proven. Send
   * lists refuse blocked recipients with 400 `RECIPIENT_BLOCKED`; an allow entry lifts a less specific block.
   * An entry that is on the list already keeps its reason and time. Needs full access and `manage`.
   */
  addToMailbox(
    mailboxId: string,
    direction: "receive" | "send",
    kind: "allow" | "block",
    body: CreateListEntryBody,
    options?: RequestOptions,
  ): Call<ListEntry> {
    return this.transport.call("lists.addToMailbox", [mailboxId, direction, kind], { body }, options)
  }

  /**
   * Remove an entry from a list of a mailbox.
   * Mail that is quarantined already stays so until it is released. Needs full access and `manage`.
   */
  removeFromMailbox(
    mailboxId: string,
    direction: "receive" | "send",
    kind: "allow" | "block",
    entryId: string,
    options?: RequestOptions,
  ): Call<Deleted> {
    return this.transport.call("lists.removeFromMailbox", [mailboxId, direction, kind, entryId], {}, options)
  }
}

export class WebhooksMethods extends Resource {
  /**
   * List webhooks, oldest first.
   * A scoped key sees the webhooks of its mailboxes. Header values are masked, and secrets are not shown.
   * Needs `read`.
   */
  list(options?: RequestOptions): List<Webhook, WebhooksListResult> {
    return this.transport.list("webhooks.list", [], {}, options)
  }

  /**
   * Create a webhook.
   * Every delivery is signed with the secret in this response, which is not shown again:
   * `X-Service-Signature` is the lower-case hex HMAC-SHA256 of the raw body, and the headers of Standard
   * Webhooks are sent too. A scoped key has to name one of its mailboxes. Addresses that are not public are
   * refused. Needs `read`.
   */
  create(body: CreateWebhookBody, options?: RequestOptions): Call<WebhooksCreateResult> {
    return this.transport.call("webhooks.create", [], { body }, options)
  }

  /**
   * Get a webhook.
   * Returns its URL, events and status. Header values are masked, and the secret is not shown. Needs `read`.
   */
  get(webhookId: string, options?: RequestOptions): Call<Webhook> {
    return this.transport.call("webhooks.get", [webhookId], {}, options)
  }

  /**
   * Change, pause or start a webhook.
   * Absent fields do not change. A paused webhook gets no events that happen in the meantime; deliveries that
   * were waiting continue when it is ACTIVE again. A FAILED webhook is started in the same way. Needs `read`.
   */
  update(webhookId: string, body: UpdateWebhookBody, options?: RequestOptions): Call<Webhook> {
    return this.transport.call("webhooks.update", [webhookId], { body }, options)
  }

  /**
   * Delete a webhook and its deliveries.
   * No delivery is attempted after this. Needs `read`.
   */
  remove(webhookId: string, options?: RequestOptions): Call<Deleted> {
    return this.transport.call("webhooks.remove", [webhookId], {}, options)
  }

  /**
   * Deliver a test event to a webhook.
   * The event is complete and signed like a real one, has `data.test`, and is neither in the log nor on a
   * stream. The response comes at once; read the delivery for its result. Needs `read`.
   */
  test(webhookId: string, body?: TestWebhookBody, options?: RequestOptions): Call<Delivery> {
    return this.transport.call("webhooks.test", [webhookId], { body }, options)
  }

  /**
   * Create a new secret; the previous one also signs for 24 hours.
   * For that time `webhook-signature` has both signatures. `X-Service-Signature` is made with the new secret
   * at once, `X-Service-Signature-Previous` with the previous one. Needs `read`.
   */
  rotateSecret(webhookId: string, options?: RequestOptions): Call<CreatedWebhook["webhook"]> {
    return this.transport.call("webhooks.rotateSecret", [webhookId], {}, options)
  }

  /**
   * List the deliveries of a webhook, newest first, for 30 days.
   * Shows attempts, the response of the receiver and the time of the next attempt. Needs `read`.
   */
  deliveries(
    webhookId: string,
    query?: WebhooksDeliveriesQuery,
    options?: RequestOptions,
  ): List<Delivery, DeliveriesPage> {
    return this.transport.list("webhooks.deliveries", [webhookId], { query }, options)
  }

  /**
   * Get a delivery with its payload.
   * The payload is the request body with fresh download links; null when the event is no longer in the log.
   * Needs `read`.
   */
  delivery(webhookId: string, deliveryId: string, options?: RequestOptions): Call<DeliveryWithPayload> {
    return this.transport.call("webhooks.delivery", [webhookId, deliveryId], {}, options)
  }

  /**
   * Deliver again under the same id, from the first attempt.
   * Also works for a delivery that succeeded. The webhook must be ACTIVE. Needs `read`.
   */
  redeliver(webhookId: string, deliveryId: string, options?: RequestOptions): Call<Delivery> {
    return this.transport.call("webhooks.redeliver", [webhookId, deliveryId], {}, options)
  }
}

export class EventsMethods extends Resource {
  /**
   * List the events of the last 30 days, oldest first.
   * The ids are those of the stream. Continue with `metadata.nextAfter` while `metadata.hasMore` is true;
   * with a filter, a page can be short or empty before the last one. Needs `read`.
   */
  log(query?: EventsLogQuery, options?: RequestOptions): List<EventLogPage["events"][number], EventLogPage> {
    return this.transport.list("events.log", [], { query }, options)
  }
}

export class BillingMethods extends Resource {
  /**
   * Create a checkout link for the owner.
   * Give `checkout_url` to a person: payment there lifts the limits and unlocks gated messages at once. The
   * link can be used once, within 24 hours. While it is valid for 12 more hours, another call with the same
   * plan and period returns the same link. Needs full access and `manage`.
   */
  upgrade(body?: UpgradeBody, options?: RequestOptions): Call<BillingUpgradeResult> {
    return this.transport.call("billing.upgrade", [], { body }, options)
  }

  /**
   * Change the plan or the billing period at once.
   * Needs the session of the owner. Free ends the paid plan. Mailboxes above the limits of the new plan are
   * paused, and start again when a plan has room for them. Annual becomes monthly for a plan without an
   * annual price. Needs the session of the owner.
   */
  changePlan(body: ChangePlanBody, options?: RequestOptions): Call<Account> {
    return this.transport.call("billing.changePlan", [], { body }, options)
  }

  /**
   * Get the page for invoices and payment details.
   * Needs the session of the owner. Returns a link to the page of the payment provider. Needs the session of
   * the owner.
   */
  portal(options?: RequestOptions): Call<BillingPortalResult> {
    return this.transport.call("billing.portal", [], {}, options)
  }
}

export class AdminMethods extends Resource {
  /** Accounts, newest first. */
  accounts(query?: AdminAccountsQuery, options?: RequestOptions): List<Account, AdminAccountsResult> {
    return this.transport.list("admin.accounts", [], { query }, options)
  }

  /** Suspend an account; its owner can read the reason. */
  suspendAccount(accountId: string, body: AdminSuspendAccountBody, options?: RequestOptions): Call<Account> {
    return this.transport.call("admin.suspendAccount", [accountId], { body }, options)
  }

  /** End the suspension of an account. */
  unsuspendAccount(accountId: string, options?: RequestOptions): Call<Account> {
    return this.transport.call("admin.unsuspendAccount", [accountId], {}, options)
  }

  /** Put an account on a plan, without payment; its subscription is cancelled. */
  setPlan(accountId: string, body: AdminSetPlanBody, options?: RequestOptions): Call<Account> {
    return this.transport.call("admin.setPlan", [accountId], { body }, options)
  }

  /** Suspend a mailbox; its owner cannot start it. */
  suspendMailbox(
    mailboxId: string,
    body?: AdminSuspendMailboxBody,
    options?: RequestOptions,
  ): Call<Mailbox> {
    return this.transport.call("admin.suspendMailbox", [mailboxId], { body }, options)
  }

  /** End the suspension of a mailbox. */
  unsuspendMailbox(mailboxId: string, options?: RequestOptions): Call<Mailbox> {
    return this.transport.call("admin.unsuspendMailbox", [mailboxId], {}, options)
  }

  /** Let a mailbox send again whose sending was stopped. */
  resumeSending(mailboxId: string, options?: RequestOptions): Call<Mailbox> {
    return this.transport.call("admin.resumeSending", [mailboxId], {}, options)
  }

  /** Create an invitation for one account; only this response shows its token. */
  createInvitation(body?: AdminCreateInvitationBody, options?: RequestOptions): Call<CreatedInvitation> {
    return this.transport.call("admin.createInvitation", [], { body }, options)
  }

  /** The newest 100 invitations, newest first. */
  invitations(
    options?: RequestOptions,
  ): List<AdminInvitationsResult["invitations"][number], AdminInvitationsResult> {
    return this.transport.list("admin.invitations", [], {}, options)
  }

  /** Revoke an invitation. */
  revokeInvitation(invitationId: string, options?: RequestOptions): Call<Deleted> {
    return this.transport.call("admin.revokeInvitation", [invitationId], {}, options)
  }

  /** An audit trail, newest first. */
  audit(query?: AdminAuditQuery, options?: RequestOptions): List<AuditEntry, AuditPage> {
    return this.transport.list("admin.audit", [], { query }, options)
  }

  /** Complaints about mail of any account, newest first. */
  complaints(
    query?: AdminComplaintsQuery,
    options?: RequestOptions,
  ): List<Complaint, AdminComplaintsResult> {
    return this.transport.list("admin.complaints", [], { query }, options)
  }

  /** Mailboxes of any account whose sending is stopped, the newest stop first. */
  stoppedMailboxes(
    query?: AdminStoppedMailboxesQuery,
    options?: RequestOptions,
  ): List<StoppedMailbox, AdminStoppedMailboxesResult> {
    return this.transport.list("admin.stoppedMailboxes", [], { query }, options)
  }

  /** Statistics of the whole service, each counted up to `countedTo`. */
  stats(options?: RequestOptions): Call<Stats> {
    return this.transport.call("admin.stats", [], {}, options)
  }

  /** Compare stored counts with their rows for 10 s at most, and correct wrong ones. */
  doctor(options?: RequestOptions): Call<Examination> {
    return this.transport.call("admin.doctor", [], {}, options)
  }

  /** The newest 200 warnings and errors in the log of this process, newest first. */
  errors(options?: RequestOptions): List<LoggedError, AdminErrorsResult> {
    return this.transport.list("admin.errors", [], {}, options)
  }

  /** The DKIM records of the platform domain: the signing key, then the next key. */
  dkim(options?: RequestOptions): Call<PlatformDkim> {
    return this.transport.call("admin.dkim", [], {}, options)
  }

  /** Create the next DKIM key of the platform domain; it signs once its record is found. */
  rotateDkim(options?: RequestOptions): Call<PlatformDkim> {
    return this.transport.call("admin.rotateDkim", [], {}, options)
  }
}
