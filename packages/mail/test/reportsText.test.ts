import { bounces } from "./support/bounces.js"
import { raw, utf8 } from "./support/mails.js"
import { daemon, notice, reported } from "./support/reports.js"
import { isPermanent } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

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

describe("the recipients in a text", () => {
  it.effect("all of them, each with its own reason", () =>
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

  it.effect("the address before an alias comes first", () =>
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

  it.effect("come from X-Failed-Recipients when the text names none", () =>
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

  it.effect("do not include the server's own contact address", () =>
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

  it.effect("none named: the single recipient of the returned mail, else none", () =>
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

  it.effect("none named: the status of the only reply, and none when replies differ", () =>
    Effect.gen(function* () {
      const returned = (...lines: ReadonlyArray<string>) =>
        Effect.map(
          reported(notice(qmail, "Sorry, your message could not be delivered.", "", ...lines)),
          (report) => report?.recipients.map(({ addresses, status }) => [addresses, status]),
        )
      expect(yield* returned("550 5.1.1 User unknown")).toEqual([[[], "5.1.1"]])
      expect(yield* returned("550-5.2.1 disabled,", "550 5.2.1 see https://example.net")).toEqual([
        [[], "5.2.1"],
      ])
      expect(yield* returned("550 5.1.1 User unknown", "", "552 5.2.2 full")).toEqual([[[], null]])
    }),
  )

  it.effect("none named: a delay stays a delay", () =>
    Effect.map(
      reported(notice(qmail, "Your message has not been delivered.", "It will be retried until tomorrow.")),
      (report) => expect(report?.recipients).toMatchObject([{ addresses: [], outcome: "delayed" }]),
    ),
  )

  it.effect("do not include an address to contact", () =>
    Effect.map(
      addressesOf(
        notice(
          qmail,
          "Your message could not be delivered to:",
          "<ada@example.org>: 550 5.1.1 User unknown. For more help, contact us.",
          "",
          "If you have questions, contact:",
          "<help@example.net>",
        ),
      ),
      (found) => expect(found).toEqual([["ada@example.org"]]),
    ),
  )

  it.effect("in a sentence over two lines", () =>
    Effect.gen(function* () {
      const found = (...lines: ReadonlyArray<string>) =>
        Effect.map(reported(notice(["From: MAILER-DAEMON", "Subject: Hello"], ...lines)), (report) =>
          report?.recipients.map(({ addresses, diagnostic }) => [addresses[0], diagnostic]),
        )
      expect(
        yield* found(
          "We are sorry to tell you that your message could not",
          "be delivered to one or more recipients.",
          "",
          "<ada@example.org>: 550 no",
        ),
      ).toEqual([["ada@example.org", "550 no"]])
      expect(
        yield* found(
          "Your message wasn't delivered to",
          "ada@example.org because the address couldn't be found.",
        ),
      ).toEqual([
        [
          "ada@example.org",
          "Your message wasn't delivered to ada@example.org because the address couldn't be found.",
        ],
      ])
      expect(
        yield* found("Your message to <ada@example.org> has been", "rejected: the mailbox is full."),
      ).toEqual([
        ["ada@example.org", "Your message to <ada@example.org> has been rejected: the mailbox is full."],
      ])
    }),
  )

  it.effect("in HTML, too", () =>
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

describe("transcripts of a session", () => {
  const transcript = (...lines: ReadonlyArray<string>) =>
    Effect.map(
      reported(notice(daemon, "Unable to deliver message to one or more recipients.", "", ...lines)),
      (report) => report?.recipients.map(({ addresses, diagnostic }) => [addresses[0], diagnostic]),
    )

  it.effect("name the recipients of refused RCPT TO, each with its reply", () =>
    Effect.map(
      transcript(
        ">>> RCPT TO:<bob@example.org>",
        "<<< 250 ok",
        ">>> RCPT TO:<ada@example.org>",
        "<<< 550 5.1.1 User unknown",
        ">>> RCPT TO:<carol@example.org>",
        "<<< 452 4.2.2 full",
      ),
      (found) =>
        expect(found).toEqual([
          ["ada@example.org", "<<< 550 5.1.1 User unknown (in reply to RCPT TO command)"],
          ["carol@example.org", "<<< 452 4.2.2 full (in reply to RCPT TO command)"],
        ]),
    ),
  )

  it.effect("RFC 2920: replies to pipelined commands come in the same order", () =>
    Effect.map(
      transcript(
        "RCPT TO:<bob@example.org>",
        "RCPT TO:<ada@example.org>",
        "DATA",
        "250 ok",
        "550-5.1.1 User unknown,",
        "550 5.1.1 see https://example.net",
        "354 go on",
        "250 2.0.0 queued",
      ),
      (found) => expect(found?.map(([address]) => address)).toEqual(["ada@example.org"]),
    ),
  )

  it.effect("name no recipient when replies cannot be matched, or none was refused", () =>
    Effect.gen(function* () {
      expect(
        yield* transcript(
          ">>> RCPT TO:<bob@example.org>",
          ">>> RCPT TO:<ada@example.org>",
          "<<< 550 5.1.1 User unknown",
        ),
      ).toEqual([[undefined, "<<< 550 5.1.1 User unknown"]])
      expect(
        yield* transcript(">>> RCPT TO:<ada@example.org>", "<<< 250 ok", ">>> DATA", "<<< 554 no"),
      ).toEqual([[undefined, "<<< 554 no (in reply to DATA command)"]])
    }),
  )

  it.effect("a refused sender is not about the recipient, whatever the reply says", () =>
    Effect.map(
      reported(
        notice(
          daemon,
          "   ----- The following addresses had permanent fatal errors -----",
          "<ada@example.org>",
          "",
          "   ----- Transcript of session follows -----",
          ">>> MAIL From:<b1@bounce.acme.dev>",
          "<<< 550 5.1.1 User unknown",
        ),
      ),
      (report) => expect(report?.recipients.map(isPermanent)).toEqual([false]),
    ),
  )
})
