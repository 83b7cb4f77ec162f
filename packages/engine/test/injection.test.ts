/** Values of a send cannot inject header fields, recipients or parts (`spec: decisions.body.line-breaks`). */
import { describe, expect } from "@effect/vitest"
import { type SendBody } from "@mailroom/domain"
import { Engine, Mailboxes, Sending } from "@mailroom/engine"
import { Effect } from "effect"
import { rule } from "./support/mailroom.js"
import { anyReturnPath, lastMailTo } from "./support/outbox.js"
import { as, type Owner, paying } from "./support/owners.js"
import { listed } from "./support/reading.js"
import { aBody, RECIPIENT, send } from "./support/sends.js"

const name = (owner: Owner, displayName: string) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    yield* mailboxes.update(yield* as(owner), owner.mailboxId, { displayName, status: undefined })
  })

describe("a value with header or MIME syntax", () => {
  const evil =
    'x\r\nBcc: eve@evil.org\r\n\r\n<eve@evil.org>, "quoted" =?utf-8?q?=0D=0ABcc=3A_eve=40evil.org?='
  const bodies: ReadonlyArray<readonly [string, Partial<SendBody>]> = [
    ["the subject", { subject: evil }],
    ["a custom header", { headers: { "X-Custom-Run": evil } }],
    [
      "a file name",
      { attachments: [{ filename: evil, contentType: "text/plain", content: Buffer.from("hi") }] },
    ],
    ["an In-Reply-To", { inReplyTo: `<${evil}>` }],
    ["the text", { bodyText: `.\r\n${evil}\r\n.\r\nMAIL FROM:<eve@evil.org>\r\n` }],
  ]

  for (const [where, body] of bodies)
    rule(
      `adds no recipient and no header from ${where}`,
      Effect.gen(function* () {
        const owner = yield* paying()
        const sending = yield* Sending
        yield* sending.send(yield* as(owner), owner.mailboxId, aBody(body))
        const { envelope, mail } = yield* lastMailTo(RECIPIENT)
        expect(envelope).toMatchObject({ from: anyReturnPath(owner), to: [RECIPIENT] })
        expect(mail.headers).not.toHaveProperty("bcc")
        expect(mail.to).toMatchObject([{ address: RECIPIENT }])
        expect(mail.from?.address).toBe(owner.address)
      }),
    )

  rule(
    "in a display name adds no sender and no header field",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* name(owner, evil)
      yield* send(owner)
      const { envelope, mail } = yield* lastMailTo(RECIPIENT)
      expect(envelope).toMatchObject({ from: anyReturnPath(owner), to: [RECIPIENT] })
      expect(mail.headers).not.toHaveProperty("bcc")
      expect(mail.from?.address).toBe(owner.address)
    }),
  )

  rule(
    "stays text in mail to a mailbox inside",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      yield* send(owner, { to: [other.address], subject: evil })
      yield* Engine.settle
      const [message] = yield* listed(other)
      expect(message).toMatchObject({ toAddresses: [other.address], ccAddresses: [], bccAddresses: [] })
    }),
  )
})
