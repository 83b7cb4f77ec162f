/** Hostile bodies: large, deep, endless, and of the wrong kind. */
import * as FastCheck from "effect/FastCheck"

export interface StrangeBody {
  /** what it is, for a failed test */
  readonly name: string
  readonly contentType: string
  readonly bytes: Buffer
}

/** `prefix`, as many `unit`s as fit into `size` bytes, and `suffix`. */
const filled = (size: number, prefix: string, unit: string, suffix: string): Buffer => {
  const one = Buffer.from(unit)
  const count = Math.max(1, Math.floor((size - prefix.length - suffix.length) / one.length))
  return Buffer.concat([Buffer.from(prefix), Buffer.alloc(count * one.length, one), Buffer.from(suffix)])
}

const JSON_TYPE = "application/json"
const FORM_TYPE = "application/x-www-form-urlencoded"
const FILES_TYPE = "multipart/form-data; boundary=b"

const part = (headers: string): string =>
  `--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n${headers}\r\nx\r\n`

/** name, type, prefix, repeated unit, suffix */
const shapes: ReadonlyArray<readonly [string, string, string, string, string]> = [
  ["a list of objects", JSON_TYPE, "[", "{},", "{}]"],
  ["opening brackets", JSON_TYPE, "", "[", ""],
  ["opening objects", JSON_TYPE, "", '{"a":', ""],
  ["many names", JSON_TYPE, "{", '"abc":1,', '"z":1}'],
  ["one name again and again", JSON_TYPE, "{", '"to":[],', '"to":[]}'],
  ["prototypes", JSON_TYPE, "{", '"__proto__":{"a":1},', '"a":1}'],
  ["many headers", JSON_TYPE, '{"headers":{', '"x-custom-a":"y",', '"z":"y"}}'],
  ["many recipients", JSON_TYPE, '{"to":[', '"a@b.c",', '"a@b.c"]}'],
  ["many attachments", JSON_TYPE, '{"attachments":[', '{"filename":1},', "7]}"],
  ["a long text for a list", JSON_TYPE, '{"to":"', "x", '"}'],
  ["a long address", JSON_TYPE, '{"email":"', "a", '@b.c"}'],
  ["a long text that is taken", JSON_TYPE, '{"bodyText":"', "漢", '"}'],
  ["escaped quotes", JSON_TYPE, '{"subject":"', '\\"', '"}'],
  ["lone surrogates", JSON_TYPE, '{"bodyText":"', "\\ud800", '"}'],
  ["a number without end", JSON_TYPE, '{"to":', "9", "}"],
  ["blanks", JSON_TYPE, "{", " ", "}"],
  ["commas", JSON_TYPE, "", ",", ""],
  ["what is no text", JSON_TYPE, "\u00ff", "\u0000", ""],
  ["a form of many fields", FORM_TYPE, "", "a=1&", ""],
  ["a form of one field", FORM_TYPE, "token=", "%41", ""],
  ["many parts", FILES_TYPE, "", part(""), "--b--\r\n"],
  ["parts with long headers", FILES_TYPE, "", part(`X-A: ${"y".repeat(7000)}\r\n`), "--b--\r\n"],
  ["a part with endless headers", FILES_TYPE, "--b\r\n", "X-A: y\r\n", ""],
  ["almost boundaries", FILES_TYPE, "", "\r\n--", ""],
  ["a picture", "image/png", "", "\u0089PNG", ""],
]

/** One of the shapes, of about so many bytes. */
export const strangeBody = (shape: number, size: number): StrangeBody => {
  const [name, contentType, prefix, unit, suffix] = shapes[shape % shapes.length] ?? ["", "", "", "", ""]
  return { name: `${name}, ${size} bytes`, contentType, bytes: filled(size, prefix, unit, suffix) }
}

export const SHAPES = shapes.length

const KB = 1024

/** Bodies of up to 1 MB: a shape, or any JSON value. */
export const anyStrangeBody: FastCheck.Arbitrary<StrangeBody> = FastCheck.oneof(
  FastCheck.tuple(
    FastCheck.nat(SHAPES - 1),
    FastCheck.constantFrom(10, 1 * KB, 15 * KB, 60 * KB, 300 * KB, 1024 * KB),
  ).map(([shape, size]) => strangeBody(shape, size)),
  FastCheck.json({ noUnicodeString: false, maxDepth: 40 }).map((text) => ({
    name: text.slice(0, 200),
    contentType: JSON_TYPE,
    bytes: Buffer.from(text),
  })),
)
