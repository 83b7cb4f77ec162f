/** How large a request may be (spec, Size limits). */
import { ATTACHMENT_MAX_BYTES, ATTACHMENTS_MAX_BYTES } from "@mailroom/domain"

/** All attachments of a send as base64, and 8 MB for the rest of the body. */
export const REQUEST_MAX_BYTES = Math.ceil(ATTACHMENTS_MAX_BYTES / 3) * 4 + 8 * 1024 * 1024

/** What a mail provider posts at once: SNS up to 256 kB in JSON in JSON, others a thousand reports. */
export const REPORTS_MAX_BYTES = 2 * 1024 * 1024

/** One file and the form around it. */
export const MULTIPART_MAX_BYTES = ATTACHMENT_MAX_BYTES + 64 * 1024
