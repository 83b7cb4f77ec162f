/** Attachments (docs/specification/channels.md). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Multipart from "@effect/platform/Multipart"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  Attachment,
  ATTACHMENT_TEXT_PAGE_DEFAULT,
  ATTACHMENT_TEXT_PAGE_MAX,
  AttachmentTextPage,
  described,
} from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { BodyLimit, uploadBody } from "../bodyLimit.js"
import {
  Conflict,
  InboundLimitExceeded,
  PayloadTooLarge,
  TooManyRequests,
  Unavailable,
  Unprocessable,
  UnsupportedMediaType,
} from "../errors.js"
import { alsoAnswers, fileBytes } from "../openapi.js"
import { integer } from "../paging.js"
import { attachmentId } from "../paths.js"
import { query, saying } from "../query.js"
import { FileFields, IgnoresUnknown } from "../requestInput.js"
import { MailAccess, Needs, ProvisioningAccess } from "../security.js"

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

const TextQuery = query({
  offset: Schema.optionalWith(
    integer.pipe(Schema.nonNegative()).annotations({
      jsonSchema: {
        type: "integer",
        minimum: 0,
        default: 0,
        description: "where the part begins, in UTF-16 units; `nextOffset` of the part before",
      },
      ...saying("must be a whole number from 0"),
    }),
    { default: () => 0 },
  ),
  maxChars: Schema.optionalWith(
    integer.pipe(Schema.between(1, ATTACHMENT_TEXT_PAGE_MAX)).annotations({
      jsonSchema: {
        type: "integer",
        minimum: 1,
        maximum: ATTACHMENT_TEXT_PAGE_MAX,
        default: ATTACHMENT_TEXT_PAGE_DEFAULT,
        description: `maximal length of the part in UTF-16 units, 1 to ${ATTACHMENT_TEXT_PAGE_MAX}`,
      },
      ...saying(`must be a whole number from 1 to ${ATTACHMENT_TEXT_PAGE_MAX}`),
    }),
    { default: () => ATTACHMENT_TEXT_PAGE_DEFAULT },
  ),
})

export class AttachmentsGroup extends HttpApiGroup.make("attachments")
  .add(
    HttpApiEndpoint.post("upload", "/v1/attachments")
      .setPayload(UploadForm)
      .annotate(BodyLimit, uploadBody)
      .annotate(FileFields, new Set(["file"]))
      .addSuccess(Uploaded, { status: 201 })
      .addError(PayloadTooLarge)
      .middleware(ProvisioningAccess)
      .annotate(Needs, ["send", "draft"])
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
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Get an attachment with a link to its bytes")
      .annotate(OpenApi.Description, "`url` is presigned: it returns the bytes for 24 hours without a key."),
  )
  .add(
    HttpApiEndpoint.get("text")`/v1/attachments/${attachmentId}/text`
      .setUrlParams(TextQuery)
      .addSuccess(AttachmentTextPage)
      .addError(InboundLimitExceeded)
      .addError(UnsupportedMediaType)
      .addError(Unprocessable)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Get the text inside an attachment")
      .annotate(
        OpenApi.Description,
        "Reads PDF, Word, Excel, PowerPoint, OpenDocument, RTF, HTML, CSV, JSON, plain text, calendars and nested mail. The bytes decide what a file is, then its type and name. The text is read when it is first asked for, and kept. 415: the file has no text. 422: it is encrypted, damaged, too large inside, or took too long.",
      ),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/attachments/${attachmentId}`
      .addSuccess(Deleted)
      .addError(Conflict)
      .middleware(ProvisioningAccess)
      .annotate(Needs, ["send", "draft", "manage"])
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
          302: {
            description: "The file is in an object store, which serves it at this address for five minutes",
          },
          416: { description: "The range begins after the last byte" },
        }),
      ),
  )
  .annotate(OpenApi.Title, "Attachments")
  .annotate(OpenApi.Description, "Files of messages, and files to be sent.") {}
