/** Attachments (spec, Attachments; decisions §2, §4). */
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
  description: "The upload",
})

export const AttachmentLink = Schema.Struct({
  ...Attachment.fields,
  url: described(Schema.String, "presigned, GET, valid for 24 hours"),
}).annotations({ identifier: "AttachmentLink", description: "An attachment, and where its bytes are" })

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
        "A multipart form with one `file`, 25 MB at most. The id in the answer goes into the `attachments` of a send. Counts toward the plan's storage.",
      ),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/attachments/${attachmentId}`
      .annotate(IgnoresUnknown, true)
      .addSuccess(AttachmentLink)
      .addError(InboundLimitExceeded)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "What is known of an attachment, and a link to its bytes")
      .annotate(
        OpenApi.Description,
        "`url` is presigned: whoever has it may fetch the bytes for 24 hours, without a key.",
      ),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/attachments/${attachmentId}`
      .addSuccess(Deleted)
      .addError(Conflict)
      .middleware(ProvisioningAccess)
      .annotate(OpenApi.Summary, "Delete an upload that was not sent")
      .annotate(
        OpenApi.Description,
        "Gives its storage back. A file that belongs to a message is deleted with the message: 409 names it.",
      ),
  )
  .add(
    HttpApiEndpoint.get("download")`/v1/attachments/${attachmentId}/content`
      // Programs that pass a link on add parameters of their own to it.
      .annotate(IgnoresUnknown, true)
      .setUrlParams(
        query({
          expires: Schema.String.annotations({
            jsonSchema: {
              type: "integer",
              description: "until when the link works, in milliseconds since 1970",
            },
          }).pipe(Schema.compose(integer)),
          signature: Schema.String.pipe(Schema.maxLength(200)).annotations({
            description: "proves that the link is ours",
            ...saying("is not a signature of ours"),
          }),
        }),
      )
      .addSuccess(HttpApiSchema.Uint8Array({ contentType: "*/*" }))
      .addError(TooManyRequests)
      .addError(Unavailable)
      .annotate(OpenApi.Summary, "The bytes, by a presigned link; supports Range")
      .annotate(
        OpenApi.Description,
        "The address in `url` of an attachment and in `download_url` of events. It carries its own proof and needs no key.",
      )
      .annotate(
        OpenApi.Transform,
        alsoAnswers({
          206: { description: "The bytes of the range", content: fileBytes },
          416: { description: "The range begins behind the last byte" },
        }),
      ),
  )
  .annotate(OpenApi.Title, "Attachments")
  .annotate(OpenApi.Description, "Files of messages, and files to be sent.") {}
