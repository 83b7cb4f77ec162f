/** Base64 in a send body: what Effect's own, slower schema takes, and nothing else. */
import { describe, expect, it } from "@effect/vitest"
import { BytesFromBase64 } from "@mailroom/domain/sending/base64"
import { Either, FastCheck, Schema } from "effect"

const decode = Schema.decodeUnknownEither(BytesFromBase64)
const slowly = Schema.decodeUnknownEither(Schema.Uint8ArrayFromBase64)

const expectTheSame = (text: string) => {
  const bytes = Either.map(decode(text), (one) => [...one])
  expect(Either.getRight(bytes)).toEqual(Either.getRight(Either.map(slowly(text), (one) => [...one])))
}

describe("base64", () => {
  it("gives back any bytes", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = Schema.encodeSync(BytesFromBase64)(bytes)
        expect(text).toBe(Buffer.from(bytes).toString("base64"))
        expect(Either.map(decode(text), (one) => [...one])).toEqual(Either.right([...bytes]))
      }),
    )
  })

  it("is told from what is none as Effect's schema does", () => {
    const symbols = ["A", "b", "9", "+", "/", "=", "-", "_", "\r", "\n", " ", "é", "\u0141", "😀", "\0"]
    const texts = FastCheck.array(
      FastCheck.oneof(
        { weight: 4, arbitrary: FastCheck.constantFrom("A", "b", "9", "/") },
        { weight: 1, arbitrary: FastCheck.constantFrom(...symbols) },
      ),
      { maxLength: 12 },
    )
    FastCheck.assert(
      FastCheck.property(texts, (parts) => expectTheSame(parts.join(""))),
      { numRuns: 2000 },
    )
    for (const text of [
      "",
      "=",
      "==",
      "A===",
      "AA==",
      "AAA=",
      "AA=A",
      "AAAA=",
      "AB==CD==",
      "AAAAA",
      "AAA\u0141",
      "AA==\r\n",
      "AA=\n=",
      "A\nAA=",
      "AA==\nAAAA",
    ])
      expectTheSame(text)
  })
})
