/**
 * What a bounce means for the address: whether it is bad for good (decisions §6). Codes alone do not tell: many
 * servers answer 5.1.1 when a mailbox is full, 5.7.1 when there is none, or give no code at all. So what they say
 * counts first where it is plain, and the code where it is not.
 */
import type { RecipientReport } from "./Report.js"
import { enhancedStatus, replyCode } from "./status.js"

interface Meaning {
  readonly permanent: boolean
  readonly words: ReadonlyArray<RegExp>
}

/** Who or what the mail was for. An IP address is not. */
const addressee =
  "(?<!\\bip )(?:users?(?:\\(s\\))?|recipients?|mailbox|mail ?box|account|address(?:es)?|addressee|alias|person|local ?part|inbox|userid)"

const wrong =
  "(?:no such|no valid|unknown|invalid|non-?existent|bad|inactive|disabled|not an? (?:valid|known|local|active))"

const gone =
  "(?:unknown|not found|not exist|doesn.?t exist|non-?existent|invalid|not valid|not known|unavailable|inactive|not active|disabled|deactivated|discontinued|closed|terminated|suspended|deleted|not listed in|not recogni[sz]ed|no longer|not present|could(?:n.?t| not) be found|not local|not ok\\b|not in my)"

/** The first that fits decides. */
const meanings: ReadonlyArray<Meaning> = [
  // About us: the recipient was not even looked at, or so the address cannot be to blame.
  {
    permanent: false,
    words: [
      /\bsender(?:'s)?(?: \S+)? (?:address|domain|rejected|denied|unknown|verif|not |is |was |blocked|id\b|policy)/i,
      /\b(?:invalid|unknown|bad|blocked|rejected|verify|verification of|unverified) (?:envelope |return )?sender/i,
      /\b(?:return[- ]path|mail from|from address|envelope from)\b.{0,40}\b(?:invalid|reject|not exist|unknown|resolv|denied)/i,
      /\breverse dns\b|\bPTR\b|\bHELO\b|\bEHLO\b/i,
    ],
  },
  // Full, too large, too often, too long: it may work another day or with another mail.
  {
    permanent: false,
    words: [
      /\bquota\b|\bover ?quota\b/i,
      /\b(?:mailbox|mail ?box|mailfolder|inbox|account|folder|user|storage|disk|file ?system|space)\b.{0,30}\bfull\b/i,
      /\bfull (?:mailbox|inbox)\b|\bmailboxfull\b|\bstorage (?:limit|allocation|space)\b|\bout of storage\b/i,
      /\b(?:insufficient|not enough|no)\b.{0,20}\b(?:space|storage|disk)\b|\bdisk space\b|\btoo much mail data\b/i,
      /\b(?:mailbox|message|mail|size)\b.{0,30}\bexceed|\bexceed\w*\b.{0,40}\b(?:size|limit|maximum|allowed|storage)/i,
      /\btoo (?:large|big|long|many|fast|quickly|often)\b|\bsize limit\b/i,
      /\brate ?limit|\bthrottl|\bat a rate\b|\breceiving mail too\b/i,
      /\btempora(?:ry|rily|rly)\b|\btry(?:ing)?(?: again)? later\b|\btry again in\b|\bgr[ea]ylist|\bdeferred\b|\bcurrently unavailable\b/i,
      /\btimed? ?out\b|\btimeout\b|\bexpired\b|\bin the queue too long\b|\bretry time\b|\bnot respond/i,
      /\bconnection (?:refused|dropped|lost|failed|reset)|\bunreachable\b|\bloop\b|\bhops?\b|\bDNS query failed\b/i,
      /\b(?:postfach|mailbox|speicherplatz)\b.{0,30}\b(?:voll|ausgesch|überschritt|erschöpft)/i,
      /\b(?:bo[iî]te|messagerie|casella|casilla|buz[oó]n|caixa)\b.{0,40}\b(?:pleine|satur|piena|llen|cheia)/i,
      /ящик.{0,40}(?:переполнен|заполнен)|容量|いっぱい|已满|已滿/i,
    ],
  },
  // The address is gone, or never was.
  {
    permanent: true,
    words: [
      new RegExp(`\\b${wrong}\\b(?: \\S{1,30}){0,2}? ?-?${addressee}\\b`, "i"),
      new RegExp(`\\b${addressee}\\b.{0,60}\\b${gone}`, "i"),
      /\bno such\b|\bno ?such ?user\b|\bunknown (?:user|local)|\buserunknown\b|\buser ?unknown\b|\bbadrcptto\b|\bvalidrcptto\b|\bbadrecipient/i,
      /\bdoes ?n[o']t have an? .{0,30}\baccount\b|\bno longer (?:works|employed|with|accepts|valid|available|in use|active)/i,
      /\bhas moved\b|\bis not (?:known|accepted) here\b|\bnot listed in\b|\bno mailbox\b|\bthere is no one\b/i,
      /\brecip(?:ient)?\.?not ?found\b|\brecipientnotfound\b|\bnot our customer\b|\bmailbox is frozen\b/i,
      /\b(?:host|domain)\b.{0,60}\b(?:not found|unknown|not exist|doesn.?t exist|non-?existent)|\bNXDOMAIN\b|\bnull MX\b/i,
      /\bunrout(?:e)?able\b|\ball relevant MX records point to non-existent|\bunknown (?:host|domain)\b|\bno such (?:host|domain)\b/i,
      /\b(?:benutzer|empfänger|adresse|postfach|konto|nutzer)\b.{0,60}\b(?:unbekannt|existiert nicht|ungültig|nicht gefunden|nicht vorhanden|deaktiviert|gesperrt)/i,
      /\b(?:utilisateur|destinataire|adresse|bo[iî]te|compte)\b.{0,60}\b(?:inconnue?|invalide|inexistante?|n.existe pas|archiv[eé]e|d[eé]sactiv|ferm[eé])/i,
      /\b(?:usuario|destinatario|utente|direcci[oó]n|indirizzo|endere[cç]o|usu[aá]rio|cuenta|conta)\b.{0,60}\b(?:desconocid|sconosciut|desconhecid|inexist|no existe|n[aã]o existe|non esist|no encontrad)/i,
      /(?:пользовател|ящик|адрес|получател|user).{0,40}(?:не найден|не существует|неизвест|заблокирован|отключ)/i,
      /(?:あて先|宛先|宛て先|アドレス|ユーザ).{0,30}(?:見つかりません|存在しません|不明|無効)|用户不存在|收件人不存在|不存在/,
    ],
  },
  // About this mail, or about the host it came from.
  {
    permanent: false,
    words: [
      /\bspam\b|\bjunk\b|\bunsolicited\b|\bbulk\b|\bvirus\b|\bmalware\b|\bphish|\bcontent\b|\bsuspicious\b/i,
      /\bblock(?:ed|list)|\bblack ?list|\bdeny ?list|\b[a-z]*[rd]n?sbl\b|\bRBL\b|\bspamhaus\b|\bspamcop\b|\bbarracuda|\breputation\b/i,
      /\bpolicy\b|\bpolicies\b|\bdmarc\b|\bdkim\b|\bspf\b|\bunauthenticated\b|\bauthenticat|\bauthori[sz]|\bpermission\b/i,
      /\brelay(?:ing)?\b|\baccess denied\b|\bnot accept(?:ed|ing)?\b.{0,40}\b(?:from|mail)\b|\bTLS\b|\bencrypt/i,
    ],
  },
]

const inWords = (words: string): boolean | null =>
  meanings.find((meaning) => meaning.words.some((pattern) => pattern.test(words)))?.permanent ?? null

/**
 * RFC 3463 §3: what is said of the address (X.1) or its mailbox (X.2), or that there is no way to its domain.
 * 5.1.7, 5.1.8 are about the sender, 5.1.9 about the receiving host, 5.2.2 and 5.2.3 about fullness and size.
 */
const isBadAddress = (status: string): boolean => /^5\.(?:0\.0|1\.(?![789]$)\d+|2\.[01]|4\.4)$/.test(status)

/** Exchange Online says "recipient address rejected: access denied" of one it does not know (5.4.1). */
const isUnknownAtEdge = (status: string | null, words: string): boolean =>
  status === "5.4.1" && /\brecipient address rejected\b/i.test(words)

/** RFC 5321 §4.2.3: no such mailbox, not local, name not allowed; the others are about the mail or the session. */
const isRefusedMailbox = (reply: string | null): boolean => /^55[013]$/.test(reply ?? "")

/**
 * Whether a bounce says that the address is bad for good. Only of bounces: nothing delivered, delayed or complained
 * about says so. What passes (full, too large, refused for what the mail is or where it came from) is not.
 */
export const isPermanent = (report: RecipientReport): boolean => {
  if (report.outcome !== "bounced") return false
  if (report.permanent !== null) return report.permanent
  // IronPort calls every answer that it has no code for an "unknown address error", in front of the answer.
  const words = (report.diagnostic ?? "").slice(0, 500).replace(/\bunknown address error\b/i, "")
  const reply = replyCode(words)
  const status = report.status ?? enhancedStatus(words)
  if (status?.startsWith("4.") === true || reply?.startsWith("4") === true) return false
  if (status === "5.1.7" || status === "5.1.8" || status === "5.2.2" || status === "5.3.4") return false
  if (isUnknownAtEdge(status, words)) return true
  return inWords(words) ?? (status === null ? isRefusedMailbox(reply) : isBadAddress(status))
}
