/** Mailboxes (spec, Mailboxes). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { DomainId, LocalPart, Mailbox, oneLine } from "@mailroom/domain"
import { Schema } from "effect"
import { Conflict } from "../errors.js"
import { mailboxId } from "../paths.js"
import { MailAccess, ProvisioningAccess } from "../security.js"

const DisplayName = Schema.String.pipe(Schema.maxLength(200), oneLine)

export const CreateMailboxBody = Schema.Struct({
  address: LocalPart,
  displayName: Schema.optional(Schema.NullOr(DisplayName)),
  domainId: Schema.optional(DomainId).annotations({ description: "a VERIFIED custom domain" }),
}).annotations({ identifier: "CreateMailboxBody" })

/** Input is case-insensitive; nobody can ask for a suspension. */
const WantedStatus = Schema.transform(Schema.String, Schema.Literal("ACTIVE", "paused"), {
  strict: false,
  decode: (text) => (text.toUpperCase() === "ACTIVE" ? "ACTIVE" : text.toLowerCase()),
  encode: (status) => status,
})

export const UpdateMailboxBody = Schema.Struct({
  displayName: Schema.optional(Schema.NullOr(DisplayName)),
  status: Schema.optional(WantedStatus),
}).annotations({ identifier: "UpdateMailboxBody" })

const One = Schema.Struct({ mailbox: Mailbox })

export class MailboxesGroup extends HttpApiGroup.make("mailboxes")
  .add(
    HttpApiEndpoint.get("list", "/v1/mailboxes")
      .addSuccess(Schema.Struct({ mailboxes: Schema.Array(Mailbox) }))
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "The mailboxes the key can see"),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/mailboxes")
      .setPayload(CreateMailboxBody)
      .addSuccess(One, { status: 201 })
      .addError(Conflict)
      .middleware(ProvisioningAccess)
      .annotate(OpenApi.Summary, "Create a mailbox"),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/mailboxes/${mailboxId}`
      .addSuccess(One)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "One mailbox"),
  )
  .add(
    HttpApiEndpoint.patch("update")`/v1/mailboxes/${mailboxId}`
      .setPayload(UpdateMailboxBody)
      .addSuccess(One)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Rename, pause or start a mailbox"),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/mailboxes/${mailboxId}`
      .addSuccess(Schema.Struct({ deleted: Schema.Literal(true) }))
      .middleware(ProvisioningAccess)
      .annotate(OpenApi.Summary, "Delete a mailbox and its messages for good"),
  )
  .annotate(OpenApi.Title, "Mailboxes") {}
