/** The tests by the name of their file, in two halves that run side by side. */
import { access } from "./access.js"
import { auditTrail } from "./audit.js"
import { authentication } from "./authentication.js"
import { bulk } from "./bulk.js"
import { channels } from "./channels.js"
import { decisionsEvents } from "./decisionsEvents.js"
import { decisionsFields } from "./decisionsFields.js"
import { decisionsGates } from "./decisionsGates.js"
import { decisionsInbound } from "./decisionsInbound.js"
import { decisionsMessages } from "./decisionsMessages.js"
import { decisionsRoutes } from "./decisionsRoutes.js"
import { decisionsShapes } from "./decisionsShapes.js"
import { decisionsWebhooks } from "./decisionsWebhooks.js"
import { domains } from "./domains.js"
import { errors } from "./errors.js"
import { eventLog } from "./eventLog.js"
import { events } from "./events.js"
import { idempotency } from "./idempotency.js"
import { imports } from "./imports.js"
import { invitations } from "./invitations.js"
import { keys } from "./keys.js"
import { lists } from "./lists.js"
import { limits } from "./limits.js"
import { mailResources } from "./mailResources.js"
import { mailboxes } from "./mailboxes.js"
import { mcp } from "./mcp.js"
import { messages } from "./messages.js"
import { onboarding } from "./onboarding.js"
import { operator } from "./operator.js"
import { permissions } from "./permissions.js"
import { quotaHeaders } from "./quotaHeaders.js"
import { replies } from "./replies.js"
import { reports } from "./reports.js"
import { reputation } from "./reputation.js"
import { resources } from "./resources.js"
import { sendOrder } from "./sendOrder.js"
import { searching } from "./search.js"
import { sending } from "./sending.js"
import { senders } from "./senders.js"
import { trust } from "./trust.js"
import { service } from "./service.js"
import { drafts } from "./drafts.js"
import { sharing } from "./sharing.js"
import { signup } from "./signup.js"
import { simulator } from "./simulator.js"
import { sizes } from "./sizes.js"
import { states } from "./states.js"
import { stream } from "./stream.js"
import { submission } from "./submission.js"
import { suppressions } from "./suppressions.js"
import { takeovers } from "./takeovers.js"
import { threads } from "./threads.js"
import { upgrading } from "./upgrading.js"
import { versioning } from "./versioning.js"
import { webhookRoutes } from "./webhookRoutes.js"
import { whoami } from "./whoami.js"

export const specification = {
  service,
  resources,
  mailResources,
  states,
  signup,
  onboarding,
  keys,
  mailboxes,
  messages,
  mcp,
  imports,
  invitations,
  sending,
  submission,
  bulk,
  simulator,
  threads,
  takeovers,
  lists,
  searching,
  reputation,
  channels,
  authentication,
  whoami,
  events,
  stream,
  errors,
  quotaHeaders,
  limits,
  sizes,
  versioning,
}

export const decisions = {
  decisionsShapes,
  permissions,
  auditTrail,
  decisionsFields,
  access,
  decisionsGates,
  sendOrder,
  upgrading,
  operator,
  decisionsRoutes,
  idempotency,
  webhookRoutes,
  replies,
  eventLog,
  drafts,
  sharing,
  domains,
  suppressions,
  senders,
  trust,
  decisionsMessages,
  decisionsInbound,
  reports,
  decisionsEvents,
  decisionsWebhooks,
}

export const tests = { ...specification, ...decisions }
