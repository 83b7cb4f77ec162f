// `parseMail` has an entry of its own (`@mailroom/mail/parsing/parseMail`), because a server parses in its threads and the
// bundler would load the parser in the main thread as well.
export * as AttachmentTextInline from "./documents/AttachmentTextInline.js"
export * as AttachmentTextThreads from "./documents/AttachmentTextThreads.js"
export * as MimeParserInline from "./parsing/MimeParserInline.js"
export * as MimeParserPool from "./parsing/MimeParserPool.js"
export { recipientReply } from "./receiving/replies.js"
export { SmtpReceiver, type SmtpReceiverOptions } from "./receiving/SmtpReceiver.js"
export {
  type Certificate,
  CertificateUnusable,
  checkCertificate,
  ListenFailed,
} from "./receiving/smtpServer.js"
export { SubmissionServer, type SubmissionServerOptions } from "./submission/SubmissionServer.js"
export * as NodemailerComposer from "./composing/NodemailerComposer.js"
export * as CaptureRelay from "./relay/CaptureRelay.js"
export { MemoryRelay, type SentMail } from "./relay/MemoryRelay.js"
export * as SmtpRelay from "./relay/SmtpRelay.js"
export { RelayUrlInvalid } from "./relay/relayConnection.js"
export * as MailSignerInline from "./signatures/MailSignerInline.js"
export * as SenderAuthenticationInline from "./authenticating/SenderAuthenticationInline.js"
export * as SignatureThread from "./signatures/SignatureThread.js"
