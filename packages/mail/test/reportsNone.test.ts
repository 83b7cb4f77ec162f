import { raw } from "./support/mails.js"
import { daemon, enclosedPart, multipartReport, notice, reported, statusPart } from "./support/reports.js"
import { parseMail } from "@mailroom/mail/parsing/parseMail"
import { reportOf } from "../src/reports/reportOf.js"
import { unreadableMail } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

const bounce = ["Your message could not be delivered to:", "", "<ada@example.org>: 550 5.1.1 User unknown"]

const status = statusPart("Final-Recipient: rfc822; ada@example.org", "Action: failed", "Status: 5.1.1")

const none: ReadonlyArray<readonly [what: string, mail: Uint8Array]> = [
  ["a mail", notice(["From: ada@example.org", "Subject: Plan"], "Hello")],
  [
    "a person who tells of a bounce",
    notice(["From: ada@example.org", "Subject: Undelivered mail"], ...bounce),
  ],
  [
    "a person who answers a bounce and quotes it",
    notice(
      ["From: ada@example.org", "Subject: Re: Undelivered mail"],
      "Why?",
      "",
      ...bounce.map((line) => `> ${line}`),
    ),
  ],
  [
    "a postmaster who answers one, quoted or not",
    notice(["From: postmaster@example.org", "Subject: AW: failure notice"], "It is repaired.", "", ...bounce),
  ],
  [
    "a postmaster who writes",
    notice(["From: postmaster@example.org", "Subject: Maintenance"], "We move tonight."),
  ],
  [
    "a postmaster who tells of mail that was lost",
    notice(["From: postmaster@example.org", "Subject: Maintenance"], "Some mail could not be delivered."),
  ],
  [
    "a forwarded bounce",
    raw(
      "From: ada@example.org",
      "Subject: Fwd: Undelivered mail",
      'Content-Type: multipart/mixed; boundary="b"',
      "",
      "--b",
      "Content-Type: text/plain",
      "",
      "See.",
      "--b",
      "Content-Type: message/rfc822",
      "",
      ...daemon,
      "Content-Type: text/plain",
      "",
      ...bounce,
      "--b--",
    ),
  ],
  [
    "a mail server's mail about nothing that has a bounce enclosed",
    raw(
      "From: postmaster@example.org",
      "Subject: Your files",
      'Content-Type: multipart/mixed; boundary="b"',
      "",
      "--b",
      ...enclosedPart(
        'Content-Type: multipart/report; report-type=delivery-status; boundary="c"',
        "",
        "--c",
        ...status,
        "--c--",
      ),
      "--b--",
    ),
  ],
  [
    "a list that passes one on (RFC 2919)",
    notice([...daemon, "List-Id: <postmasters.example.org>"], ...bounce),
  ],
  [
    "a vacation reply",
    notice(
      ["From: ada@example.org", "Return-Path: <>", "Subject: Out of office", "Auto-Submitted: auto-replied"],
      "I am away.",
    ),
  ],
  [
    "a vacation reply of a postmaster",
    notice(
      ["From: postmaster@example.org", "Subject: Automatic reply: Undelivered mail"],
      "Your mail was not delivered to me yet.",
    ),
  ],
  [
    "a challenge",
    notice(
      ["From: ada@example.org", "Return-Path: <>", "Subject: Please confirm your message"],
      "Your message to <ada@example.org> is held until you confirm it.",
    ),
  ],
  [
    "a parcel that did not arrive",
    notice(
      ["From: no-reply@parcels.example.com", "Subject: Delivery failed"],
      "Your parcel could not be delivered to:",
      "",
      "ada@example.org",
    ),
  ],
  [
    "a receipt that a mail was read (RFC 8098)",
    multipartReport(
      "disposition-notification",
      ["Content-Type: text/plain", "", ...bounce],
      [
        "Content-Type: message/disposition-notification",
        "",
        "Final-Recipient: rfc822;ada@example.org",
        "Disposition: manual-action/MDN-sent-manually; displayed",
      ],
    ),
  ],
  [
    "a report of another kind (RFC 8460)",
    multipartReport("tlsrpt", ["Content-Type: text/plain", "", "All is well."]),
  ],
  [
    "a report without anything in it",
    multipartReport("delivery-status", ["Content-Type: text/plain", "", "Nothing."]),
  ],
]

describe("no report is", () => {
  for (const [what, mail] of none)
    it.effect(what, () => Effect.map(reported(mail), (report) => expect(report).toBeNull()))

  it("a mail that cannot be read", () => {
    expect(reportOf(unreadableMail("broken"))).toBeNull()
  })
})

describe("hostile input", () => {
  for (const [what, line] of [
    ["addresses", "<a@b.co> "],
    ["at signs", "a@"],
    ["answers", "550 5.1.1 <a@b.co>... "],
    ["fields", "Final-Recipient: rfc822;a@b.co; "],
    ["brackets", "<".repeat(50)],
    ["spaces", " ".repeat(50)],
  ] as const)
    it.effect(`64 kB of ${what}, on one line and on many`, () =>
      Effect.gen(function* () {
        for (const text of [
          line.repeat(64_000 / line.length),
          `${line}\r\n`.repeat(64_000 / (line.length + 2)),
        ]) {
          const found = yield* reported(notice(daemon, "The following addresses failed:", text))
          expect(found?.recipients.length ?? 0).toBeLessThanOrEqual(100)
          expect(yield* reported(multipartReport("delivery-status", [...status, text]))).not.toBeNull()
        }
      }),
    )
})

describe("a null envelope sender (RFC 5321 §4.5.5)", () => {
  const called = ["From: Mail <service@example.net>", "Subject: Delivery failed"]
  const reportsIn = (mail: Uint8Array) =>
    Effect.map(
      Effect.promise(() => parseMail(mail)),
      ({ report, nullSenderReport }) => [report !== null, nullSenderReport !== null],
    )

  it.effect("makes a report of a mail with the subject of one, or with a status part", () =>
    Effect.gen(function* () {
      expect(yield* reportsIn(notice(called, ...bounce))).toEqual([false, true])
      expect(yield* reportsIn(notice(["Return-Path: <>", ...called], ...bounce))).toEqual([true, false])
      expect(
        yield* reportsIn(
          raw(
            "From: Mail <service@example.net>",
            'Content-Type: multipart/mixed; boundary="b"',
            "",
            "--b",
            ...status,
            "--b--",
            "",
          ),
        ),
      ).toEqual([false, true])
    }),
  )

  it.effect("makes no report of a reply, a forwarded mail, a list's mail or a vacation reply", () =>
    Effect.gen(function* () {
      for (const header of [
        ["From: ada@example.org", "Subject: Re: Delivery failed"],
        [...called, "List-Id: <postmasters.example.org>"],
        ["From: ada@example.org", "Subject: Out of office: Delivery failed"],
        ["From: ada@example.org", "Subject: Plan"],
      ])
        expect(yield* reportsIn(notice(header, ...bounce))).toEqual([false, false])
    }),
  )
})
