/** Real bounces of other servers, and whether each is permanent (docs/decisions/0029). */
import { isPermanent } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"

/** A status as the report gives it, or null, and the words of the server. */
type Said = readonly [status: string | null, words: string]

const permanent = ([status, diagnostic]: Said): boolean =>
  isPermanent({ addresses: ["ada@example.org"], outcome: "bounced", status, diagnostic, permanent: null })

const permanentOnes: ReadonlyArray<Said> = [
  // Postfix
  [
    "5.1.1",
    "550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown in virtual mailbox table (in reply to RCPT TO command)",
  ],
  ["5.1.1", "host mx.example.org[192.0.2.1] said: 550 5.1.1 Invalid recipient (in reply to RCPT TO command)"],
  ["5.4.4", "Host or domain name not found. Name service error for name=example.org type=A: Host not found"],
  ["5.1.0", "Domain example.org does not accept mail (nullMX)"],
  ["5.1.0", `Domain ${"sub.".repeat(30)}example.org does not accept mail (nullMX)`],
  // RFC 7505 §4.1
  ["5.1.10", "556 5.1.10 Recipient address has null MX"],
  [null, "556 Recipient address has null MX"],
  [null, "556 5.1.10 no mail here"],
  // Exim
  [
    "5.0.0",
    "SMTP error from remote mail server after RCPT TO:<ada@example.org>: 550 5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient's email address for typos or unnecessary spaces",
  ],
  ["5.0.0", "SMTP error from remote mail server after RCPT TO:<ada@example.org>: 550 no"],
  ["5.0.0", "Unrouteable address"],
  ["5.0.0", "an MX or SRV record indicated no SMTP service"],
  ["5.0.0", "all relevant MX records point to non-existent hosts"],
  // qmail
  [null, "Sorry, I couldn't find any host named example.org. (#5.1.2)"],
  [null, "Sorry, I couldn't find a mail exchanger or IP address. (#5.4.4)"],
  [null, "192.0.2.1 does not like recipient. Remote host said: 550 No account by that name here"],
  [null, "511 sorry, no mailbox here by that name (#5.1.1 - chkuser)"],
  [null, "553 sorry, your envelope recipient is in my badrcptto list (#5.7.1)"],
  // Exchange
  [
    "5.1.10",
    "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ada@example.org not found by SMTP address lookup",
  ],
  [
    "5.4.1",
    "550 5.4.1 Recipient address rejected: Access denied. [AM0EUR02FT012.eop-EUR02.prod.protection.outlook.com]",
  ],
  [
    "5.5.0",
    "550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [DB5EUR03FT020.eop-EUR03.prod.protection.outlook.com]",
  ],
  // Gmail
  [
    "5.2.1",
    "550-5.2.1 The email account that you tried to reach is inactive. For more information, go to 550 5.2.1 https://support.google.com/mail/?p=DisabledUser",
  ],
  [
    null,
    "DNS Error: DNS type 'mx' lookup of example.org responded with code NXDOMAIN Domain name not found: example.org",
  ],
  [
    null,
    "DNS Error: DNS type 'mx' lookup of example.org responded with code NOERROR DNS type 'mx' lookup of example.org had no relevant answers.",
  ],
  [null, "the address couldn't be found, or is unable to receive mail. Check for typos and try again."],
  // Courier
  [
    null,
    "mx.example.org [192.0.2.1]: >>> MAIL FROM:<b@acme.dev> <<< 250 ok >>> RCPT TO:<ada@example.org> <<< 550 no",
  ],
  // Yahoo says it at the end of the mail
  [
    "5.0.0",
    "554 delivery error: dd This user doesn't have a yahoo.com account (ada@yahoo.com) [0] (in reply to end of DATA command)",
  ],
  ["5.1.1", "550 5.1.1 <ada@example.org> rejected (in reply to end of DATA command)"],
  // Sendmail, IronPort, hMailServer, MailEnable, OpenSMTPD, Lotus
  ["5.1.1", "550 5.1.1 <ada@example.org>... User unknown"],
  ["5.1.0", "5.1.0 - Unknown address error 550-'5.1.1 <ada@example.org>: Recipient address rejected'"],
  [null, "No mail servers appear to exist for the recipient's address."],
  [
    null,
    "The message could not be delivered because the domain name (example.org) does not appear to be registered.",
  ],
  [null, "550 Invalid recipient: <ada@example.org>"],
  [null, "550 <ada@example.org> not found"],
  [null, "551 User has moved; please try <ada@example.com>"],
  // The relay itself, over SMTP
  ["5.1.2", "550 5.1.2 Bad destination system: no MX"],
  [null, "550 no valid MX for domain example.org"],
]

