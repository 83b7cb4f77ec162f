/** Hostile mails. */
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
  "depth 900, never closed": () =>
    raw(
      ...header,
      'Content-Type: multipart/mixed; boundary="b0"',
      "",
      ...deep(900),
      ...Array.from({ length: 900 }, (_, n) => `--b${900 - n - 1}`),
    ),
  "100,000 boundary lines with much space": () =>
    raw(
      ...header,
      "Content-Type: multipart/mixed; boundary=b",
      "",
      `--b${" ".repeat(80)}\r\n`.repeat(100_000),
    ),
  "a megabyte of dashes": () =>
    raw(
      ...header,
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--".repeat(500_000),
      "--\r\n".repeat(100_000),
    ),
  "100,000 Content-Types": () =>
    raw(
      ...header,
      "Content-Type: multipart/mixed; boundary=x\r\n".repeat(100_000).trim(),
      "",
      "--b\r\n".repeat(100_000),
    ),
  "a Content-Type of 900 kB": () =>
    raw(...header, `Content-Type: text/plain ${'charset= name=\t "'.repeat(60_000)}`, "", "body"),
  "a Content-Type of 900 kB of space": () =>
    raw(
      ...header,
      `Content-Type: text/plain;${" ".repeat(450_000)}x;${" , charset".repeat(50_000)}`,
      "",
      "body",
    ),
  "1 MB of flowed lines": () =>
    raw(
      ...header,
      "Content-Type: text/plain; format=flowed; delsp=yes",
      "",
      "> \r\n>> a \r\na \r\n".repeat(60_000),
    ),
  "a flowed line of 1 MB": () =>
    raw(
      ...header,
      "Content-Type: text/plain; format=flowed",
      "",
      ">".repeat(500_000),
      "a \r\n".repeat(120_000),
    ),
  "1,000 texts with names": () =>
    raw(
      ...header,
      "Content-Type: multipart/mixed; boundary=b",
      "",
      `--b\r\nContent-Disposition: inline; filename=a\r\n\r\n${"a".repeat(1000)}\r\n`.repeat(1000),
    ),
  "binary garbage": () => Uint8Array.from({ length: 3_000_000 }, (_, n) => (n * 2_654_435_761) >>> 24),
  nothing: () => new Uint8Array(),
}
