/** Mailboxes (docs/specification/mailboxes.md). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  atMostCharacters,
  DISPLAY_NAME_MAX_LENGTH,
  DomainId,
  LocalPart,
  Mailbox,
  oneLine,
  described,
  policyFields,
} from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { Conflict } from "../errors.js"
import { mailboxId } from "../paths.js"
import { IgnoresUnknown } from "../requestInput.js"
import { MailAccess, Needs, ProvisioningAccess } from "../security.js"

const DisplayName = Schema.String.pipe(atMostCharacters(DISPLAY_NAME_MAX_LENGTH), oneLine)

export const CreateMailboxBody = Schema.Struct({
  address: described(LocalPart, "the local part: 1 to 64 letters, digits, dots, hyphens and underscores"),
  displayName: Schema.optional(Schema.NullOr(DisplayName)).annotations({
    description:
      "display name in the From header of sent mail, at most 255 characters; null or blank for none",
  }),
  domainId: Schema.optional(DomainId).annotations({
    description: "id of a VERIFIED custom domain; without it the mailbox is on the platform domain",
  }),
  ...policyFields,
}).annotations({ identifier: "CreateMailboxBody", description: "A mailbox to create" })

/** Case-insensitive; only the operator can suspend. */
const WantedStatus = Schema.transform(Schema.String, Schema.Literal("ACTIVE", "paused"), {
  strict: false,
  decode: (text) => (text.toUpperCase() === "ACTIVE" ? "ACTIVE" : text.toLowerCase()),
  encode: (status) => status,
})

export const UpdateMailboxBody = Schema.Struct({
  displayName: Schema.optional(Schema.NullOr(DisplayName)).annotations({
    description: "display name in the From header of sent mail; null or blank for none",
  }),
  status: Schema.optional(WantedStatus).annotations({
    description: "ACTIVE starts the mailbox, paused stops it from sending",
  }),
  ...policyFields,
}).annotations({
  identifier: "UpdateMailboxBody",
  description: "Changes of a mailbox; absent fields do not change",
})

const One = Schema.Struct({ mailbox: described(Mailbox, "the mailbox") })

export class MailboxesGroup extends HttpApiGroup.make("mailboxes")
  .add(
    HttpApiEndpoint.get("list", "/v1/mailboxes")
      .annotate(IgnoresUnknown, true)
      .addSuccess(Schema.Struct({ mailboxes: described(Schema.Array(Mailbox), "the mailboxes") }))
      .middleware(MailAccess)
      .annotate(Needs, ["read", "send", "draft", "manage"])
      .annotate(OpenApi.Summary, "List mailboxes")
      .annotate(
        OpenApi.Description,
        "All mailboxes of the account, or those in the scope of the key, oldest first.",
      ),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/mailboxes")
      .setPayload(CreateMailboxBody)
      .addSuccess(One, { status: 201 })
      .addError(Conflict)
      .middleware(ProvisioningAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Create a mailbox")
      .annotate(
        OpenApi.Description,
        "The address is `{address}@{slug}.{platform domain}`, or on the custom domain of `domainId`. The mailbox is ACTIVE at once; `mailServerProvisioned` becomes true when it can receive.",
      ),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/mailboxes/${mailboxId}`
      .annotate(IgnoresUnknown, true)
      .addSuccess(One)
      .middleware(MailAccess)
      .annotate(Needs, ["read", "send", "draft", "manage"])
      .annotate(OpenApi.Summary, "Get a mailbox")
      .annotate(
        OpenApi.Description,
        "Returns its settings, its sends of the day and the month, and its received messages of the month.",
      ),
  )
  .add(
    HttpApiEndpoint.patch("update")`/v1/mailboxes/${mailboxId}`
      .setPayload(UpdateMailboxBody)
      .addSuccess(One)
      .middleware(MailAccess)
      .annotate(Needs, ["send", "manage"])
      .annotate(OpenApi.Summary, "Change the settings of a mailbox, pause or start it")
      .annotate(
        OpenApi.Description,
        "A paused mailbox receives and cannot send. Starting a mailbox needs room in the plan. A suspended mailbox cannot be started. A scoped key cannot change the policies: `outboundPolicy`, `reviewTtlHours`, `receivePolicy`, `onBlocked` and `quarantine`.",
      ),
  )
  .add(
    HttpApiEndpoint.post("resumeSending")`/v1/mailboxes/${mailboxId}/resume-sending`
      .addSuccess(One)
      .middleware(ProvisioningAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Let a mailbox send again whose sending was stopped")
      .annotate(
        OpenApi.Description,
        "Its sends are counted from zero again. Nothing changes when its sending is not stopped.",
      ),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/mailboxes/${mailboxId}`
      .addSuccess(Deleted)
      .middleware(ProvisioningAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Delete a mailbox and its messages for good")
      .annotate(
        OpenApi.Description,
        "The address is free at once; messages and attachments are deleted in the background.",
      ),
  )
  .annotate(OpenApi.Title, "Mailboxes")
  .annotate(OpenApi.Description, "Addresses that receive and send.") {}
