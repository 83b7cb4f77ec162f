import { raw, utf8 } from "./support/mails.js"
import { daemon, enclosedPart, multipartReport, reported, statusPart } from "./support/reports.js"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

const status = (...lines: ReadonlyArray<string>) =>
  reported(multipartReport("delivery-status", statusPart(...lines)))

const bounced = (address: string, code: string | null, diagnostic: string | null) => ({
  addresses: [address],
  outcome: "bounced",
  status: code,
  diagnostic,
  permanent: null,
})

const failed = (address: string) => [`Final-Recipient: rfc822; ${address}`, "Action: failed", "Status: 5.1.1"]

describe("delivery status notifications", () => {
  it.effect("RFC 3464 §2.3: recipient, outcome, status and diagnostic", () =>
    Effect.map(
      status(
        "Original-Recipient: rfc822;Ada@Example.org",
        "Final-Recipient: RFC822; <ada@mail.example.org>",
        "Action: failed",
        "Status: 5.1.1 (bad destination mailbox)",
        "Diagnostic-Code: smtp; 550 5.1.1 <ada@mail.example.org>",
        "  User\tunknown",
      ),
      (report) =>
        expect(report).toEqual({
          recipients: [
            {
              addresses: ["ada@example.org", "ada@mail.example.org"],
              outcome: "bounced",
              status: "5.1.1",
              diagnostic: "550 5.1.1 <ada@mail.example.org> User unknown",
              permanent: null,
            },
          ],
          returnPath: null,
        }),
    ),
  )

  for (const [action, code, outcome] of [
    ["Action: failed", "4.4.7", "bounced"],
    ["ACTION: Delayed", "4.4.1", "delayed"],
    ["Action: delivered (to mailbox)", "2.1.5", "delivered"],
    ["action:relayed", "2.1.5", "delivered"],
    ["Action: expanded (to a list)", "2.1.5", "delivered"],
    ["Action: expired", "4.4.7", "bounced"],
    ["X-None: action", "5.1.1", "bounced"],
    ["X-None: action", "4.4.7", "delayed"],
    ["Action: whatever", "2.0.0", "delivered"],
  ] as const)
    it.effect(`§2.3.3: ${action} with ${code} is ${outcome}`, () =>
      Effect.map(status("Final-Recipient: rfc822; ada@example.org", action, `Status: ${code}`), (report) =>
        expect(report?.recipients.map((recipient) => [recipient.outcome, recipient.status])).toEqual([
          [outcome, code],
        ]),
      ),
    )

  it.effect("§2.3.3: an expanded list counts only when no other recipient is reported", () =>
    Effect.map(
      status(
        "Final-Recipient: rfc822; list@example.org",
        "Action: expanded",
        "Status: 2.0.0",
        "",
        ...failed("ada@example.org"),
      ),
      (report) => expect(report?.recipients).toEqual([bounced("ada@example.org", "5.1.1", null)]),
    ),
  )

  for (const [how, lines] of [
    ["an empty line between them", [...failed("a@example.org"), "", ...failed("b@example.org")]],
    ["several", [...failed("a@example.org"), "", "", "", ...failed("b@example.org")]],
    ["none", [...failed("a@example.org"), ...failed("b@example.org")]],
    [
      "one after every line",
      [...failed("a@example.org"), ...failed("b@example.org")].flatMap((line) => [line, ""]),
    ],
    ["text between them", [...failed("a@example.org"), "", "Sorry", "", ...failed("b@example.org")]],
    [
      "the next one's original first",
      [
        ...failed("a@example.org"),
        "",
        "Original-Recipient: rfc822;b@example.org",
        ...failed("b@example.org"),
      ],
    ],
  ] as const)
    it.effect(`two recipients, ${how}`, () =>
      Effect.map(status(...lines), (report) =>
        expect(report?.recipients).toEqual([
          bounced("a@example.org", "5.1.1", null),
          bounced("b@example.org", "5.1.1", null),
        ]),
      ),
    )

  it.effect("per-recipient fields without an empty line before them, in lower case", () =>
    Effect.map(
      reported(
        multipartReport("delivery-status", [
          "content-type: message/delivery-status",
          "",
          "reporting-mta:dns;mx",
          "final-recipient:ada@example.org",
          "status:5.2.2",
        ]),
      ),
      (report) => expect(report?.recipients).toEqual([bounced("ada@example.org", "5.2.2", null)]),
    ),
  )

  it.effect("a generic status is replaced by that of the SMTP reply", () =>
    Effect.map(
      status(
        "Final-Recipient: rfc822; ada@example.org",
        "Action: failed",
        "Status: 5.0.0",
        "Diagnostic-Code: smtp; 550-5.7.1 no; 550 5.7.1 never",
      ),
      (report) =>
        expect(report?.recipients).toEqual([
          bounced("ada@example.org", "5.7.1", "550-5.7.1 no; 550 5.7.1 never"),
        ]),
    ),
  )

  it.effect("a recipient without a diagnostic gets that of the text", () =>
    Effect.map(
      reported(
        multipartReport(
          "delivery-status",
          [
            "Content-Type: text/plain",
            "",
            "A message that you sent could not be delivered. The following address failed:",
            "",
            "  ada@example.org",
            "    Unknown user",
          ],
          statusPart("Action: failed", "Final-Recipient: rfc822;ada@example.org", "Status: 5.0.0"),
        ),
      ),
      (report) => expect(report?.recipients).toEqual([bounced("ada@example.org", "5.0.0", "Unknown user")]),
    ),
  )

  it.effect("RFC 3461 §4: xtext is decoded, and also kept as it is", () =>
    Effect.map(status("Original-Recipient: rfc822;ada+2Bnews@example.org", "Status: 5.1.1"), (report) =>
      expect(report?.recipients[0]?.addresses).toEqual(["ada+news@example.org", "ada+2bnews@example.org"]),
    ),
  )

  it.effect("a tag that encodes nothing stays", () =>
    Effect.map(status("Original-Recipient: rfc822;ada+news@example.org", "Status: 5.1.1"), (report) =>
      expect(report?.recipients[0]?.addresses).toEqual(["ada+news@example.org"]),
    ),
  )

  it.effect("RFC 6533: international addresses, as they are or encoded", () =>
    Effect.map(
      reported(
        multipartReport("delivery-status", [
          "Content-Type: message/global-delivery-status",
          "Content-Transfer-Encoding: 8bit",
          "",
          "Reporting-MTA: dns; mx",
          "",
          `Original-Recipient: utf-8; jos\\x{E9}@example.org`,
          utf8("Final-Recipient: utf-8; josé@example.com"),
          "Action: failed",
          "Status: 5.1.1",
        ]),
      ),
      (report) => expect(report?.recipients[0]?.addresses).toEqual(["josé@example.org", "josé@example.com"]),
    ),
  )

  for (const [encoding, encode] of [
    ["base64", (text: string) => Buffer.from(text).toString("base64")],
    ["quoted-printable", (text: string) => text.replaceAll("@", "=40")],
  ] as const)
    it.effect(`a status in ${encoding}`, () =>
      Effect.map(
        reported(
          multipartReport("delivery-status", [
            "Content-Type: message/delivery-status",
            `Content-Transfer-Encoding: ${encoding}`,
            "",
            encode(["Reporting-MTA: dns; mx", "", ...failed("ada@example.org")].join("\r\n")),
          ]),
        ),
        (report) => expect(report?.recipients).toEqual([bounced("ada@example.org", "5.1.1", null)]),
      ),
    )

  it.effect("a recipient without a mail address is reported without one", () =>
    Effect.map(status("Final-Recipient: x400; /C=US/O=Example/", "Action: failed"), (report) =>
      expect(report?.recipients).toEqual([{ ...bounced("", null, null), addresses: [] }]),
    ),
  )

  it.effect("at most 100 recipients, and 500 characters of a diagnostic", () =>
    Effect.map(
      status(
        ...Array.from({ length: 150 }, (_, n) => [
          ...failed(`a${n}@example.org`),
          `Diagnostic-Code: smtp; 550 ${"x".repeat(600)}`,
          "",
        ]).flat(),
      ),
      (report) => {
        expect(report?.recipients).toHaveLength(100)
        expect(report?.recipients[0]?.diagnostic).toHaveLength(500)
      },
    ),
  )

  it.effect("a status part outside of multipart/report counts only from a mail server", () =>
    Effect.gen(function* () {
      const mixed = (...header: ReadonlyArray<string>) =>
        raw(
          ...header,
          'Content-Type: multipart/mixed; boundary="b"',
          "",
          "--b",
          ...statusPart(...failed("ada@example.org")),
          "--b--",
          "",
        )
      expect((yield* reported(mixed(...daemon)))?.recipients).toHaveLength(1)
      expect((yield* reported(mixed("Return-Path: <>", "From: x@example.net")))?.recipients).toHaveLength(1)
      expect(yield* reported(mixed("From: ada@example.net", "Subject: Undelivered mail"))).toBeNull()
    }),
  )
})

