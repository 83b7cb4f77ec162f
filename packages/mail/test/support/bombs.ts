/** Mails made to hurt. */
import { raw } from "./mails.js"

const header = ["From: ada@example.org", "Subject: bomb"]
const deep = (depth: number): ReadonlyArray<string> =>
  Array.from({ length: depth }, (_, n) => [
    `--b${n}`,
    `Content-Type: multipart/mixed; boundary="b${n + 1}"`,
    "",
  ]).flat()

export const bombs: Readonly<Record<string, () => Uint8Array>> = {
  "100,000 parts": () =>
    raw(
      ...header,
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b\r\nContent-Type: application/pdf\r\n\r\nx\r\n".repeat(100_000),
    ),
  "depth 5,000": () => raw(...header, 'Content-Type: multipart/mixed; boundary="b0"', "", ...deep(5_000)),
  "a header of 2 MB": () => raw(...header, `X-Large: ${"a".repeat(2_000_000)}`, "", "body"),
  "200,000 header fields": () => raw(...header, "X-A: b\r\n".repeat(200_000), "body"),
  "a part with a header of 2 MB": () =>
    raw(
      ...header,
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b",
      `X-Large: ${"a".repeat(2_000_000)}`,
      "",
      "body",
      "--b--",
    ),
  "25,000 addresses": () =>
    raw(
      ...header,
      `To: ${Array.from({ length: 25_000 }, (_, n) => `"User ${n}" <user${n}@example.org>`).join(",\r\n ")}`,
      "",
      "body",
    ),
  "60,000 encoded words": () => raw(...header, `X-Words: ${"=?utf-8?q?a?= ".repeat(60_000)}`, "", "body"),
  "5 MB of unclosed tags": () => raw(...header, "Content-Type: text/html", "", "<div><b>".repeat(655_360)),
  "base64 garbage": () =>
    raw(
      ...header,
      "Content-Type: application/pdf",
      "Content-Transfer-Encoding: base64",
      "",
      "!@#$%^&*=".repeat(500_000),
    ),
  "binary garbage": () => Uint8Array.from({ length: 3_000_000 }, (_, n) => (n * 2_654_435_761) >>> 24),
  nothing: () => new Uint8Array(),
}
