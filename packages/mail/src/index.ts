// `parseMail` is not here but beside (`@mailroom/mail/parsing/parseMail`): the bundler would load the parser for a server
// that leaves it to its threads.
export * as MimeParserInline from "./parsing/MimeParserInline.js"
export * as MimeParserPool from "./parsing/MimeParserPool.js"
export {
  type Certificate,
  ListenFailed,
  SmtpReceiver,
  type SmtpReceiverOptions,
} from "./receiving/SmtpReceiver.js"
export * as NodemailerComposer from "./composing/NodemailerComposer.js"
export * as CaptureRelay from "./relay/CaptureRelay.js"
export { MemoryRelay, type SentMail } from "./relay/MemoryRelay.js"
export * as SmtpRelay from "./relay/SmtpRelay.js"
export { RelayUrlInvalid } from "./relay/relayConnection.js"
export * as MailSignerInline from "./signatures/MailSignerInline.js"
export * as SenderAuthenticationInline from "./authenticating/SenderAuthenticationInline.js"
export * as SignatureThread from "./signatures/SignatureThread.js"
