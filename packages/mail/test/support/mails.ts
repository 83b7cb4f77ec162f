/** Raw mails for tests, and how to parse one. */
import type { ParsedMail } from "@mailroom/domain"
import { MimeParser } from "@mailroom/engine"
import { Effect } from "effect"

/** Lines joined with CRLF, as Latin-1 bytes. */
export const raw = (...lines: ReadonlyArray<string>): Uint8Array => Buffer.from(lines.join("\r\n"), "latin1")

/** UTF-8 bytes as Latin-1 characters, for `raw`. */
export const utf8 = (text: string): string => Buffer.from(text).toString("latin1")

export const multipart = (type: string, ...parts: ReadonlyArray<ReadonlyArray<string>>): Uint8Array =>
  raw(
    "From: ada@example.org",
    "MIME-Version: 1.0",
    `Content-Type: multipart/${type}; boundary="b"`,
    "",
    ...parts.flatMap((part) => ["--b", ...part]),
    "--b--",
    "",
  )

/** Parses one mail. */
export const parsed = (raw: Uint8Array): Effect.Effect<ParsedMail, never, MimeParser> =>
  Effect.flatMap(MimeParser, ({ parse }) =>
    Effect.flatMap(parse([raw]), ([mail]) =>
      mail === undefined ? Effect.dieMessage("the parser gave no answer") : Effect.succeed(mail),
    ),
  )
