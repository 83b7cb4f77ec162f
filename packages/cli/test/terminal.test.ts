/** Text of strangers, tables and command lines. */
import { describe, expect, it } from "vitest"
import { normalized } from "../src/argv.js"
import { pastInstant, sizeText } from "../src/format.js"
import { safeJson, safeLine, safeText } from "../src/terminal/safeText.js"
import { tableLines } from "../src/terminal/table.js"
import { cut, widthOf } from "../src/terminal/width.js"

describe("text of strangers", () => {
  it("has no control characters, and no characters that turn the direction of writing", () => {
    const hostile = "a\u001b[2Jb\u009b31mc\u0007d\u0008e\u007ff\u202eg\u2066h\u{e0041}i"
    expect(safeLine(hostile)).toBe("a[2Jb31mcdefghi")
    expect(safeText(`${hostile}\r\nx\ty\rz`)).toBe("a[2Jb31mcdefghi\nx\ty\nz")
    expect(safeLine("one\r\ntwo\u2028three\u0085four")).toBe("one two three four")
  })

  it("is the same JSON, with every character that a terminal obeys escaped", () => {
    const hostile = { text: "\u001b]0;x\u0007\u009b2J\u202e\u2028\u007f" }
    const json = safeJson(hostile)
    expect(json).toMatch(/^[\u0020-\u007e]+$/)
    expect(JSON.parse(json)).toEqual(hostile)
  })
})

describe("tables", () => {
  const columns = [
    { title: "ID", value: ({ id }: { id: string }) => id },
    { title: "SUBJECT", value: ({ subject }: { subject: string }) => subject, shrinks: true },
    { title: "END", value: () => "|" },
  ]
  const rows = [
    { id: "1", subject: "plain" },
    { id: "2", subject: "漢字かな交じり文のとても長い件名です" },
    { id: "3", subject: "👩‍👩‍👧 e\u0301te\u0301" },
    { id: "4", subject: "שלום עולם" },
  ]

  it("keep their columns in line for wide, combined and right-to-left characters, within the terminal", () => {
    const lines = tableLines(rows, columns, { isTerminal: true, width: 30, bold: (text) => text })
    const plain = lines.map((line) => line.replaceAll(/[\u2068\u2069]/g, ""))
    for (const line of plain) expect(widthOf(line)).toBeLessThanOrEqual(30)
    const ends = plain.slice(1).map((line) => widthOf(line.slice(0, line.indexOf("|"))))
    expect(new Set(ends).size).toBe(1)
    expect(lines[2]).toContain("…")
    expect(lines[4]).toContain("\u2068שלום עולם\u2069")
  })

  it("are lines with tabs for programs, with nothing cut", () => {
    const lines = tableLines(rows, columns, { isTerminal: false, width: 10, bold: (text) => text })
    expect(lines).toEqual(rows.map(({ id, subject }) => `${id}\t${subject}\t|`))
  })

  it("count wide characters as two columns", () => {
    expect(widthOf("a漢👍é")).toBe(6)
    expect(cut("漢漢漢", 5)).toBe("漢漢…")
    expect(cut("漢漢漢", 6)).toBe("漢漢漢")
  })
})

describe("command lines", () => {
  it("have an argument with one - at its start, and those after it, behind --", () => {
    expect(normalized(["search", "-is:read", "--limit", "-1", "x", "-h", "--json"])).toEqual([
      "search",
      "--limit",
      "-1",
      "-h",
      "--json",
      "--",
      "-is:read",
      "x",
    ])
    expect(normalized(["search", "-a", "--limit=1", "--", "--b"])).toEqual([
      "search",
      "--limit",
      "1",
      "--",
      "-a",
      "--b",
    ])
    expect(normalized(["send", "--subject", "-x", "--text", "-"])).toEqual([
      "send",
      "--subject",
      "-x",
      "--text",
      "-",
    ])
  })

  it("may write --name=value anywhere, and values may look like options", () => {
    expect(normalized(["read", "m", "--format=raw", "--json", "--mailbox=a=b"])).toEqual([
      "read",
      "m",
      "--format",
      "raw",
      "--json",
      "--mailbox",
      "a=b",
    ])
    expect(normalized(["send", "--text", "--to=x", "--to=a", "--", "--to=b"])).toEqual([
      "send",
      "--text",
      "--to=x",
      "--to",
      "a",
      "--",
      "--to=b",
    ])
    expect(normalized(["send", "--text=one\ntwo"])).toEqual(["send", "--text", "one\ntwo"])
  })

  it("name times as ISO 8601 or so long ago", () => {
    expect(pastInstant("5m", 1_000_000)).toMatchObject({ value: 700_000 })
    expect(pastInstant("1970-01-01T00:00:01Z", 5)).toMatchObject({ value: 1000 })
    expect(pastInstant("yesterday", 5)).toMatchObject({ _tag: "None" })
  })

  it("show sizes in units of a thousand", () => {
    expect([0, 999, 1500, 26_214_400].map(sizeText)).toEqual(["0 B", "999 B", "1.5 kB", "26.2 MB"])
  })
})
