/** The tests of every part, by the name of their file. */
import { keys } from "./keys.js"
import { mailboxes } from "./mailboxes.js"
import { messages } from "./messages.js"
import { resources } from "./resources.js"
import { service } from "./service.js"
import { signup } from "./signup.js"
import { states } from "./states.js"

export const tests = { service, resources, states, signup, keys, mailboxes, messages }
