/** Attachments: the methods of the contract, and the bytes of files. */
import { type Call, callOf } from "../Call.js"
import { encodedUpload, type FileUpload } from "../files.js"
import { AttachmentsMethods } from "../generated/methods.js"
import type { UploadedAttachment } from "../generated/types.js"
import type { RequestOptions } from "../options.js"

/** A presigned link, in `url` of an attachment and `download_url` of an event. */
const LINK = /\/v1\/attachments\/([^/?]+)\/content\?(.*)$/

export class Attachments extends AttachmentsMethods {
  /**
   * Upload a file to send later. The id in the result can be used in `attachments` of a message. A stream is read into
   * memory first.
   */
  upload(file: FileUpload, options?: RequestOptions): Call<UploadedAttachment> {
    return this.transport.call("attachments.upload", [], { encoded: () => encodedUpload(file) }, options)
  }

  /**
   * Download a file, by its id or by a presigned link. The result is the response: `body` is the stream of its bytes,
   * `arrayBuffer()`, `blob()` and `text()` read them all. A header `Range` gets a part.
   */
  download(attachment: string, options?: RequestOptions): Call<Response> {
    const load = async () => {
      const url = LINK.test(attachment) ? attachment : (await this.get(attachment, options)).url
      const [, id = "", query = ""] = LINK.exec(url) ?? []
      const { expires, signature } = Object.fromEntries(new URLSearchParams(query))
      // By the address of the client: the service may have another one inside a network.
      return this.transport
        .bytes("attachments.download", [id], { query: { expires, signature } }, options)
        .withResponse()
    }
    return callOf(load())
  }
}
