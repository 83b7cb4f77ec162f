/** Mailboxes (spec, Mailboxes). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { DISPLAY_NAME_MAX_LENGTH, DomainId, LocalPart, Mailbox, oneLine, described } from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { Conflict } from "../errors.js"
import { mailboxId } from "../paths.js"
import { IgnoresUnknown } from "../requestInput.js"
import { MailAccess, ProvisioningAccess } from "../security.js"

const DisplayName = Schema.String.pipe(Schema.maxLength(DISPLAY_NAME_MAX_LENGTH), oneLine)

export const CreateMailboxBody = Schema.Struct({
  address: described(LocalPart, "the local part: 1 to 64 letters, digits, dots, hyphens and underscores"),
  displayName: Schema.optional(Schema.NullOr(DisplayName)).annotations({
    description: "the name in the From of what it sends; at most 255 characters",
  }),
  domainId: Schema.optional(DomainId).annotations({ description: "a VERIFIED custom domain" }),
}).annotations({ identifier: "CreateMailboxBody", description: "A mailbox to create" })

/** Input is case-insensitive; nobody can ask for a suspension. */
const WantedStatus = Schema.transform(Schema.String, Schema.Literal("ACTIVE", "paused"), {
  strict: false,
  decode: (text) => (text.toUpperCase() === "ACTIVE" ? "ACTIVE" : text.toLowerCase()),
  encode: (status) => status,
})

export const UpdateMailboxBody = Schema.Struct({
  displayName: Schema.optional(Schema.NullOr(DisplayName)).annotations({
    description: "the name in the From of what it sends; null for none",
  }),
  status: Schema.optional(WantedStatus).annotations({
    description: "ACTIVE starts it, paused stops its sends",
  }),
}).annotations({ identifier: "UpdateMailboxBody", description: "What to change; what is left out stays" })

const One = Schema.Struct({ mailbox: described(Mailbox, "the mailbox") })

export class MailboxesGroup extends HttpApiGroup.make("mailboxes")
  .add(
    HttpApiEndpoint.get("list", "/v1/mailboxes")
      .annotate(IgnoresUnknown, true)
      .addSuccess(Schema.Struct({ mailboxes: described(Schema.Array(Mailbox), "the mailboxes") }))
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "The mailboxes the key can see")
      .annotate(OpenApi.Description, "All of the account, or those in the scope of the key, oldest first."),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/mailboxes")
      .setPayload(CreateMailboxBody)
      .addSuccess(One, { status: 201 })
      .addError(Conflict)
      .middleware(ProvisioningAccess)
      .annotate(OpenApi.Summary, "Create a mailbox")
      .annotate(
        OpenApi.Description,
        "The address is `{address}@{slug}.{platform domain}`, or on the custom domain named by `domainId`. It is ACTIVE at once; `mailServerProvisioned` turns true when it can receive.",
      ),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/mailboxes/${mailboxId}`
      .annotate(IgnoresUnknown, true)
      .addSuccess(One)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "One mailbox")
      .annotate(
        OpenApi.Description,
        "Its settings, what it has sent today and this month, and what it has received.",
      ),
  )
  .add(
    HttpApiEndpoint.patch("update")`/v1/mailboxes/${mailboxId}`
      .setPayload(UpdateMailboxBody)
      .addSuccess(One)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Rename, pause or start a mailbox")
      .annotate(
        OpenApi.Description,
        "A paused mailbox receives and does not send. Starting one again needs room in the plan. A suspended mailbox cannot be started here.",
      ),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/mailboxes/${mailboxId}`
      .addSuccess(Deleted)
      .middleware(ProvisioningAccess)
      .annotate(OpenApi.Summary, "Delete a mailbox and its messages for good")
      .annotate(
        OpenApi.Description,
        "The address is free at once; messages and attachments go in the background.",
      ),
  )
  .annotate(OpenApi.Title, "Mailboxes")
  .annotate(OpenApi.Description, "Addresses that receive and send.") {}
