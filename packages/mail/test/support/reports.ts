/** Builds reports for tests, and reads them. */
import { parseMail } from "@mailroom/mail/parsing/parseMail"
import { Effect } from "effect"
import { reportOf } from "../../src/reports/reportOf.js"
import { raw } from "./mails.js"

export const reported = (mail: Uint8Array) =>
  Effect.map(
    Effect.promise(() => parseMail(mail)),
    reportOf,
  )

/** A text from a mail server. */
export const notice = (header: ReadonlyArray<string>, ...text: ReadonlyArray<string>): Uint8Array =>
  raw(...header, "Content-Type: text/plain; charset=utf-8", "", ...text, "")

export const daemon = [
  "From: Mail Delivery System <MAILER-DAEMON@mx.example.net>",
  "Subject: Undelivered mail",
]

/** A multipart/report (RFC 6522): text, report and returned mail, each part with its own header. */
export const multipartReport = (type: string, ...parts: ReadonlyArray<ReadonlyArray<string>>): Uint8Array =>
  raw(
    "From: Mail Delivery System <MAILER-DAEMON@mx.example.net>",
    "Subject: Report",
    `Content-Type: multipart/report; report-type=${type}; boundary="b"`,
    "",
    ...parts.flatMap((part) => ["--b", ...part]),
    "--b--",
    "",
  )

export const statusPart = (...lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  "Content-Type: message/delivery-status",
  "",
  "Reporting-MTA: dns; mx.example.net",
  "",
  ...lines,
]

export const enclosedPart = (...header: ReadonlyArray<string>): ReadonlyArray<string> => [
  "Content-Type: message/rfc822",
  "",
  ...header,
  "",
  "Hello",
]
