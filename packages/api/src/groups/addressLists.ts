/** Allow and block lists of an account and of its mailboxes (docs/specification/senders.md). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  described,
  LIST_ENTRIES_PAGE_DEFAULT,
  LIST_ENTRIES_PAGE_MAX,
  LIST_REASON_MAX_LENGTH,
  ListEntry,
  ListEntryReason,
  ListEntryText,
} from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { cursor, pageLimit, PageMetadata } from "../paging.js"
import { listDirection, listEntryId, listKind, mailboxId } from "../paths.js"
import { query } from "../query.js"
import { Needs, ProvisioningAccess } from "../security.js"

const ListEntriesQuery = query({
  limit: pageLimit(LIST_ENTRIES_PAGE_MAX, LIST_ENTRIES_PAGE_DEFAULT),
  cursor,
})

export const ListEntriesPage = Schema.Struct({
  entries: described(Schema.Array(ListEntry), "the entries of the page"),
  metadata: described(PageMetadata, "metadata of the page"),
}).annotations({ identifier: "ListEntriesPage", description: "Entries of an allow list or a block list" })

export const CreateListEntryBody = Schema.Struct({
  entry: described(
    ListEntryText,
    "an address, `@example.org` for all addresses at a domain, or `@*.example.org` for all at its subdomains",
  ),
  reason: Schema.optional(Schema.NullOr(ListEntryReason)).annotations({
    description: `why it is on the list; at most ${LIST_REASON_MAX_LENGTH} characters`,
  }),
}).annotations({ identifier: "CreateListEntryBody", description: "An entry to add to a list" })

const One = Schema.Struct({ entry: described(ListEntry, "the entry") })

const CHOICE =
  "The most specific entry decides: one of the mailbox before one of the account, then an address before a domain before a wildcard; of two that are equal the block. A scoped key gets 403."
const EFFECT =
  "Receive lists decide about new mail; an allow entry counts only for senders whose domain is proven. Send lists refuse blocked recipients with 400 `RECIPIENT_BLOCKED`; an allow entry lifts a less specific block. An entry that is on the list already keeps its reason and time."

export class AddressListsGroup extends HttpApiGroup.make("addressLists")
  .add(
    HttpApiEndpoint.get("list")`/v1/lists/${listDirection}/${listKind}`
      .setUrlParams(ListEntriesQuery)
      .addSuccess(ListEntriesPage)
      .middleware(ProvisioningAccess)
      .annotate(Needs, ["read", "manage"])
      .annotate(OpenApi.Summary, "List the entries of a list of the account, newest first")
      .annotate(OpenApi.Description, CHOICE),
  )
  .add(
    HttpApiEndpoint.post("add")`/v1/lists/${listDirection}/${listKind}`
      .setPayload(CreateListEntryBody)
      .addSuccess(One, { status: 201 })
      .middleware(ProvisioningAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Add an entry to a list of the account")
      .annotate(OpenApi.Description, EFFECT),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/lists/${listDirection}/${listKind}/${listEntryId}`
      .addSuccess(Deleted)
      .middleware(ProvisioningAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Remove an entry from a list of the account")
      .annotate(OpenApi.Description, "Mail that is quarantined already stays so until it is released."),
  )
  .add(
    HttpApiEndpoint.get("listOfMailbox")`/v1/mailboxes/${mailboxId}/lists/${listDirection}/${listKind}`
      .setUrlParams(ListEntriesQuery)
      .addSuccess(ListEntriesPage)
      .middleware(ProvisioningAccess)
      .annotate(Needs, ["read", "manage"])
      .annotate(OpenApi.Summary, "List the entries of a list of a mailbox, newest first")
      .annotate(OpenApi.Description, CHOICE),
  )
  .add(
    HttpApiEndpoint.post("addToMailbox")`/v1/mailboxes/${mailboxId}/lists/${listDirection}/${listKind}`
      .setPayload(CreateListEntryBody)
      .addSuccess(One, { status: 201 })
      .middleware(ProvisioningAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Add an entry to a list of a mailbox")
      .annotate(OpenApi.Description, EFFECT),
  )
  .add(
    HttpApiEndpoint.del(
      "removeFromMailbox",
    )`/v1/mailboxes/${mailboxId}/lists/${listDirection}/${listKind}/${listEntryId}`
      .addSuccess(Deleted)
      .middleware(ProvisioningAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Remove an entry from a list of a mailbox")
      .annotate(OpenApi.Description, "Mail that is quarantined already stays so until it is released."),
  )
  .annotate(OpenApi.Title, "Allow and block lists")
  .annotate(OpenApi.Description, "Who may write to the mailboxes, and whom they may write to.") {}