describe("irregular notifications", () => {
  it.effect("an expired mail is never permanent: its replies were transient", () =>
    Effect.map(
      status("Final-Recipient: rfc822; ada@example.org", "Action: expired", "Status: 5.1.1"),
      (report) => expect(report?.recipients).toMatchObject([{ outcome: "bounced", permanent: false }]),
    ),
  )

  it.effect("fields without a recipient: the status, and the single recipient of the enclosed mail", () =>
    Effect.gen(function* () {
      const unnamed = (to: string) =>
        reported(
          multipartReport(
            "delivery-status",
            statusPart("Action: failed", "Status: 5.2.2", "Diagnostic-Code: smtp; 552 5.2.2 full"),
            enclosedPart(`To: ${to}`),
          ),
        )
      expect((yield* unnamed("ada@example.org"))?.recipients).toEqual([
        bounced("ada@example.org", "5.2.2", "552 5.2.2 full"),
      ])
      expect((yield* unnamed("ada@example.org, bob@example.org"))?.recipients).toEqual([
        { ...bounced("", "5.2.2", "552 5.2.2 full"), addresses: [] },
      ])
    }),
  )

  it.effect("fields without a recipient, and a text that names one", () =>
    Effect.map(
      reported(
        multipartReport(
          "delivery-status",
          ["Content-Type: text/plain", "", "<ada@example.org>: User unknown"],
          statusPart("Action: failed", "Status: 5.1.1"),
        ),
      ),
      (report) => expect(report?.recipients).toEqual([bounced("ada@example.org", "5.1.1", "User unknown")]),
    ),
  )

  it.effect("a status declared as text", () =>
    Effect.map(
      reported(
        multipartReport("delivery-status", [
          "Content-Type: text/plain",
          "",
          "Sorry.",
          "",
          ...failed("ada@example.org"),
        ]),
      ),
      (report) => expect(report?.recipients).toEqual([bounced("ada@example.org", "5.1.1", null)]),
    ),
  )

  it.effect("text declared as a status, beside the status: the diagnostic of the recipient", () =>
    Effect.map(
      reported(
        multipartReport(
          "delivery-status",
          [
            "Content-Type: message/delivery-status",
            "",
            "This Message was undeliverable due to the following reason:",
            "",
            "<ada@example.org> has restricted SMS e-mail",
          ],
          statusPart("Final-Recipient: RFC822; <ada@example.org>", "Action: failed", "Status: 5.3.0"),
        ),
      ),
      (report) =>
        expect(report?.recipients).toEqual([
          bounced("ada@example.org", "5.3.0", "has restricted SMS e-mail"),
        ]),
    ),
  )

  it.effect("no status: the text counts", () =>
    Effect.map(
      reported(
        multipartReport("delivery-status", [
          "Content-Type: text/plain",
          "",
          "<ada@example.org>: 550 5.1.1 User unknown",
        ]),
      ),
      (report) =>
        expect(report?.recipients).toEqual([bounced("ada@example.org", "5.1.1", "550 5.1.1 User unknown")]),
    ),
  )
})

