import { raw, utf8 } from "./support/mails.js"
import { daemon, notice, reported } from "./support/reports.js"
import { isPermanent } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

interface Sample {
  readonly server: string
  readonly from: string
  readonly subject: string
  /** whether the address is bad for good */
  readonly permanent: boolean
  readonly status: string | null
  /** part of the diagnostic */
  readonly says: string
  readonly text: ReadonlyArray<string>
  readonly header?: ReadonlyArray<string>
}

/** All about ada@example.org. */
const bounces: ReadonlyArray<Sample> = [
  {
    server: "qmail",
    from: "MAILER-DAEMON@mx.example.net",
    subject: "failure notice",
    permanent: true,
    status: "5.1.1",
    says: "no mailbox here",
    text: [
      "Hi. This is the qmail-send program at mx.example.net.",
      "I'm afraid I wasn't able to deliver your message to the following addresses.",
      "This is a permanent error; I've given up. Sorry it didn't work out.",
      "",
      "<ada@example.org>:",
      "Sorry, no mailbox here by that name. (#5.1.1)",
      "",
      "--- Below this line is a copy of the message.",
      "",
      "Return-Path: <b1@bounce.acme.dev>",
      "To: bob@example.com",
      "",
      "<carol@example.com>: Hello",
    ],
  },
  {
    server: "Exim",
    from: "Mail Delivery System <Mailer-Daemon@mx.example.net>",
    subject: "Mail delivery failed: returning message to sender",
    header: ["X-Failed-Recipients: ada@example.org"],
    permanent: true,
    status: null,
    says: "550 no such user",
    text: [
      "This message was created automatically by mail delivery software.",
      "",
      "A message that you sent could not be delivered to one or more of its",
      "recipients. This is a permanent error. The following address(es) failed:",
      "",
      "  ada@example.org",
      "    host mx.example.org [192.0.2.1]",
      "    SMTP error from remote mail server after RCPT TO:<ada@example.org>:",
      "    550 no such user",
      "",
      "------ This is a copy of the message, including all the headers. ------",
      "Return-path: <b1@bounce.acme.dev>",
    ],
  },
  {
    server: "Sendmail, with a reason",
    from: "Mail Delivery Subsystem <MAILER-DAEMON>",
    subject: "Returned mail: see transcript for details",
    permanent: true,
    status: "5.1.1",
    says: "550 5.1.1",
    text: [
      "   ----- The following addresses had permanent fatal errors -----",
      "<ada@example.org>",
      "    (reason: 550 5.1.1 <ada@example.org>... User unknown)",
      "",
      "   ----- Transcript of session follows -----",
      ">>> DATA",
      "<<< 503 5.0.0 Need RCPT (recipient)",
    ],
  },
  {
    server: "Sendmail of old, with a transcript",
    from: "MAILER-DAEMON@mx.example.net (Mail Delivery Subsystem)",
    subject: "Returned mail: User unknown",
    permanent: true,
    status: null,
    says: "550 <ada@example.org>... User unknown",
    text: [
      "   ----- Transcript of session follows -----",
      "... while talking to mx.example.org.:",
      ">>> RCPT To:<ada@example.org>",
      "<<< 550 User unknown",
      "550 <ada@example.org>... User unknown",
      "",
      "   ----- Unsent message follows -----",
      "To: ada@example.org",
    ],
  },
  {
    server: "Postfix, iCloud, Free, SoftBank",
    from: "MAILER-DAEMON@mx.example.net (Mail Delivery System)",
    subject: "Undelivered Mail Returned to Sender",
    permanent: false,
    status: "5.2.2",
    says: "said: 552 5.2.2",
    text: [
      "This is the mail system at host mx.example.net.",
      "",
      "I'm sorry to have to inform you that your message could not",
      "be delivered to one or more recipients. It's attached below.",
      "",
      "For further assistance, please send mail to postmaster.",
      "",
      "                   The mail system",
      "",
      "<ada@example.org>: host mx.example.org[192.0.2.1] said: 552 5.2.2 Mailbox full (in",
      "    reply to RCPT TO command)",
    ],
  },
  {
    server: "Exchange 5.5 to 2003",
    from: "System Administrator <x@example.net>",
    subject: "Undeliverable: Plan",
    permanent: true,
    status: null,
    says: "not recognized",
    text: [
      "Your message",
      "",
      "  To:      bob@example.com",
      "  Subject: Plan",
      "  Sent:    Thu, 1 May 2003 16:51:29 -0500",
      "",
      "did not reach the following recipient(s):",
      "",
      "ada@example.org on Thu, 1 May 2003 16:51:51 -0500",
      "    The recipient name is not recognized",
      "\tThe MTS-ID of the original message is: c=us;a= ;p=example",
      "    MSEXCH:IMS:EXAMPLE:MX 0 (000C05A6) Unknown Recipient",
    ],
  },
  {
    server: "Exchange with X.400 names",
    from: "postmaster@example.net",
    subject: "Undeliverable: Plan",
    permanent: true,
    status: "5.1.1",
    says: "#5.1.1",
    text: [
      "Your message did not reach some or all of the intended recipients.",
      "",
      "The following recipient(s) could not be reached:",
      "",
      "      c=US;a= ;p=Example;o=MX;dda:SMTP=ada@example.org; on 5/1/2003 9:19 AM",
      "            The e-mail account does not exist at the organization this message was sent to.",
      "            <mx.example.org #5.1.1>",
    ],
  },
  {
    server: "Exchange 2007 and later",
    from: "Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@example.net>",
    subject: "Undeliverable: Plan",
    permanent: true,
    status: "5.1.1",
    says: "RESOLVER.ADR.RecipNotFound",
    text: [
      "Delivery has failed to these recipients or distribution lists:",
      "",
      "Ada Lovelace<mailto:ada@example.org>",
      "The recipient's e-mail address was not found in the recipient's e-mail system.",
      "",
      "Diagnostic information for administrators:",
      "",
      "Generating server: mx.example.org",
      "",
      "ada@example.org",
      "#550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##",
      "",
      "Original message headers:",
      "",
      "To: <bob@example.com>",
    ],
  },
  {
    server: "Office 365",
    from: "postmaster@example.onmicrosoft.com",
    subject: "Nicht zustellbar: Plan",
    permanent: true,
    status: "5.1.10",
    says: "RecipientNotFound",
    text: [
      "Your message to ada@example.org couldn't be delivered.",
      "",
      "ada wasn't found at example.org.",
      "",
      "Remote server returned '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found'",
    ],
  },
  {
    server: "Lotus Notes",
    from: "postmaster@example.net",
    subject: "Undeliverable message",
    permanent: true,
    status: null,
    says: "User not listed in public Name & Address Book",
    text: [
      "------- Failure Reasons  --------",
      "",
      "User not listed in public Name & Address Book",
      "ada@example.org",
      "",
      "------- Returned Message --------",
      "To: bob@example.com",
    ],
  },
  {
    server: "Domino",
    from: "Mail Router <postmaster@example.net>",
    subject: "DELIVERY FAILURE: User ada (ada@example.org) not listed in Domino Directory",
    permanent: true,
    status: null,
    says: "not listed in Domino Directory",
    text: [
      "Your message",
      "",
      "  Subject: Plan",
      "",
      "was not delivered to:",
      "",
      "  ada@example.org",
      "",
      "because:",
      "",
      "  User ada (ada@example.org) not listed in Domino Directory",
    ],
  },
  {
    server: "GroupWise",
    from: "Mailer-Daemon@example.net",
    subject: "Message status - undeliverable",
    permanent: true,
    status: null,
    says: "user not found",
    text: [
      "The message that you sent was undeliverable to the following:",
      "\tada@example.org (user not found)",
    ],
  },
  {
    server: "IMail (SMTP32)",
    from: "Postmaster <postmaster@example.net>",
    subject: "Undeliverable Mail",
    permanent: true,
    status: null,
    says: "Unknown user",
    text: ["Unknown user: ada@example.org", "", "Original message follows.", "", "To: bob@example.com"],
  },
  {
    server: "Yahoo",
    from: "MAILER-DAEMON@yahoo.com",
    subject: "Failure Notice",
    permanent: true,
    status: null,
    says: "554 delivery error: dd This user doesn't have a yahoo.com account",
    text: [
      "Sorry, we were unable to deliver your message to the following address.",
      "",
      "<ada@example.org>:",
      "Remote host said: 554 delivery error: dd This user doesn't have a yahoo.com account [0] [RCPT_TO]",
      "",
      "--- Below this line is a copy of the message.",
    ],
  },
  {
    server: "AOL",
    from: "Mail Delivery Subsystem <MAILER-DAEMON@aol.com>",
    subject: "Returned mail: User unknown",
    permanent: false,
    status: null,
    says: "550 ada IS NOT ACCEPTING MAIL",
    text: [
      "   ----- The following addresses had permanent delivery errors -----",
      "<ada@example.org>",
      "",
      "   ----- Transcript of session follows -----",
      "... while talking to air.mx.aol.com.:",
      ">>> RCPT To:<ada@example.org>",
      "<<< 550 ada IS NOT ACCEPTING MAIL FROM THIS SENDER",
    ],
  },
  {
    server: "Gmail of old",
    from: "Mail Delivery Subsystem <mailer-daemon@googlemail.com>",
    subject: "Delivery Status Notification (Failure)",
    header: ["X-Failed-Recipients: ada@example.org"],
    permanent: true,
    status: "5.1.1",
    says: "550 5.1.1",
    text: [
      "Delivery to the following recipient failed permanently:",
      "",
      "     ada@example.org",
      "",
      "Technical details of permanent failure: ",
      "Google tried to deliver your message, but it was rejected by the recipient domain.",
      "The error that the other server returned was:",
      "550 5.1.1 <ada@example.org>... User unknown",
      "",
      "----- Original message -----",
    ],
  },
  {
    server: "Gmail: address not found",
    from: "Mail Delivery Subsystem <mailer-daemon@googlemail.com>",
    subject: "Delivery Status Notification (Failure)",
    permanent: true,
    status: "5.1.1",
    says: "550 5.1.1",
    text: [
      "** Address not found **",
      "",
      "Your message wasn't delivered to ada@example.org because the address couldn't be found, or is unable to receive mail.",
      "",
      "The response from the remote server was:",
      "550 5.1.1 The email account that you tried to reach does not exist.",
    ],
  },
  {
    server: "Gmail: message blocked",
    from: "Mail Delivery Subsystem <mailer-daemon@googlemail.com>",
    subject: "Delivery Status Notification (Failure)",
    permanent: false,
    status: "5.7.1",
    says: "550 5.7.1",
    text: [
      "** Message blocked **",
      "",
      "Your message to ada@example.org has been blocked. See technical details below.",
      "",
      "The response from the remote server was:",
      "550 5.7.1 Message rejected due to content",
    ],
  },
  {
    server: "mail.ru",
    from: "mailer-daemon@corp.mail.ru",
    subject: "Ваше сообщение не доставлено. Mail failure.",
    permanent: true,
    status: null,
    says: "550 Message was not accepted -- invalid mailbox",
    text: [
      "Это письмо создано автоматически сервером Mail.Ru, отвечать на него не нужно.",
      "",
      "К сожалению, Ваше письмо не может быть доставлено одному или нескольким получателям:",
      "",
      "  ada@example.org",
      "    SMTP error from remote mail server after RCPT TO:<ada@example.org>:",
      "    550 Message was not accepted -- invalid mailbox",
    ],
  },
  {
    server: "GMX, web.de",
    from: "MAILER-DAEMON@gmx.net",
    subject: "Mail delivery failed: returning message to sender",
    permanent: true,
    status: "5.1.1",
    says: "User Unknown",
    text: [
      "A message that you sent could not be delivered to one or more of",
      "its recipients. This is a permanent error. The following address",
      "failed:",
      "",
      '"ada@example.org":',
      "SMTP error from remote server after RCPT command:",
      "host: mx.example.org",
      "5.1.1 <ada@example.org>... User Unknown",
      "",
      "--- The header of the original message is following. ---",
    ],
  },
  {
    server: "1&1, with the reason after all addresses",
    from: "Mail Delivery System <mailer-daemon@kundenserver.de>",
    subject: "Mail delivery failed: returning message to sender",
    permanent: false,
    status: null,
    says: "Mail size limit exceeded",
    text: [
      "The following address failed:",
      "",
      "ada@example.org",
      "",
      "For the following reason:",
      "",
      "Mail size limit exceeded. For explanation visit",
      "https://example.net/errors",
      "",
      "--- The header of the original message is following. ---",
    ],
  },
  {
    server: "T-Online (Smail)",
    from: "mailer-daemon@t-online.de",
    subject: "Mail failed, returning to sender",
    permanent: false,
    status: "5.2.2",
    says: "Quota exceeded",
    text: [
      "|------------------------- Message log follows: -------------------------|",
      " no valid recipients were found for this message",
      "|------------------------- Failed addresses follow: ---------------------|",
      " <ada@example.org>",
      "   552 5.2.2 <1-0001> Quota exceeded (mailbox for user is full)",
      "|------------------------- Message text follows: ------------------------|",
      "To: bob@example.com",
    ],
  },
  {
    server: "a German server",
    from: "Postmaster <postmaster@example.net>",
    subject: "Unzustellbar: Plan",
    permanent: true,
    status: null,
    says: "Benutzer unbekannt",
    text: ["Ihre Nachricht konnte nicht zugestellt werden:", "", "<ada@example.org>: Benutzer unbekannt"],
  },
  {
    server: "Orange",
    from: "MAILER-DAEMON@orange.fr",
    subject: "Non remis : Plan",
    permanent: true,
    status: "5.1.1",
    says: "destinataire invalide",
    text: [
      "Votre message n'a pas pu être remis :",
      "",
      "<ada@example.org>:",
      "550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416",
    ],
  },
  {
    server: "au: rejected",
    from: "Postmaster@ezweb.ne.jp",
    subject: "Mail System Error - Returned Mail",
    permanent: true,
    status: null,
    says: "User unknown",
    text: [
      "次のあて先へのメッセージはエラーのため送信できませんでした。",
      "",
      "Each of the following recipients was rejected by a remote",
      "mail server.",
      "",
      "    Recipient: <ada@example.org>",
      "    >>> RCPT TO:<ada@example.org>",
      "    <<< 550 <ada@example.org>: User unknown",
    ],
  },
  {
    server: "au: disabled",
    from: "Postmaster@ezweb.ne.jp",
    subject: "Mail System Error - Returned Mail",
    permanent: true,
    status: null,
    says: "The user(s) account is disabled.",
    text: ["The user(s) account is disabled.", "", "<ada@example.org>"],
  },
  {
    server: "KDDI",
    from: "no-reply@mx.dion.ne.jp",
    subject: "Delivery failure",
    permanent: false,
    status: null,
    says: "mailbox is full",
    text: [
      "Your mail sent on: Thu, 29 Apr 2010 11:04:47 +0900",
      "    Could not be delivered to: <ada@example.org>",
      "    As their mailbox is full.",
    ],
  },
  {
    server: "docomo",
    from: "mail-daemon@docomo.ne.jp",
    subject: "Undelivered mail",
    permanent: true,
    status: null,
    says: "550 Unknown user",
    text: ["宛先にお届けできませんでした。", "", "<ada@example.org>: 550 Unknown user ada@example.org"],
  },
  {
    server: "Oracle Messaging Server (iCloud of old)",
    from: "postmaster@mac.example.com",
    subject: "Delivery Notification: Delivery has failed",
    permanent: true,
    status: "5.1.1",
    says: "550 5.1.1",
    text: [
      "This report relates to a message you sent with the following header fields:",
      "",
      "  To: bob@example.com",
      "",
      "Your message cannot be delivered to the following recipients:",
      "",
      "  Recipient address: ada@example.org",
      "  Reason: Remote SMTP server has rejected address",
      "  Diagnostic code: smtp;550 5.1.1 <ada@example.org>... User Unknown",
    ],
  },
  {
    server: "Amazon SES",
    from: "MAILER-DAEMON@eu-west-1.amazonses.com",
    subject: "Delivery Status Notification (Failure)",
    permanent: false,
    status: null,
    says: "",
    text: [
      "An error occurred while trying to deliver the mail to the following recipients:",
      "ada@example.org",
    ],
  },
  {
    server: "MDaemon",
    from: "MDaemon@mx.example.net",
    subject: "Permanent Delivery Failure",
    permanent: true,
    status: null,
    says: "550 Unknown user",
    text: [
      "The attached message had PERMANENT fatal delivery errors!",
      "",
      "Failed address: ada@example.org",
      "",
      "--- Session Transcript ---",
      " Wed 2013-09-11 12:22:04: --> RCPT To:<ada@example.org>",
      " Wed 2013-09-11 12:22:04: <-- 250 2.1.5 OK",
      " Wed 2013-09-11 12:22:05: <-- 550 Unknown user",
      "--- End Transcript ---",
    ],
  },
  {
    server: "Courier",
    from: "postmaster@mx.example.net",
    subject: "NOTICE: mail delivery status.",
    permanent: true,
    status: "5.1.1",
    says: "<<< 550 5.1.1",
    text: [
      "                           UNDELIVERABLE MAIL",
      "",
      "Your message to the following recipients cannot be delivered:",
      "",
      "<ada@example.org>:",
      "    mx.example.org [192.0.2.1]:",
      ">>> RCPT TO:<ada@example.org>",
      "<<< 550 5.1.1 <ada@example.org>... User Unknown",
    ],
  },
  {
    server: "Barracuda",
    from: "MAILER-DAEMON <>",
    subject: "**Message you sent blocked by our bulk email filter**",
    permanent: false,
    status: null,
    says: "Spam Firewall",
    text: [
      "Your message to: ada@example.org",
      "was blocked by our Spam Firewall. The email you sent with the following subject has NOT BEEN DELIVERED:",
    ],
  },
  {
    server: "CommuniGate",
    from: "MAILER-DAEMON@mx.example.net",
    subject: "Undeliverable mail",
    permanent: false,
    status: null,
    says: "account is full",
    text: [
      "Failed to deliver to '<ada@example.org>'",
      "LOCAL module(account ada) reports:",
      " account is full (quota exceeded)",
    ],
  },
  {
    server: "X1",
    from: '"Mail Deliver System" <x@example.net>',
    subject: "Returned Mail: User unknown",
    permanent: true,
    status: null,
    says: "User unknown",
    text: ["---The following addresses had delivery errors---", "", "ada@example.org [User unknown]"],
  },
  {
    server: "OpenSMTPD",
    from: "Mailer Daemon <MAILER-DAEMON@mx.example.net>",
    subject: "Delivery status notification: error",
    permanent: true,
    status: "5.1.1",
    says: "550 5.1.1",
    text: [
      "    An error has occurred while attempting to deliver a message for",
      "    the following list of recipients:",
      "",
      "ada@example.org: 550 5.1.1 no such user",
      "",
      "    Below is a copy of the original message:",
    ],
  },
  {
    server: "InterScan, Apache James: only what was said to the server",
    from: "postmaster@mx.example.net",
    subject: "Mail could not be delivered",
    permanent: true,
    status: "5.1.1",
    says: "550 5.1.1",
    text: [
      "Unable to deliver message to one recipient.",
      "",
      "Sent <<< RCPT TO:<ada@example.org>",
      "Received >>> 550 5.1.1 <ada@example.org>... user unknown",
    ],
  },
]

