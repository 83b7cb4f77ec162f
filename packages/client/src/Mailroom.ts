/** The client. */
import { follow, type EventsOptions, type MailroomEvent } from "./follow.js"
import {
  AccountMethods,
  AdminMethods,
  AuditMethods,
  BillingMethods,
  ClaimsMethods,
  DomainsMethods,
  DraftsMethods,
  EventsMethods,
  KeysMethods,
  ListsMethods,
  MailboxesMethods,
  MetricsMethods,
  ReviewsMethods,
  SessionMethods,
  SignupMethods,
  SuppressionsMethods,
  ThreadsMethods,
} from "./generated/methods.js"
import type { MailroomOptions } from "./options.js"
import { Attachments } from "./resources/Attachments.js"
import { Messages } from "./resources/Messages.js"
import { Webhooks } from "./resources/Webhooks.js"
import { Transport } from "./Transport.js"

/** The event log, and, called as a function, the events as they happen. */
export interface Events extends Pick<EventsMethods, "log"> {
  /**
   * Follow the events of the account, from now, from `after`, or from where the cursor is. Reconnects by itself; events that
   * come while the connection is lost come afterwards, each once and in order. With a cursor, each comes at least once.
   */
  (options?: EventsOptions): AsyncGenerator<MailroomEvent, void, undefined>
}

/** A client of the service, for one API key. */
export class Mailroom {
  /** creating an account, and verifying its owner */
  readonly signup: SignupMethods
  /** sessions of the owner, in pages of the service */
  readonly session: SessionMethods
  /** the account of the key */
  readonly account: AccountMethods
  /** API keys */
  readonly keys: KeysMethods
  /** who changed what */
  readonly audit: AuditMethods
  /** addresses that receive and send */
  readonly mailboxes: MailboxesMethods
  /** received and sent mail */
  readonly messages: Messages
  /** conversations */
  readonly threads: ThreadsMethods
  /** mails that are not sent yet */
  readonly drafts: DraftsMethods
  /** sends that wait until a person approves them */
  readonly reviews: ReviewsMethods
  /** sharing the messages of a mailbox among workers */
  readonly claims: ClaimsMethods
  /** allow and block lists */
  readonly lists: ListsMethods
  /** addresses that must not be written to */
  readonly suppressions: SuppressionsMethods
  /** files of messages */
  readonly attachments: Attachments
  /** custom domains */
  readonly domains: DomainsMethods
  /** deliveries of events to a URL */
  readonly webhooks: Webhooks
  /** events as they happen, and their log */
  readonly events: Events
  /** counters of received and sent mail */
  readonly metrics: MetricsMethods
  /** buying and changing a plan */
  readonly billing: BillingMethods
  /** for the operator: `apiKey` is the ADMIN_TOKEN of the service */
  readonly admin: AdminMethods

  constructor(options: MailroomOptions = {}) {
    const transport = new Transport(options)
    const log = new EventsMethods(transport)
    this.signup = new SignupMethods(transport)
    this.session = new SessionMethods(transport)
    this.account = new AccountMethods(transport)
    this.keys = new KeysMethods(transport)
    this.audit = new AuditMethods(transport)
    this.mailboxes = new MailboxesMethods(transport)
    this.messages = new Messages(transport)
    this.threads = new ThreadsMethods(transport)
    this.drafts = new DraftsMethods(transport)
    this.reviews = new ReviewsMethods(transport)
    this.claims = new ClaimsMethods(transport)
    this.lists = new ListsMethods(transport)
    this.suppressions = new SuppressionsMethods(transport)
    this.attachments = new Attachments(transport)
    this.domains = new DomainsMethods(transport)
    this.webhooks = new Webhooks(transport)
    this.events = Object.assign((events: EventsOptions = {}) => follow(transport, events), {
      log: log.log.bind(log),
    })
    this.metrics = new MetricsMethods(transport)
    this.billing = new BillingMethods(transport)
    this.admin = new AdminMethods(transport)
  }
}
