/** Every row, by the page of docs/specification that it stands on, in the order of the page. */
import { authentication } from "./authentication.js"
import { bulk } from "./bulk.js"
import { channels } from "./channels.js"
import { drafts } from "./drafts.js"
import { errors } from "./errors.js"
import { events } from "./events.js"
import { keys } from "./keys.js"
import { lists } from "./lists.js"
import { limits } from "./limits.js"
import { mailboxes } from "./mailboxes.js"
import { mcp } from "./mcp.js"
import { messages } from "./messages.js"
import { reputation } from "./reputation.js"
import { resources } from "./resources.js"
import { search } from "./search.js"
import { senders } from "./senders.js"
import { service } from "./service.js"
import { sharing } from "./sharing.js"
import { signup } from "./signup.js"
import { states } from "./states.js"
import { submission } from "./submission.js"
import { threads } from "./threads.js"
import { versioning } from "./versioning.js"

export const pages = {
  service,
  resources,
  states,
  signup,
  keys,
  mailboxes,
  messages,
  submission,
  bulk,
  threads,
  senders,
  drafts,
  sharing,
  lists,
  search,
  reputation,
  channels,
  mcp,
  authentication,
  events,
  errors,
  limits,
  versioning,
}

type IdsOf<S> = S extends { readonly rows: infer R } ? keyof R & string : never

/** The id of a row. */
export type RowId = IdsOf<(typeof pages)[keyof typeof pages][number]>

const texts: ReadonlyMap<string, string> = new Map(
  Object.values(pages).flatMap((sections) => sections.flatMap(({ rows }) => Object.entries(rows))),
)

/** What a row says. */
export const textOf = (id: RowId): string => texts.get(id) ?? ""

/** By row: why it has no test yet. A test fails unless exactly these rows have none. */
export const waiting: Readonly<Record<string, string>> = {}
