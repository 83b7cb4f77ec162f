/** The text inside attachments (`spec: attachments.text.200`, docs/decisions/0063). */
import { describe, expect } from "@effect/vitest"
import { DOCUMENTS_WAITING_PER_ACCOUNT, NoText } from "@mailroom/domain"
import { Attachments, AttachmentText, AttachmentTexts, type Document } from "@mailroom/engine"
import { Effect, Either, Fiber, Layer, Queue } from "effect"
import { rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, unverified } from "./support/owners.js"
import { refused } from "./support/refused.js"
import { upload } from "./support/sends.js"

const whole = { offset: 0, maxChars: 1000 }

const textIn = (owner: Owner, id: Effect.Effect.Success<ReturnType<typeof upload>>) =>
  Effect.gen(function* () {
    const texts = yield* AttachmentTexts
    return yield* texts.read(yield* as(owner), id, whole)
  })

const uploaded = (owner: Owner, name: string) => upload(owner, name, Buffer.from(name))

/** A reader that waits for permission before it returns the name of each file; it refuses `none`. */
const slowReader = () => {
  const begun: Array<string> = []
  const mayEnd = Effect.runSync(Queue.unbounded<void>())
  const read = ({ filename }: Document) =>
    Effect.gen(function* () {
      begun.push(filename)
      yield* Queue.take(mayEnd)
      if (filename === "none") return yield* new NoText({ isEmpty: false })
      return { kind: "text", text: filename, truncated: false } as const
    })
  return { begun, mayEnd, layer: Layer.succeed(AttachmentText, { read }) }
}

describe("the text inside an attachment", () => {
  rule(
    "is hidden from other accounts",
    Effect.gen(function* () {
      const [owner, other] = [yield* unverified("one"), yield* unverified("two")]
      const id = yield* uploaded(owner, "a.txt")
      expect(yield* textIn(owner, id)).toEqual({
        text: "a.txt",
        offset: 0,
        nextOffset: null,
        total: 5,
        kind: "text",
      })
      expect(yield* refused(textIn(other, id))).toMatchObject({ _tag: "NotFound", resource: "attachment" })
      const attachments = yield* Attachments
      yield* attachments.remove(yield* as(owner), id)
      expect(yield* refused(textIn(owner, id))).toMatchObject({ _tag: "NotFound" })
    }),
  )

  const once = slowReader()
  ruleWith(once.layer)(
    "is read once for requests that come together; a failure is not kept",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const [id, none] = [yield* uploaded(owner, "a"), yield* uploaded(owner, "none")]
      yield* Queue.offerAll(once.mayEnd, [undefined, undefined, undefined])
      const read = yield* Effect.all([textIn(owner, id), textIn(owner, id)], { concurrency: "unbounded" })
      expect(read.map(({ text }) => text)).toEqual(["a", "a"])
      expect(once.begun).toEqual(["a"])
      expect(yield* refused(textIn(owner, none))).toMatchObject({ _tag: "NoText" })
      expect(yield* refused(textIn(owner, none))).toMatchObject({ _tag: "NoText" })
      expect(once.begun).toEqual(["a", "none", "none"])
    }),
  )

  const fair = slowReader()
  ruleWith(fair.layer)(
    "of one account is read file by file, so that another account does not wait; too many requests are refused",
    Effect.gen(function* () {
      const [flooding, quiet] = [yield* unverified("one"), yield* unverified("two")]
      const names = Array.from({ length: DOCUMENTS_WAITING_PER_ACCOUNT + 3 }, (_, index) => `flood ${index}`)
      const files = yield* Effect.forEach(names, (name) => uploaded(flooding, name))
      const own = yield* uploaded(quiet, "quiet")
      const flood = yield* Effect.forEach(files, (id) => Effect.fork(Effect.either(textIn(flooding, id))))
      yield* Effect.yieldNow()
      const alone = yield* Effect.fork(textIn(quiet, own))
      yield* Queue.offer(fair.mayEnd, undefined).pipe(Effect.replicateEffect(names.length + 1))
      expect((yield* Fiber.join(alone)).text).toBe("quiet")
      const outcomes = yield* Effect.forEach(flood, Fiber.join)
      expect(outcomes.filter(Either.isRight)).toHaveLength(DOCUMENTS_WAITING_PER_ACCOUNT + 1)
      expect(outcomes.find(Either.isLeft)).toMatchObject({ left: { _tag: "Overloaded", retryAfter: 5 } })
      expect(fair.begun.indexOf("quiet")).toBeLessThan(3)
    }),
  )
})
