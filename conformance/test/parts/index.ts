/** The tests of every part, by the name of their file. */
import { access } from "./access.js"
import { authentication } from "./authentication.js"
import { channels } from "./channels.js"
import { decisionsEvents } from "./decisionsEvents.js"
import { decisionsGates } from "./decisionsGates.js"
import { decisionsInbound } from "./decisionsInbound.js"
import { decisionsMessages } from "./decisionsMessages.js"
import { decisionsRoutes } from "./decisionsRoutes.js"
import { decisionsShapes } from "./decisionsShapes.js"
import { errors } from "./errors.js"
import { events } from "./events.js"
import { keys } from "./keys.js"
import { limits } from "./limits.js"
import { mailboxes } from "./mailboxes.js"
import { messages } from "./messages.js"
import { resources } from "./resources.js"
import { sending } from "./sending.js"
import { service } from "./service.js"
import { signup } from "./signup.js"
import { states } from "./states.js"
import { threads } from "./threads.js"
import { versioning } from "./versioning.js"

export const tests = {
  service,
  resources,
  states,
  signup,
  keys,
  mailboxes,
  messages,
  sending,
  threads,
  channels,
  authentication,
  events,
  errors,
  limits,
  versioning,
  decisionsShapes,
  access,
  decisionsGates,
  decisionsRoutes,
  decisionsMessages,
  decisionsInbound,
  decisionsEvents,
}
