/** Attachments (docs/specification/channels.md). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Multipart from "@effect/platform/Multipart"
import * as OpenApi from "@effect/platform/OpenApi"
import { Attachment, described } from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { BodyLimit, uploadBody } from "../bodyLimit.js"
import { Conflict, InboundLimitExceeded, PayloadTooLarge, TooManyRequests, Unavailable } from "../errors.js"
import { alsoAnswers, fileBytes } from "../openapi.js"
import { integer } from "../paging.js"
import { attachmentId } from "../paths.js"
import { query, saying } from "../query.js"
import { FileFields, IgnoresUnknown } from "../requestInput.js"
import { MailAccess, ProvisioningAccess } from "../security.js"

const UploadForm = HttpApiSchema.Multipart(
  Schema.Struct({
    file: Multipart.SingleFileSchema.annotations({
      jsonSchema: { type: "string", format: "binary", description: "the file, with its name and type" },
      ...saying("must be one file: a part with a filename"),
    }),
  }),
)

export const Uploaded = Attachment.pick("id", "filename", "contentType", "sizeBytes").annotations({
  identifier: "UploadedAttachment",
  description: "The uploaded file",
})

export const AttachmentLink = Schema.Struct({
  ...Attachment.fields,
  url: described(Schema.String, "presigned link for GET, valid for 24 hours"),
}).annotations({ identifier: "AttachmentLink", description: "An attachment with a link to its bytes" })

export class AttachmentsGroup extends HttpApiGroup.make("attachments")
  .add(
    HttpApiEndpoint.post("upload", "/v1/attachments")
      .setPayload(UploadForm)
      .annotate(BodyLimit, uploadBody)
      .annotate(FileFields, new Set(["file"]))
      .addSuccess(Uploaded, { status: 201 })
      .addError(PayloadTooLarge)
      .middleware(ProvisioningAccess)
      .annotate(OpenApi.Summary, "Upload a file to send later")
      .annotate(
        OpenApi.Description,
        "The body is a multipart form with one `file` of at most 25 MB. Use the returned id in the `attachments` of a send. The file counts toward the storage of the plan.",
      ),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/attachments/${attachmentId}`
      .annotate(IgnoresUnknown, true)
      .addSuccess(AttachmentLink)
      .addError(InboundLimitExceeded)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Get an attachment with a link to its bytes")
      .annotate(OpenApi.Description, "`url` is presigned: it returns the bytes for 24 hours without a key."),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/attachments/${attachmentId}`
      .addSuccess(Deleted)
      .addError(Conflict)
      .middleware(ProvisioningAccess)
      .annotate(OpenApi.Summary, "Delete an upload that is not part of a message")
      .annotate(
        OpenApi.Description,
        "Frees its storage. A file of a message is deleted with the message: 409 names the message.",
      ),
  )
  .add(
    HttpApiEndpoint.get("download")`/v1/attachments/${attachmentId}/content`
      // Programs that forward a link add parameters of their own.
      .annotate(IgnoresUnknown, true)
      .setUrlParams(
        query({
          expires: Schema.String.annotations({
            jsonSchema: {
              type: "integer",
              description: "expiry of the link, milliseconds since 1970",
            },
          }).pipe(Schema.compose(integer)),
          signature: Schema.String.pipe(Schema.maxLength(200)).annotations({
            description: "signature of the link",
            ...saying("is not a signature of ours"),
          }),
        }),
      )
      .addSuccess(HttpApiSchema.Uint8Array({ contentType: "*/*" }))
      .addError(TooManyRequests)
      .addError(Unavailable)
      .annotate(OpenApi.Summary, "Download the bytes by a presigned link; supports Range")
      .annotate(
        OpenApi.Description,
        "The target of `url` in attachments and of `download_url` in events. The link is signed and needs no key.",
      )
      .annotate(
        OpenApi.Transform,
        alsoAnswers({
          206: { description: "The bytes of the range", content: fileBytes },
          416: { description: "The range begins after the last byte" },
        }),
      ),
  )
  .annotate(OpenApi.Title, "Attachments")
  .annotate(OpenApi.Description, "Files of messages, and files to be sent.") {}
