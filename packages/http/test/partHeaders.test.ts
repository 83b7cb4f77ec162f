/** The headers of a part of a form (RFC 7578 §4; WHATWG HTML, multipart/form-data). */
import { describe, expect, it } from "@effect/vitest"
import { Option } from "effect"
import { readPartHeaders } from "../src/bodies/partHeaders.js"

const read = (disposition: string, more = "") =>
  Option.getOrNull(readPartHeaders(`Content-Disposition: ${disposition}\r\n${more}`))

describe("the headers of a part", () => {
  it("name a field", () => {
    expect(read('form-data; name="file"')).toEqual({
      name: "file",
      filename: null,
      contentType: null,
    })
  })

  it("name a file in any script, in every way that clients write it", () => {
    for (const [written, filename] of [
      ['filename="漢 字.txt"', "漢 字.txt"],
      ["filename=plain.txt", "plain.txt"],
      ['filename="a%22b.txt"', 'a"b.txt'],
      ['filename="a\\"b.txt"', 'a"b.txt'],
      ['filename="C:\\dir\\x.txt"', "C:\\dir\\x.txt"],
      ['filename="a;b=c.txt"', "a;b=c.txt"],
      ["filename=\"x\"; filename*=UTF-8''%e6%bc%a2.txt", "漢.txt"],
      ['filename=""', ""],
      ["filename=\"x.txt\"; filename*=UTF-8''%zz", "x.txt"],
      ["filename*=latin1''a", ""],
    ] as const)
      expect([written, read(`form-data; name="file"; ${written}`)?.filename]).toEqual([written, filename])
  })

  it("tell the type, without parameters", () => {
    const typed = read('form-data; name="file"; filename="a"', "content-type: Text/CSV; charset=utf-8\r\n")
    expect(typed?.contentType).toBe("text/csv")
    expect(read('form-data; name="file"; filename="a"')?.contentType).toBeNull()
  })

  it("are malformed without a name or without a colon", () => {
    for (const disposition of [
      "",
      "attachment",
      "form-data",
      'form-dataname="a"',
      'form-data; filename="a"',
      'form-data; name="a',
    ])
      expect([disposition, read(disposition)]).toEqual([disposition, null])
    expect(Option.isNone(readPartHeaders("(no)"))).toBe(true)
    expect(Option.isNone(readPartHeaders(""))).toBe(true)
  })

  it("cost what their bytes cost", () => {
    for (const strange of [
      '; a="'.repeat(1600),
      `; name="${"\\".repeat(8000)}`,
      ";".repeat(8000),
      "=".repeat(8000),
    ])
      expect(read(`form-data${strange}`)).toBeNull()
  })
})
