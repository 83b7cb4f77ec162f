import { AttachmentTextInline } from "@mailroom/mail"
import { attachmentTextContract } from "./attachmentText.contract.js"

attachmentTextContract("AttachmentTextInline", AttachmentTextInline.layer)
