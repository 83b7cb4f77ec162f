/** Raw mails for tests. */

/** Lines joined with CRLF, as Latin-1 bytes. */
export const raw = (...lines: ReadonlyArray<string>): Uint8Array => Buffer.from(lines.join("\r\n"), "latin1")

/** UTF-8 bytes as Latin-1 characters, to be put into `raw`. */
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