describe("the return path of the reported mail", () => {
  for (const type of ["message/rfc822", "text/rfc822-headers", "message/global", "message/global-headers"])
    it.effect(`is that of the enclosed ${type}, as it is written`, () =>
      Effect.map(
        reported(
          multipartReport("delivery-status", statusPart(...failed("ada@example.org")), [
            `Content-Type: ${type}`,
            "",
            "Received: by mx",
            "Return-Path: <B+Xy=1@Bounce.acme.dev>",
            "To: ada@example.org",
            "",
          ]),
        ),
        (report) => expect(report?.returnPath).toBe("B+Xy=1@Bounce.acme.dev"),
      ),
    )

  it.effect("is Postfix's sender when no mail is enclosed", () =>
    Effect.map(
      reported(
        multipartReport("delivery-status", [
          "Content-Type: message/delivery-status",
          "",
          "Reporting-MTA: dns; mx",
          "X-Postfix-Sender: rfc822; B1@bounce.acme.dev",
          "",
          ...failed("ada@example.org"),
        ]),
      ),
      (report) => expect(report?.returnPath).toBe("B1@bounce.acme.dev"),
    ),
  )

  it.effect("is null when the field is empty", () =>
    Effect.map(
      reported(
        multipartReport(
          "delivery-status",
          statusPart(...failed("ada@example.org")),
          enclosedPart("Return-Path: <>"),
        ),
      ),
      (report) => expect(report?.returnPath).toBeNull(),
    ),
  )
})