describe("reports as text", () => {
  for (const sample of bounces)
    it.effect(sample.server, () =>
      Effect.map(
        reported(
          notice(
            [`From: ${sample.from}`, `Subject: ${sample.subject}`, ...(sample.header ?? [])].map(utf8),
            ...sample.text.map(utf8),
          ),
        ),
        (report) => {
          const [recipient] = report?.recipients ?? []
          expect(report?.recipients).toHaveLength(1)
          expect(recipient?.addresses).toEqual(["ada@example.org"])
          expect([recipient?.outcome, recipient?.status]).toEqual(["bounced", sample.status])
          expect(recipient?.diagnostic ?? "").toContain(sample.says)
          expect(recipient !== undefined && isPermanent(recipient)).toBe(sample.permanent)
        },
      ),
    )
})

const qmail = ["From: MAILER-DAEMON@mx.example.net", "Subject: failure notice"]

const addressesOf = (mail: Uint8Array) =>
  Effect.map(reported(mail), (report) => report?.recipients.map(({ addresses }) => addresses))

describe("whom a text names", () => {
  it.effect("everybody, each with his own reason", () =>
    Effect.map(
      reported(
        notice(
          qmail,
          "Hi. This is the qmail-send program at mx.example.net.",
          "",
          "<ada@example.org>:",
          "Remote host said: 550 5.1.1 User unknown",
          "",
          "<Bob@example.org>:",
          "Remote host said: 552 5.2.2 full",
          "",
        ),
      ),
      (report) =>
        expect(report?.recipients.map(({ addresses, status }) => [addresses[0], status])).toEqual([
          ["ada@example.org", "5.1.1"],
          ["bob@example.org", "5.2.2"],
        ]),
    ),
  )

  it.effect("of an alias first the address that was written to", () =>
    Effect.gen(function* () {
      const both = [["list@example.org", "ada@example.com"]]
      expect(
        yield* addressesOf(
          notice(
            daemon,
            "This message could not be delivered:",
            "",
            "<ada@example.com> (expanded from <list@example.org>): 550 no",
          ),
        ),
      ).toEqual(both)
      expect(
        yield* addressesOf(
          notice(
            daemon,
            "The following address(es) failed:",
            "",
            "  ada@example.com",
            "    (generated from list@example.org)",
            "    550 no",
          ),
        ),
      ).toEqual(both)
      expect(
        yield* addressesOf(
          notice(
            daemon,
            "The following address(es) failed:",
            "",
            "  an undisclosed address",
            "    (generated from list@example.org)",
          ),
        ),
      ).toEqual([["list@example.org"]])
    }),
  )

  it.effect("X-Failed-Recipients names them where the text does not", () =>
    Effect.map(
      reported(
        notice(
          ["From: x@example.net", "X-Failed-Recipients: ada@example.org,", " bob@example.org"],
          "550 no",
        ),
      ),
      (report) =>
        expect(report?.recipients.map(({ addresses }) => addresses)).toEqual([
          ["ada@example.org"],
          ["bob@example.org"],
        ]),
    ),
  )

  it.effect("not the server itself, as an address to turn to", () =>
    Effect.map(
      addressesOf(
        notice(
          ["From: postmaster@example.net", "Subject: failure notice"],
          "Your message could not be delivered to:",
          "ada@example.org",
          "",
          "For help, turn to:",
          "postmaster@example.net",
        ),
      ),
      (found) => expect(found).toEqual([["ada@example.org"]]),
    ),
  )

  it.effect("nobody: the only one that the returned mail was to, or else no one", () =>
    Effect.gen(function* () {
      const returned = (to: string) =>
        notice(
          qmail,
          "Sorry, your message could not be delivered.",
          "",
          "--- Below this line is a copy of the message.",
          "",
          "Return-Path: <b1@bounce.acme.dev>",
          `To: ${to}`,
        )
      expect(yield* reported(returned("ada@example.org"))).toEqual({
        recipients: [
          {
            addresses: ["ada@example.org"],
            outcome: "bounced",
            status: null,
            diagnostic: null,
            permanent: null,
          },
        ],
        returnPath: "b1@bounce.acme.dev",
      })
      expect(yield* addressesOf(returned("ada@example.org, bob@example.org"))).toEqual([[]])
    }),
  )

  it.effect("in HTML as in text", () =>
    Effect.map(
      reported(
        raw(
          ...daemon,
          "Content-Type: text/html",
          "",
          "<p>Your message could not be delivered to:</p><div>&lt;ada@example.org&gt;:<br>550 5.1.1 User unknown</div>",
        ),
      ),
      (report) => expect(report?.recipients[0]?.status).toBe("5.1.1"),
    ),
  )

  it.effect("at most 100", () =>
    Effect.map(
      addressesOf(
        notice(
          daemon,
          "The following addresses had permanent fatal errors",
          ...Array.from({ length: 150 }, (_, n) => `<a${n}@example.org>`),
        ),
      ),
      (found) => expect(found).toHaveLength(100),
    ),
  )
})

