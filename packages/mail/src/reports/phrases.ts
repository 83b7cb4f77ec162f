/**
 * The phrases of mail servers in reports for people. No standard defines them: they are collected from the reports of real
 * servers. Each pattern is matched against one line, cut at 1,000 characters.
 */
import type { Outcome } from "@mailroom/domain"
import { ADDRESS } from "./reportParts.js"

export interface Announcement {
  readonly outcome: Outcome
  /** holds even where the text also says that the server keeps trying */
  readonly final?: boolean
  /** the line is also the reason */
  readonly isReason?: boolean
  readonly words: ReadonlyArray<RegExp>
}

/** Lines that announce a failure or a delay. The first match counts. */
export const announcements: ReadonlyArray<Announcement> = [
  {
    outcome: "delayed",
    words: [
      // Sendmail, MDaemon
      /\btransient (?:non-)?fatal/i,
      // Exim, Gmail, Exchange, Postfix
      /\bhas (?:not yet been|been delayed)|\bnot yet been delivered\b|\bdelivery incomplete\b/i,
      /\bdelivery to the following recipients? (?:has been |is )delayed/i,
      /\btemporary problem delivering\b|\bnoch nicht zugestellt\b|\bverzögert\b|\bpas encore [eê]t[eé] (?:remis|d[eé]livr)/i,
    ],
  },
  {
    outcome: "bounced",
    final: true,
    // Sendmail, Gmail, Exim, qmail
    words: [/\bpermanent (?:fatal|delivery)|\bfailed permanently\b|\bpermanent error\b/i],
  },
  // au: the reason, and the recipient below it
  { outcome: "bounced", isReason: true, words: [/\bthe user\(s\) account is\b/i] },
  {
    outcome: "bounced",
    words: [
      // Exim, GMX, 1&1, Zoho; OpenSMTPD; Postfix, Yandex, SoftBank
      /\b(?:could not|cannot|can not|couldn't|can't|was not|wasn't|not been|not) (?:be )?delivered\b|\bnot deliverable\b/i,
      /\bthe following (?:address(?:\(?es\)?)?|recipients?(?:\(s\))?)(?: has| have)?\s?(?:failed|had|did|could|was|were|cannot)/i,
      /\bdelivery (?:has )?failed\b|\bhas been blocked\b/i,
      // McAfee, T-Online (Smail), Sendmail of old
      /^\W*recipients? of this (?:delivery|message)\b|\bfailed addresses follow\b|\bfailed recipients?\b\W*$/i,
      // qmail, Yahoo
      /^Hi\. This is (?:the|my) |\b(?:un|not )able to deliver (?:your|the) (?:message|mail)\b/i,
      // Exchange 5.5 to 2003, IIS
      /\bdid not reach (?:some or all of )?the (?:following|intended) recipient/i,
      /\bdeliver?y to the following recipients? (?:failed|was aborted)/i,
      // Exchange 2007 and later, Office 365
      /\bdelivery has failed to these recipients\b|^Generating server|^Serveur de g|^Generierender Server/i,
      /\b(?:diagnostic information for administrators|informations? de diagnostic pour|diagnoseinformationen für)/i,
      // Lotus Notes
      /^-+ Failure Reasons\b/i,
      // GroupWise, Courier, Oracle Messaging Server, SES, DragonFly
      /\bwas undeliverable\b|\bundeliverable mail\b|\bcannot be delivered to\b/i,
      /\berror (?:has )?occurred while (?:trying|attempting) to deliver\b|\bthere was an error delivering\b/i,
      // X1, InterScan, au, docomo
      /\bhad delivery (?:errors|problems)\b|\bunable to deliver message to\b|\bwas rejected by a remote\b/i,
      /配信されませんでした|届けできませんでした|送信できませんでした/,
      // GMX, web.de, T-Online
      /\bnicht (?:zugestellt|ausgeliefert|übermittelt)\b|\bunzustellbar\b|\bnicht zustellbar\b/i,
      // Orange, Free, La Poste
      /\bn.a (?:pas )?pu [eê]tre (?:remis|d[eé]livr|distribu|envoy)|\bnon (?:remis|distribu)/i,
      /\bno (?:se )?(?:pudo|ha podido|puede)\b.{0,40}\bentreg|\bnão (?:pôde|foi)\b.{0,40}\bentreg/i,
      /\bnon è stato possibile (?:recapitare|consegnare)|\bimpossibile recapitare\b/i,
      // mail.ru, Yandex
      /не может быть доставлен|не (?:было|удалось) доставлен|не доставлен/i,
    ],
  },
]

/** The server keeps trying to deliver. */
export const stillTrying = [
  /\b(?:will|shall) (?:keep|continue) (?:on )?(?:trying|to try|to be)\b|\bdelivery attempts will continue\b/i,
  /\bwarning message only\b|\bthis is (?:just|only) a warning\b|\bno action is required\b|\badvisory-only\b/i,
  /\bdo not need to (?:re-?send|take any action)|\bdo not have to resend\b|\bwill be (?:re)?tried (?:for|until|again)/i,
  /\bwill retry for\b|\bstill undelivered after\b|\bwird (?:weiter|erneut) versuch|\bsera (?:r[eé]essay|retent)/i,
]

/** The line above the returned mail. */
export const copies = [
  /^-{2,}.{0,40}\b(?:copy of|original|returned|undelivered|unsent|message text follows|headers? follows?)\b/i,
  /^-{2,}\s?(?:below|this is a copy|the headers? of)\b|^\W*(?:original message follows|message text follows|end of message)\b/i,
  /^\W*(?:original message headers?|en-t[eê]tes de message d|ursprüngliche nachrichten(?:kopf|header))/i,
  /^\s*below (?:is|this line is|the next line is) a copy\b|^\W*(?:unsent message|returned mail) (?:follows|below)\b/i,
  /^content-type:\s*(?:message\/rfc822|text\/rfc822-headers)/i,
  /^Old message:|^here is your returned mail\b/i,
]

/** Words before a contact address. */
export const contact =
  /\b(?:contact|turn to|for (?:further |more )?(?:help|assistance|information|details)|(?:any )?questions?|report (?:this|abuse) to|wenden sie sich|contactez|help ?desk)\b/i

/** Words before a reason. */
export const reasonIntro =
  /^\W*(?:because\b|reasons?\b|for the following reason|as their\b|due to\b|technical details|error (?:message|description|detail)|the (?:error|response|reason)\b|non-delivered information|diagnos|grund\b|raison\b|motif\b|causa\b)/i

const address = `(?<address>${ADDRESS})`
const rest = "(?<reason>\\S.*)"

/** A line that names a recipient. Groups: `reason`, and `origin`, the address before an alias was expanded. */
export interface RecipientLine {
  /** the line itself says that the mail failed, so no announcement is needed */
  readonly alone: boolean
  readonly outcome?: Outcome
  readonly line: RegExp
}

export const recipientLines: ReadonlyArray<RecipientLine> = [
  // Gmail: "Your message wasn't delivered to … because", "Your message to … has been blocked"; Office 365
  {
    alone: true,
    line: new RegExp(
      `^\\W{0,4}(?<reason>Your message (?:was(?:n't| not)|could(?:n't| not) be) delivered to <?${address}>? .*)$`,
      "i",
    ),
  },
  {
    alone: true,
    line: new RegExp(
      `^\\W{0,4}(?<reason>Your (?:message|email) to:? <?${address}>?(?: (?:has been|was) (?:blocked|rejected)| could(?:n't| not) be delivered).*)$`,
      "i",
    ),
  },
  {
    alone: true,
    outcome: "delayed",
    line: new RegExp(
      `^\\W{0,4}(?<reason>There was a temporary problem delivering your message to <?${address}>?.*)$`,
      "i",
    ),
  },
  // Barracuda: the rest of the sentence is on the next line
  { alone: true, line: new RegExp(`^Your message to:? <?${address}>?$`, "i") },
  // DragonFly, CommuniGate
  { alone: true, line: new RegExp(`^There was an error delivering your mail to <?${address}>?`, "i") },
  { alone: true, line: new RegExp(`^Failed to deliver to ['"]?<?${address}>?['"]?`, "i") },
  // IMail (SMTP32)
  {
    alone: true,
    line: new RegExp(
      `^(?<reason>(?:unknown user|unknown host|user mailbox exceeds allowed size|invalid final delivery userid|delivery failed \\d+ attempts)):\\s*<?${address}>?$`,
      "i",
    ),
  },
  { alone: true, line: new RegExp(`^undeliverable +to +<?${address}>?$`, "i") },
  // Transcripts of Sendmail: `550 5.1.1 <ada@example.org>... User unknown`
  {
    alone: true,
    line: new RegExp(`^(?<reason>[45]\\d\\d[ -](?:[45]\\.\\d\\.\\d{1,3} )?<?${address}>?\\.\\.\\..*)$`, "i"),
  },
  // qmail, Postfix, Courier, GMX, T-Online, au: `<ada@example.org>: …`, also after an alias was expanded
  {
    alone: false,
    line: new RegExp(
      `^\\s*<${address}>(?: \\((?:expanded|generated) from:? <?(?<origin>${ADDRESS})>?\\))?\\s*[:.-]*\\s*${rest}?$`,
      "i",
    ),
  },
  { alone: false, line: new RegExp(`^\\s*["']<?${address}>?["']\\s*:?\\s*${rest}?$`, "i") },
  // `Failed address: …` of MDaemon, `Recipient address: …` of Oracle, `Could not be delivered to: …` of au
  {
    alone: false,
    line: new RegExp(
      `^\\W{0,12}(?:(?:failed|intended|undeliverable|bad|final)\\s)?(?:recipient|address|user)(?:\\saddress)?\\s?:\\s*<?${address}>?`,
      "i",
    ),
  },
  {
    alone: false,
    line: new RegExp(
      `^\\W{0,12}(?:could not be delivered to|message could not be delivered to|Error-for|Empfänger(?:adresse)?|Destinataire)\\s?:?\\s+<?${address}>?`,
      "i",
    ),
  },
  // Exchange 5.5 to 2003: `ada@example.org on 4/29/2003 9:19 AM`, X.400: `c=US;…;dda:SMTP=ada@example.org; on …`
  { alone: false, line: new RegExp(`^\\s*${address};? on .{0,60}\\d`, "i") },
  { alone: false, line: new RegExp(`^\\s*[^\\s].{0,300}\\bSMTP[=:]${address};?(?: on\\b|$|')`, "i") },
  // Exim: `ada@example.org: …`, GroupWise `(…)`, X1 `[…]`, Zoho, Lotus, MDaemon: `> ada@example.org`
  {
    alone: false,
    line: new RegExp(`^\\s*(?:[>*-]{1,2} )?${address}(?:\\s?<[^<>]{1,330}>)?\\s*[:;,]?$`, "i"),
  },
  // Exchange 2007 and later: `Ada Lovelace<mailto:ada@example.org>`
  { alone: false, line: new RegExp(`^\\s*[^<>@:]{1,100}<mailto:${address}>`, "i") },
  {
    alone: false,
    line: new RegExp(
      `^\\s*${address}(?:\\s<[^<>]{1,320}>)?(?::\\s+|\\s+-+\\s+|,\\s|\\s(?=[([]|\\D{0,80}ERROR|invalid))${rest}$`,
      "i",
    ),
  },
]
