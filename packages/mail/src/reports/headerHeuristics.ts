/** Judges by the header whether a mail may be a report: by its sender, its subject and its type. */
import type { HeaderMap, ParsedMail } from "@mailroom/domain"

const all = (headers: HeaderMap, name: string): ReadonlyArray<string> => {
  const value = headers[name]
  return value === undefined ? [] : typeof value === "string" ? [value] : value
}

const last = (headers: HeaderMap, name: string): string => (all(headers, name).at(-1) ?? "").slice(0, 1000)

/** `multipart/report` with its report type (RFC 6522), lower-case; null for any other mail. */
export const reportType = (mail: ParsedMail): string | null => {
  const type = last(mail.headers, "content-type").toLowerCase()
  if (!type.startsWith("multipart/report")) return null
  return /report-type\s*=\s*"?([a-z-]{1,40})/.exec(type)?.[1] ?? ""
}

/** Local parts and names of mail programs. */
const daemon =
  /(?:^|[<"'\s])(?:mailer[-_]?daemon|mail[-_]?daemon|post[-_]?master|mdaemon|mmdf|uucp|microsoftexchange[0-9a-f]{8,40}|mail-?delivery(?:-?(?:system|subsystem|service))?|bounce(?:-?handler|s)?|delivery-?(?:failure|notification)s?|mail-?admin(?:istrator)?|mta|no-?reply(?=@[^\s@>]{0,60}(?:dion\.ne\.jp|auone-net\.jp)))(?=[@>\s"']|$)/i

const daemonName =
  /^\W*(?:(?:internet )?mail(?:er)?[- ]deliver(?:y|ing)?(?: (?:system|sub-?system|service|agent))?|mailer[- ]daemon|postmaster|system administrator|mail administrator|mail system|mail router|mail server|microsoft outlook|securitygateway for email servers)\W*$/i

export const isFromDaemon = (mail: ParsedMail): boolean => {
  const from = last(mail.headers, "from")
  return daemon.test(from) || daemonName.test(mail.from?.name ?? from.replace(/<[^<>]*>?/g, ""))
}

/** Whether Return-Path is the null path (RFC 5321 §4.5.5), or what some servers write instead. */
export const hasNullReturnPath = (mail: ParsedMail): boolean =>
  /^(?:<\s*>|<?mailer-daemon(?:@[^\s<>]{0,255})?>?)$/i.test(last(mail.headers, "return-path").trim())

/** Subjects of reports, in the languages of mail servers. */
const subjects = [
  /^failure notice\b/i,
  /\bundeliver(?:ed|able|ability)\b|\bundelivrable\b/i,
  /\breturned (?:e-?)?mail\b|\breturning message to sender\b|\breturned to sender\b/i,
  /\b(?:e-?mail|message|delivery)(?: delivery| system| status)? (?:failed|failure|failures|problem|error|report)\b/i,
  /\bdelivery (?:status )?notification\b|\bdelivery (?:has (?:failed|been delayed)|incomplete|unsuccessful)/i,
  /\b(?:non-?|not |un)deliver(?:y|ed|able)\b|\bunable to deliver\b/i,
  /\b(?:could not|cannot|can't|unable to|failed to) (?:be )?(?:send|sent|deliver|delivered)\b/i,
  /^warning: (?:message|could not send)|\bmessage (?:delayed|frozen)\b|\bdelayed mail\b/i,
  /\bpostmaster notify\b|\bblocked by our bulk e-?mail filter\b|\buser unknown\b|\baddress not found\b/i,
  /\bunzustellbar\b|\bnicht zugestellt\b|\bzustellung fehlgeschlagen\b|\bfehlgeschlagene zustellung\b|\bzustellungsfehler\b/i,
  /\bnon (?:remis|distribu|d[eé]livr)|\b[eé]chec (?:de |d.)(?:la )?(?:remise|distribution|l.envoi|livraison)/i,
  /\bno (?:se ha podido )?entrega|\bnão entregue\b|\bdevolvid[ao]\b|\bdevuelto\b|\bmanca(?:to|ta) (?:recapito|consegna)\b/i,
  /\bonbestelbaar\b|\bkan inte levereras\b|\bolevererbar|\bkunne ikke leveres\b|\bkan ikke leveres\b|\bniedostarczon/i,
  /не ?доставлен|недоставлен|ошибка доставки|не может быть доставлен/i,
  /配信(?:不能|エラー|できません)|送信(?:エラー|できません)|届きません|退信|无法投递/,
]

/** A reply or forwarded mail has the subject of the mail it is about. */
const replyOrForward = /^\s*(?:re|aw|sv|antw|fwd?|wg|tr|rv|enc|i)\s*(?:\[\d+\])?\s*:/i

export const hasReportSubject = (mail: ParsedMail): boolean => {
  const subject = mail.subject.slice(0, 500)
  return !replyOrForward.test(subject) && subjects.some((pattern) => pattern.test(subject))
}

/** Whether the subject is that of a delay notification. */
export const hasDelaySubject = (mail: ParsedMail): boolean =>
  /\bdelay(?:ed)?\b|\bwarning: (?:could not send|message)|verzöger|\bretard|задерж|遅延/i.test(
    mail.subject.slice(0, 500),
  )

/** The recipients in `X-Failed-Recipients`, which Exim and Google write. At most 100. */
export const failedRecipients = (mail: ParsedMail): ReadonlyArray<string> =>
  all(mail.headers, "x-failed-recipients")
    .flatMap((value) => value.slice(0, 32_768).split(","))
    .slice(0, 100)

const autoReplySubject =
  /^\W*(?:auto(?:matic|matische|mated)?[- ]?(?:reply|response|antwort)|out of (?:the )?office|abwesen|r[eé]ponse automatique|absence|respuesta autom|resposta autom|risposta autom|vacation|on holiday|away\b|challenge|confirm|please (?:confirm|verify))/i

/** Whether a mailing list sent it (RFC 2919): then it is no report to us. */
export const isFromList = (mail: ParsedMail): boolean =>
  ["list-id", "list-post"].some((name) => last(mail.headers, name) !== "")

/** Whether it is an automatic reply (RFC 3834). Auto-Submitted does not tell: reports have the same value. */
export const isAutomaticReply = (mail: ParsedMail): boolean =>
  autoReplySubject.test(mail.subject.slice(0, 500)) ||
  ["x-autoreply", "x-autorespond"].some((name) => last(mail.headers, name) !== "") ||
  /^auto_reply\b/i.test(last(mail.headers, "precedence"))

/** Whether it is a reply or a forwarded mail, by its subject. */
export const isReplyOrForward = (mail: ParsedMail): boolean => replyOrForward.test(mail.subject.slice(0, 500))