const others: ReadonlyArray<Said> = [
  // A code that only says that something failed
  ["5.0.0", ""],
  ["5.0.0", "delivery failed"],
  ["5.0.0", "mail service failure"],
  // SES, SendGrid, Mailgun and others: our own account
  [
    "5.0.0",
    "554 Message rejected: Email address is not verified. The following identities failed the check in region EU-WEST-1: ada@example.org",
  ],
  [null, "554 Message rejected: Email address is not verified. (in reply to DATA command)"],
  [null, "550 Your account is disabled"],
  ["5.0.0", "550 Sending paused for this account. For more information, please check the inbox"],
  ["5.7.1", "550 5.7.1 Your sending domain is unknown"],
  [null, "550 Unauthenticated senders not allowed"],
  [null, "550 The from address does not match a verified Sender Identity."],
  [null, "550 From address is not one of your addresses."],
  ["5.0.0", "550 Domain acme.dev not found in account, please verify the domain"],
  [null, "550 Your message was rejected. The sending address is invalid"],
  // Greeting, EHLO, MAIL FROM
  ["5.0.0", "host mx.example.org[192.0.2.1] refused to talk to me: 550 no such service for you"],
  ["5.0.0", "host mx.example.org said: 550 5.0.0 rejected (in reply to EHLO command)"],
  ["5.5.0", "host mx.example.org said: 550 User unknown (in reply to MAIL FROM command)"],
  ["5.1.1", "host mx.example.org said: 550 5.1.1 address unknown (in reply to MAIL FROM command)"],
  ["5.0.0", "SMTP error from remote mail server after pipelined MAIL FROM:<b@acme.dev> SIZE=2010: 550 no"],
  ["5.0.0", "SMTP error from remote mail server after initial connection: 550 no"],
  [null, "Connected to 192.0.2.1 but sender was rejected. Remote host said: 550 unknown user"],
  [null, "Connected to 192.0.2.1 but my name was rejected. Remote host said: 550 Invalid domain name"],
  ["5.1.7", "553 5.1.7 The sender address <b@acme.dev> is not a valid RFC 5321 address"],
  ["5.7.27", "550 5.7.27 Sender address has null MX"],
  [null, "550-Verification failed for <b@acme.dev> 550-No Such User Here 550 Sender verify failed"],
  ["5.1.8", "553 5.1.8 <b@acme.dev>... Domain of sender address does not exist"],
  ["5.7.1", "550 5.7.1 Client host rejected: cannot find your hostname"],
  [null, "550 Access denied - Invalid HELO name (See RFC2821 4.1.1.1)"],
  [null, "550 Mail from domain acme.dev has no valid MX record"],
  [null, ">>> MAIL FROM:<b@acme.dev> <<< 550 User unknown"],
  // DATA
  ["5.0.0", "host mx.example.org said: 550 no (in reply to end of DATA command)"],
  ["5.2.1", "host mx.example.org said: 550 5.2.1 no (in reply to DATA command)"],
  ["5.0.0", "SMTP error from remote mail server after end of data: 550 Administrative prohibition"],
  [null, "192.0.2.1 failed after I sent the message. Remote host said: 550 mail not accepted"],
  [
    "5.7.1",
    "550-5.7.1 Messages missing a valid address in From: header are not accepted. (in reply to DATA command)",
  ],
  // Block lists
  ["5.0.0", "554 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org"],
  ["5.3.0", "553 5.3.0 flph829 DNSBL:ATTRBL 521< 192.0.2.1 >_is_blocked. For assistance forward this error"],
  [
    "5.7.1",
    "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list",
  ],
  [
    null,
    "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your ISP since part of their network is on our block list (S3140).",
  ],
  [null, "550 IP 192.0.2.1 is listed at dnsbl.example.org"],
  ["5.2.1", "521 5.2.1 :  (DNS:NR)  AOL will not accept delivery of this message."],
  // Filters as 5.2.0, and local failures
  [
    "5.2.0",
    "552 5.2.0 F77u1Y00B2ccxfT0000000 Message Refused. A URL in the content of your message was found on uribl",
  ],
  ["5.2.0", "550 5.2.0 Sorry, filtered"],
  ["5.2.0", "550 5.2.0 no"],
  [
    "5.2.0",
    "cannot update mailbox /var/mail/ada for user ada. unable to create lock file: Permission denied",
  ],
  ["5.3.0", "Command died with status 127: /usr/bin/vacation"],
  [null, "550 No such file or directory"],
  ["5.0.0", "local delivery failed: child process of virtual_address transport returned 69"],
  ["5.4.6", "mail for example.org loops back to myself"],
  ["5.0.0", "554 Email rejected due to security policies - attachment disabled for user"],
  [null, "550 Address 192.0.2.1 not found in reverse lookup"],
  // Try again, expired
  [
    "5.4.3",
    "Host or domain name not found. Name service error for name=example.org type=MX: Host not found, try again",
  ],
  ["5.0.0", "550 User lookup failed, please try again"],
  ["5.0.0", "all hosts for 'example.org' have been failing for a long time (and retry time not reached)"],
  ["5.4.7", "550 5.4.7 Delivery expired (message too old)"],
  ["5.1.1", "550 5.1.1 mailbox temporarily disabled"],
  [null, "550 4.4.7 Message expired: unable to deliver in 840 minutes"],
  ["5.0.0", "451 4.7.1 Greylisting in action, please come back later"],
  ["5.7.1", "550 5.7.1 Service refuse. Veuillez essayer plus tard."],
  ["5.4.312", "550 5.4.312 Message expired, DNS query failed(ErrorRetry)"],
  // The recipient's server, not the recipient
  ["5.0.0", "550 The recipient's mail server is unavailable"],
  // Policies, relaying, limits
  [null, "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)"],
  [null, "553 sorry, that domain isn't in my list of allowed rcpthosts"],
  [
    "5.1.90",
    "550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients",
  ],
  [
    "5.2.122",
    "550 5.2.122 The recipient has exceeded their limit for the number of messages they can receive per hour",
  ],
  ["5.1.0", "5.1.0 - Unknown address error 554-'Message refused'"],
  [
    "5.3.0",
    "550 permanent failure for one or more recipients (ada@example.org:550 5.7.1 message content rejected)",
  ],
  [null, "550 Message rejected"],
  [null, "550 Blocked by the recipient's preferences"],
]

describe("a bounce is permanent when the mailbox or its domain is gone", () => {
  for (const said of permanentOnes) it(said.join(" "), () => expect(permanent(said)).toBe(true))
})

describe("a bounce for any other reason is not permanent", () => {
  for (const said of others) it(said.join(" "), () => expect(permanent(said)).toBe(false))
})

describe("hostile words", () => {
  for (const piece of [
    "recipient ",
    "no ",
    "domain ",
    "user not ",
    "try check ",
    "in reply to ",
    "<a@",
    "550 5.0.0 ",
  ])
    it(`a megabyte of "${piece}" ends as fast as a line`, () => {
      expect(permanent(["5.0.0", piece.repeat(1_000_000 / piece.length)])).toEqual(expect.any(Boolean))
    })
})
