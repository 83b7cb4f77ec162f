/**
 * The phrases by which mail servers explain a refusal. No standard defines them: the tables hold what Postfix, Exim,
 * Sendmail, qmail, Exchange, Gmail, Yahoo and others write. Each pattern is bounded, because it runs on
 * text from strangers; a diagnostic has at most 500 characters.
 */

interface Meaning {
  /** whether the phrase means that the address is permanently invalid */
  readonly permanent: boolean
  readonly words: ReadonlyArray<RegExp>
}

/** The mailbox or person the mail was for. "IP address" is not one. */
const addressee =
  "(?<!\\bip )(?:users?(?:\\(s\\))?|recipients?|mailbox|mail ?box|account|address(?:es)?|addressee|alias|person|local ?part|inbox|userid)"

const wrong =
  "(?:no such|no valid|unknown|invalid|non-?existent|bad|inactive|disabled|not an? (?:valid|known|local|active))"

const gone =
  "(?:unknown|not found|not exist|doesn.?t exist|non-?existent|invalid|not valid|not known|unavailable|inactive|not active|disabled|deactivated|discontinued|closed|terminated|suspended|deleted|not listed in|not recogni[sz]ed|no longer|not present|could(?:n.?t| not) be found|not local|not ok\\b|not in my)"

/** Up to 60 characters that do not name a machine: "recipient's server unavailable" is not about the recipient. */
const upToGone =
  "(?:(?!\\b(?:server|host|system|service|network|gateway|connection|backend|database|storage|certificate|command|header)).){0,60}"