describe("warnings that a mail is late are no bounces", () => {
  for (const [server, subject, text] of [
    [
      "Sendmail",
      "Warning: could not send message for past 4 hours",
      [
        "    **      THIS IS A WARNING MESSAGE ONLY      **",
        "   ----- The following addresses had transient non-fatal errors -----",
        "<ada@example.org>",
        "",
        "   ----- Transcript of session follows -----",
        "<ada@example.org>... Deferred: Connection refused",
        "Warning: message still undelivered after 4 hours",
        "Will keep trying until message is 5 days old",
      ],
    ],
    [
      "Postfix",
      "Delayed Mail (still being retried)",
      [
        "# THIS IS A WARNING ONLY.  YOU DO NOT NEED TO RESEND YOUR MESSAGE. #",
        "Your message could not be delivered for more than 4 hour(s).",
        "It will be retried until it is 5 day(s) old.",
        "",
        "<ada@example.org>: connect to mx.example.org[192.0.2.1]:25: Connection timed out",
      ],
    ],
    [
      "Exim",
      "Warning: message 1aB delayed 24 hours",
      [
        "A message that you sent has not yet been delivered to one or more of its",
        "recipients after more than 24 hours on the queue on mx.example.net.",
        "The address to which the message has not yet been delivered is:",
        "",
        "  ada@example.org",
        "",
        "No action is required on your part. Delivery attempts will continue for",
        "some time.",
      ],
    ],
    [
      "Gmail",
      "Delivery Status Notification (Delay)",
      [
        "** Delivery incomplete **",
        "",
        "There was a temporary problem delivering your message to ada@example.org. Gmail will retry for 46 more hours.",
      ],
    ],
    [
      "Exchange",
      "Verzögert: Plan",
      ["Delivery to the following recipients has been delayed.", "", "      ada@example.org"],
    ],
  ] as const)
    it.effect(server, () =>
      Effect.map(reported(notice([daemon[0] ?? "", utf8(`Subject: ${subject}`)], ...text)), (report) =>
        expect(report?.recipients.map(({ addresses, outcome }) => [addresses[0], outcome])).toEqual([
          ["ada@example.org", "delayed"],
        ]),
      ),
    )
})
