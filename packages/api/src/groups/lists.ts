/** Lists over all mailboxes that the caller may read (docs/specification/lists.md). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  described,
  MailboxId,
  MessageListItem,
  Thread,
  THREADS_PAGE_DEFAULT,
  THREADS_PAGE_MAX,
} from "@mailroom/domain"
import { Schema } from "effect"
import { TooManyRequests, Unavailable } from "../errors.js"
import { listParameters } from "../filters.js"
import { cursor, pageLimit, PageMetadata } from "../paging.js"
import { query, saying } from "../query.js"
import { MailAccess, Needs } from "../security.js"
import { limitMetadata } from "./messages.js"

const ListMetadata = Schema.Struct({ ...limitMetadata, ...PageMetadata.fields })
export type ListMetadata = typeof ListMetadata.Type

const metadata = described(ListMetadata, "metadata of the page and the list")

export const AccountMessagesPage = Schema.Struct({
  messages: described(Schema.Array(MessageListItem), "the messages of the page"),
  metadata,
}).annotations({
  identifier: "AccountMessagesPage",
  description: "A page of the messages of several mailboxes",
})

export const AccountThreadsPage = Schema.Struct({
  threads: described(Schema.Array(Thread), "the threads of the page"),
  metadata,
}).annotations({
  identifier: "AccountThreadsPage",
  description: "A page of threads",
})

export class ListsGroup extends HttpApiGroup.make("lists")
  .add(
    HttpApiEndpoint.get("messages", "/v1/messages")
      .setUrlParams(query(listParameters))
      .addSuccess(AccountMessagesPage)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "List the messages of all mailboxes, newest first")
      .annotate(
        OpenApi.Description,
        "As the list of a mailbox, with the same filters; a scoped key sees its mailboxes. A page may have fewer messages than `limit`, or none, and not be the last: continue with `metadata.nextCursor` while `metadata.hasMore` is true.",
      ),
  )
  .add(
    HttpApiEndpoint.get("threads", "/v1/threads")
      .setUrlParams(
        query({
          mailboxId: Schema.optional(
            MailboxId.annotations({
              description: "only threads of this mailbox",
              ...saying("must be the id of a mailbox"),
            }),
          ),
          limit: pageLimit(THREADS_PAGE_MAX, THREADS_PAGE_DEFAULT),
          cursor,
        }),
      )
      .addSuccess(AccountThreadsPage)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "List the threads of all mailboxes or of one, newest activity first")
      .annotate(
        OpenApi.Description,
        "A scoped key sees the threads of its mailboxes. A thread that gets a message while a client pages moves to the first page.",
      ),
  )
  .annotate(OpenApi.Title, "Lists of an account")
  .annotate(OpenApi.Description, "Messages and threads of all mailboxes.") {}