/** About the sender, the sending host or its account at a relay. The server did not check the recipient. */
const aboutSender: Meaning = {
  permanent: false,
  words: [
    /\bsender(?:'s)?(?: \S+)? (?:address|domain|rejected|denied|unknown|verif|not |is |was |blocked|id\b|policy)/i,
    /\b(?:invalid|unknown|bad|blocked|rejected|verify|verification of|unverified) (?:envelope |return )?sender/i,
    /\b(?:return[- ]path|mail from|envelope from|(?:from|return|reply|originator) address)\b.{0,40}\b(?:invalid|reject|not exist|unknown|resolv|denied|no (?:valid )?(?:mx|a)\b)/i,
    /\b(?:invalid|unknown|bad) (?:return|from|reply|originator)[- ](?:address|path)/i,
    /\breverse dns\b|\bPTR\b|\bHELO\b|\bEHLO\b|\bclient (?:host|ip|address|name)\b/i,
    /\byour (?:\S{1,20} )?(?:account|domain|ip|host(?:name)?|server|network|isp|mta|client)\b/i,
    /\bsending\b.{0,40}\b(?:disabled|paused|suspended|blocked|denied|limit|not allowed)|\boutgoing (?:mail|message|limit)/i,
    /\b(?:from|sending|return) (?:address|domain)\b|\baddress \[?\d{1,3}(?:\.\d{1,3}){3}|\breverse lookup\b/i,
    // Accounts at SES, SendGrid and others
    /\bnot verified\b|\bverify (?:the|this|your) domain\b|\bin (?:the|this|your) account\b|\bidentit(?:y|ies)\b/i,
    /\bheaders?\b|\battachments?\b|(?<!\bmail )\bfrom: /i,
    /\bauthentication (?:required|failed|is required|credentials)\b|\bnot authenticated\b|\bcredentials\b|\blog ?in\b/i,
  ],
}

/** Full, too large, too often, too long, or a fault of a server on the way. */
const passing: Meaning = {
  permanent: false,
  words: [
    /\bquota\b|\bover ?quota\b/i,
    /\b(?:mailbox|mail ?box|mailfolder|inbox|account|folder|user|storage|disk|file ?system|space)\b.{0,30}\bfull\b/i,
    /\bfull (?:mailbox|inbox)\b|\bmailboxfull\b|\bstorage (?:limit|allocation|space)\b|\bout of storage\b/i,
    /\b(?:insufficient|not enough|no)\b.{0,20}\b(?:space|storage|disk)\b|\bdisk space\b|\btoo much mail data\b/i,
    /\b(?:mailbox|message|mail|size)\b.{0,30}\bexceed|\bexceed\w*\b.{0,40}\b(?:size|limit|maximum|allowed|storage)/i,
    /\btoo (?:large|big|long|many|fast|quickly|often|busy)\b|\b(?:size|daily|hourly|rate|recipient|message) limit\b/i,
    /\brate ?limit|\bthrottl|\bat a rate\b|\breceiving mail too\b/i,
    /\btempora(?:ry|rily|rly)\b|\bgr[ea]ylist|\bdeferred\b|\bcurrently (?:unavailable|not )/i,
    // "Check the address and try again" means that the address does not exist.
    /(?<!\b(?:check|correct|verify|fix|confirm|spelling|typos?)\b.{0,120})\b(?:try|trying|retry)\b.{0,20}\b(?:again|later|in)\b/i,
    /\bessayer plus tard\b|\bin progress\b/i,
    /\btimed? ?out\b|\btimeout\b|\bexpired\b|\bin the queue too long\b|\bretry time\b|\bnot respond/i,
    /\bconnection (?:refused|dropped|lost|failed|reset|closed|died)|\bunreachable\b|\bloops?\b|\bhops?\b/i,
    /\bDNS (?:query|lookup) fail|\bSERVFAIL\b|\blookup (?:failure|failed|error)\b/i,
    /\b(?:server|system|service)s? (?:is |was |are )?(?:currently )?(?:unavailable|not available|down|offline)\b/i,
    // A local delivery agent that failed
    /\b(?:local configuration|configuration|internal|system|server|software|protocol) (?:error|failure|problem)\b/i,
    /\b(?:command|child process|pipe|program|transport|script)\b.{0,60}\b(?:died|failed|returned|exit|usage error|not found|killed)/i,
    /\bpermission denied\b|\bno such (?:file|device|process|command|program)\b|\bunable to (?:open|lock|create|write)\b|\bcannot (?:update|open|lock|create|write)\b/i,
    /\b(?:postfach|mailbox|speicherplatz)\b.{0,30}\b(?:voll|ausgesch|überschritt|erschöpft)/i,
    /\b(?:bo[iî]te|messagerie|casella|casilla|buz[oó]n|caixa)\b.{0,40}\b(?:pleine|satur|piena|llen|cheia)/i,
    /ящик.{0,40}(?:переполнен|заполнен)|容量|いっぱい|已满|已滿/i,
  ],
}

/** The mailbox or its domain does not exist. */
const aboutAddress: Meaning = {
  permanent: true,
  words: [
    new RegExp(`\\b${wrong}\\b(?: \\S{1,30}){0,2}? ?-?${addressee}\\b`, "i"),
    new RegExp(`\\b${addressee}\\b${upToGone}\\b${gone}`, "i"),
    /\bno such\b(?! (?:file|device|process|command|key|selector|message|table|service))|\bno ?such ?user\b|\bunknown (?:user|local)|\buserunknown\b|\buser ?unknown\b|\bbadrcptto\b|\bvalidrcptto\b|\bbadrecipient/i,
    /\bdoes ?n[o']t have an? .{0,30}\baccount\b|\bno longer (?:works|employed|with|accepts|valid|available|in use|active)/i,
    /\bhas moved\b|\bis not (?:known|accepted) here\b|\bnot listed in\b|\bno mailbox\b|\bthere is no one\b/i,
    /\brecip(?:ient)?\.?not ?found\b|\brecipientnotfound\b|\bnot our customer\b|\bmailbox is frozen\b/i,
    /<[^<>\s]{1,320}> (?:is |was )?not found\b/i,
    /\bno (?:account|user|mail ?box) (?:by|with|of) (?:that|this) name\b|\bvalid recipients\b/i,
    /\b(?:host|domain)\b.{0,60}\b(?:not found|unknown|not exist|doesn.?t exist|non-?existent|not(?: appear to be)? registered)|\bNXDOMAIN\b/i,
    /\bunrout(?:e)?able\b|\ball relevant MX records point to non-existent|\bunknown (?:host|domain)\b/i,
    // RFC 7505: the domain accepts no mail. RFC 5321 §5.1: neither MX nor address record
    /\bnull ?MX\b|\bdomain\b.{0,260}\b(?:does not|doesn.t) accept (?:any )?(?:mail|email|e-mail|messages)\b|\bindicated no SMTP service\b/i,
    /\bno (?:valid |usable )?(?:MX|mail exchangers?|mail servers?)(?: records?| hosts?)?\b|\bno relevant answers\b/i,
    /\b(?:could(?:n.?t| not)|can.?t|cannot|unable to) (?:find|locate|resolve|determine) (?:an? |any )?(?:valid )?(?:MX|mail exchanger|mail server|host named|host by that name)/i,
    /\b(?:does not|doesn.t) have (?:an? |any )?(?:valid )?(?:MX|mail exchanger|mail server)/i,
    /\b(?:benutzer|empfänger|adresse|postfach|konto|nutzer)\b.{0,60}\b(?:unbekannt|existiert nicht|ungültig|nicht gefunden|nicht vorhanden|deaktiviert|gesperrt)/i,
    /\b(?:utilisateur|destinataire|adresse|bo[iî]te|compte)\b.{0,60}\b(?:inconnue?|invalide|inexistante?|n.existe pas|archiv[eé]e|d[eé]sactiv|ferm[eé])/i,
    /\b(?:usuario|destinatario|utente|direcci[oó]n|indirizzo|endere[cç]o|usu[aá]rio|cuenta|conta)\b.{0,60}\b(?:desconocid|sconosciut|desconhecid|inexist|no existe|n[aã]o existe|non esist|no encontrad)/i,
    /(?:пользовател|ящик|адрес|получател|user).{0,40}(?:не найден|не существует|неизвест|заблокирован|отключ)/i,
    /(?:あて先|宛先|宛て先|アドレス|ユーザ).{0,30}(?:見つかりません|存在しません|不明|無効)|用户不存在|收件人不存在|不存在/,
  ],
}

/** About this mail, or about the reputation of the host it came from. */
const aboutMail: Meaning = {
  permanent: false,
  words: [
    /\bspam\b|\bjunk\b|\bunsolicited\b|\bbulk\b|\bvirus\b|\bmalware\b|\bphish|\bcontent\b|\bsuspicious\b|\bfilter/i,
    /block(?:ed|ing|ed using|list)|\bblack ?list|\bdeny ?list|dns_?bl|\b[a-z]*[rd]n?sbl\b|\bRBL\b|\bspamhaus\b|\bspamcop\b|\bbarracuda|\breputation\b|\blisted (?:at|in|on|by)\b/i,
    /\bpolicy\b|\bpolicies\b|\bdmarc\b|\bdkim\b|\bspf\b|\bunauthenticated\b|\bauthenticat|\bauthori[sz]|\bpermission\b|\bprohibit|\brestrict/i,
    /\brelay(?:ing)?\b|\brcpthosts\b|\baccess denied\b|\bnot (?:be )?accept(?:ed|ing)?\b.{0,40}\b(?:from|mail|message|delivery)|\bTLS\b|\bencrypt/i,
    /\b(?:message|mail|e-?mail|content|delivery|connection|session|transaction)\b.{0,20}\b(?:reject|refus|denied|declin|bounced)/i,
    /\b(?:preferences|user rules)\b|\bgo away\b|\bservice (?:refused?|unavailable|not available)\b/i,
  ],
}

/** In order of precedence: the first table with a matching phrase decides. */
const meanings = [aboutSender, passing, aboutAddress, aboutMail]

/** Whether a diagnostic means that the address is permanently invalid; null for an unknown phrase. */
export const permanentByWords = (words: string): boolean | null =>
  meanings.find((meaning) => meaning.words.some((pattern) => pattern.test(words)))?.permanent ?? null
