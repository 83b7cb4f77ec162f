import { raw } from "./support/mails.js"
import { enclosedPart, multipartReport, reported } from "./support/reports.js"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

const feedback = (...lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  "Content-Type: message/feedback-report",
  "",
  "User-Agent: Example/1.0",
  "Version: 1",
  ...lines,
]

const mail = enclosedPart(
  "Return-Path: <b1@bounce.acme.dev>",
  "From: me@acme.dev",
  "To: Ada <ada@example.org>",
)

const complained = (addresses: ReadonlyArray<string>, kind: string | null) => ({
  addresses,
  outcome: "complained",
  status: null,
  diagnostic: kind,
  permanent: null,
})

const report = (...parts: ReadonlyArray<ReadonlyArray<string>>) =>
  reported(multipartReport("feedback-report", ["Content-Type: text/plain", "", "Spam."], ...parts))

describe("feedback reports", () => {
  it.effect("RFC 5965 §3: the recipient who complains, and the mail", () =>
    Effect.map(
      report(
        feedback(
          "Feedback-Type: Abuse",
          "Original-Mail-From: <B1@Bounce.acme.dev>",
          "Original-Rcpt-To: <Ada@example.org>",
          "Original-Rcpt-To: bob@example.org",
        ),
        mail,
      ),
      (found) =>
        expect(found).toEqual({
          recipients: [complained(["ada@example.org"], "abuse"), complained(["bob@example.org"], "abuse")],
          returnPath: "B1@Bounce.acme.dev",
        }),
    ),
  )

  it.effect("at most 100 recipients are read", () =>
    Effect.map(
      report(
        feedback(
          "Feedback-Type: abuse",
          ...Array.from({ length: 150 }, (_, n) => `Original-Rcpt-To: r${n}@example.org`),
        ),
      ),
      (found) => expect(found?.recipients).toHaveLength(100),
    ),
  )

  for (const kind of ["fraud", "virus", "other", "opt-out", "x-unheard-of"])
    it.effect(`§7.3: ${kind} is a complaint`, () =>
      Effect.map(report(feedback(`Feedback-Type: ${kind}`), mail), (found) =>
        expect(found?.recipients).toEqual([complained(["ada@example.org"], kind)]),
      ),
    )

  for (const kind of ["not-spam", "auth-failure", "dmarc"])
    it.effect(`${kind} is none (RFC 5965 §7.3, RFC 6591)`, () =>
      Effect.map(
        report(feedback(`Feedback-Type: ${kind}`, "Original-Rcpt-To: ada@example.org"), mail),
        (found) => expect(found).toBeNull(),
      ),
    )

  it.effect("missing fields are taken from the mail: its return path, and To of a single recipient", () =>
    Effect.gen(function* () {
      const one = yield* report(feedback("Feedback-Type: abuse"), mail)
      expect(one?.returnPath).toBe("b1@bounce.acme.dev")
      const two = yield* report(
        feedback("Feedback-Type: abuse"),
        enclosedPart("To: a@example.org, b@example.org"),
      )
      expect(two).toEqual({ recipients: [complained([], "abuse")], returnPath: null })
    }),
  )

  it.effect("RFC 6590: a redacted address is ignored", () =>
    Effect.map(
      report(
        feedback("Feedback-Type: abuse", "Original-Rcpt-To: redacted@example.org"),
        enclosedPart("To: redacted@example.org, x"),
      ),
      (found) => expect(found?.recipients[0]?.addresses).toEqual([]),
    ),
  )

  it.effect("old reports of AOL name the recipient in Removal-Recipient", () =>
    Effect.map(report(feedback("Feedback-Type: abuse", "Removal-Recipient: ada@aol.com")), (found) =>
      expect(found?.recipients[0]?.addresses).toEqual(["ada@aol.com"]),
    ),
  )

  it.effect("Outlook.com's Junk Mail Reporting Program returns the mail, with its reader", () =>
    Effect.gen(function* () {
      const back = (from: string) =>
        raw(
          `From: ${from}`,
          "Subject: complaint about message from 192.0.2.1",
          'Content-Type: multipart/mixed; boundary="b"',
          "",
          "--b",
          ...enclosedPart("X-HmXmrOriginalRecipient: <Ada@hotmail.com>", "Return-Path: b1@bounce.acme.dev"),
          "--b--",
          "",
        )
      expect(yield* reported(back("staff@hotmail.com"))).toEqual({
        recipients: [complained(["ada@hotmail.com"], null)],
        returnPath: "b1@bounce.acme.dev",
      })
      expect(yield* reported(back("ada@example.org"))).toBeNull()
    }),
  )
})
