/** No value of a draft or an envelope becomes structure: checked in the bytes that a relay receives. */
import { MINUTE } from "@mailroom/domain"
import { NodemailerComposer, SmtpRelay } from "@mailroom/mail"
import { parseMail } from "@mailroom/mail/parsing/parseMail"
import { type MailDraft, type OutboundEnvelope, OutboundMail } from "@mailroom/engine"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { aFile, compose } from "./support/drafts.js"
import { scriptedRelay } from "./support/scriptedRelay.js"

/** Line ends of some reader or server, each with text after it that could do harm. */
const breaks = ["\r\n", "\n", "\r", "\0", "\u2028", "\u2029", "\u0085", "\v", "\f"]
const smuggled = [
  "\tX-Evil: folded",
  ".\r\nMAIL FROM:<evil@x.test>\r\nRCPT TO:<evil@x.test>",
  "RCPT TO:<evil@x.test>",
  "--b\r\nContent-Type: text/html\r\n\r\n<p>evil</p>",
]
const poisons = [
  ...breaks.map((end) => `${end}Bcc: evil@x.test`),
  ...smuggled.map((text) => `\r\n${text}`),
  "\r\n\r\n<p>evil</p>",
  "=?utf-8?q?=0D=0ABcc:_evil=40x.test?=",
  "=?utf-8?b?DQpCY2M6IGV2aWxAeC50ZXN0?=",
  "> <evil@x.test",
  ">, <evil@x.test",
  '" <evil@x.test>, "',
  '"; filename="evil.exe',
  "\r\n.\r\n",
  "\n.\n",
  "\r.\r",
]

/** A draft with such text in every string. */
const everywhere = (poison: string): Partial<MailDraft> => ({
  subject: `x${poison}`,
  from: { address: `agent@mailroom.test${poison}`, name: `x${poison}` },
  to: [`ada@example.org${poison}`],
  cc: [`cc${poison}@example.org`],
  replyTo: [`reply@example.org${poison}`],
  messageId: `<1@x${poison}>`,
  inReplyTo: `<1@x${poison}>`,
  references: [`<1@x${poison}>`, "<2@x>"],
  headers: { [`X-Custom-A${poison}`]: "x", "X-Custom-B": `x${poison}` },
  listUnsubscribe: { mailto: `u@x.test${poison}`, url: `https://x.test/${poison}` },
  text: `x${poison}`,
  attachments: [
    aFile({
      filename: `a${poison}.txt`,
      contentType: `text/csv${poison}`,
      contentId: `x${poison}`,
      bytes: Buffer.from(`x${poison}`),
    }),
  ],
})

const drafts: Readonly<Record<string, (poison: string) => Partial<MailDraft>>> = {
  "with a text": everywhere,
  "with text and HTML that shows an image": (poison) => ({
    ...everywhere(poison),
    html: `<img src="cid:x${poison}">${poison}`,
    attachments: [aFile({ filename: `a${poison}`, contentId: `x${poison}`, contentType: "image/png" })],
  }),
  "with HTML alone": (poison) => ({ text: null, html: `x${poison}` }),
}

const envelope: OutboundEnvelope = { from: "agent@mailroom.test", to: ["ada@example.org"], envelopeId: "1" }

const commands = [
  "MAIL FROM:<agent@mailroom.test> BODY RET=HDRS ENVID=1",
  "RCPT TO:<ada@example.org> NOTIFY=SUCCESS,FAILURE,DELAY ORCPT=rfc822;ada@example.org",
  "DATA",
]

/** The field names of a header, in lower case and sorted; a line that is no field, as it is. */
const fieldsOf = (message: string): ReadonlyArray<string> =>
  (message.split("\r\n\r\n", 1)[0] ?? "")
    .split("\r\n")
    .filter((line) => !/^[ \t]+\S/.test(line))
    .map((line) => /^([!-9;-~]+):/.exec(line)?.[1]?.toLowerCase() ?? line)
    .toSorted()

const usual = ["date", "from", "message-id", "mime-version", "subject", "to"]
const optional = (
  "cc reply-to in-reply-to references content-type content-transfer-encoding x-custom-b " +
  "list-unsubscribe list-unsubscribe-post"
).split(" ")

/** A custom name is still a valid field name. */
const isKnown = (name: string): boolean =>
  usual.includes(name) || optional.includes(name) || /^x-custom-a[!-9;-~]*$/.test(name)

const heard = Effect.fnUntraced(function* (mails: ReadonlyArray<readonly [OutboundEnvelope, Uint8Array]>) {
  const relay = yield* scriptedRelay(() => undefined, ["PIPELINING", "8BITMIME", "SMTPUTF8", "DSN"])
  const outcomes = yield* Effect.flatMap(OutboundMail, ({ send }) =>
    Effect.forEach(mails, ([given, raw]) => Effect.either(send(given, raw, MINUTE))),
  ).pipe(Effect.provide(SmtpRelay.layer({ url: `smtp://127.0.0.1:${relay.port}` })))
  return {
    outcomes,
    lines: relay.lines.filter((line) => !/^(?:EHLO|QUIT)/.test(line)),
    messages: relay.messages,
  }
})

describe("no value of a draft becomes a header field, a recipient, a part or a command", () => {
  for (const [kind, poisoned] of Object.entries(drafts))
    it.scopedLive(kind, () =>
      Effect.gen(function* () {
        const mails = yield* Effect.forEach(poisons, (poison) =>
          Effect.map(compose(poisoned(poison)), (raw) => [envelope, raw] as const),
        )
        const { lines, messages } = yield* heard(mails)
        expect(messages).toHaveLength(poisons.length)
        expect(
          new Set(lines.map((line) => line.replace("BODY=8BITMIME", "BODY").replace("> RET", "> BODY RET"))),
        ).toEqual(new Set(commands))
        for (const [index, message] of messages.entries()) {
          const why = JSON.stringify(poisons[index])
          const unstuffed = message.replace(/^\./gm, "")
          expect(unstuffed.replaceAll("\r\n", ""), why).not.toMatch(/[\r\n\0]/)
          const fields = fieldsOf(unstuffed)
          expect(
            fields.filter((name) => usual.includes(name)),
            why,
          ).toEqual(usual)
          expect(
            fields.filter((name) => !isKnown(name)),
            why,
          ).toEqual([])
          expect(new Set(fields).size, why).toBe(fields.length)
          const mail = yield* Effect.promise(() => parseMail(Buffer.from(unstuffed, "latin1")))
          expect(mail.defect, why).toBeNull()
          expect(
            [...mail.to, ...mail.cc, ...mail.replyTo].map(({ address }) => address),
            why,
          ).not.toContain("evil@x.test")
          expect(mail.to.length + mail.cc.length, why).toBeLessThanOrEqual(2)
          expect(mail.attachments, why).toHaveLength(kind === "with HTML alone" ? 0 : 1)
          if (!kind.includes("HTML")) expect(mail.html, why).toBeNull()
        }
      }).pipe(Effect.provide(NodemailerComposer.layer)),
    )
})

describe("no address of an envelope becomes a parameter, a recipient or a command", () => {
  const raw = Buffer.from("Subject: x\r\n\r\nhello\r\n")
  const addresses = [
    ...poisons,
    "> NOTIFY=NEVER",
    "> SIZE=1",
    ">\r\nRCPT TO:<evil@x.test",
    "<",
    " evil@x.test",
  ]
  const envelopes: Readonly<Record<string, (poison: string) => OutboundEnvelope>> = {
    "the return path": (poison) => ({ ...envelope, from: `agent@mailroom.test${poison}` }),
    "a recipient": (poison) => ({ ...envelope, to: [`ada@example.org${poison}`] }),
    "the id": (poison) => ({ ...envelope, envelopeId: `1${poison}` }),
  }
  for (const [field, poisoned] of Object.entries(envelopes))
    it.scopedLive(`in ${field}`, () =>
      Effect.gen(function* () {
        const { lines } = yield* heard(addresses.map((poison) => [poisoned(poison), raw] as const))
        const given = lines.filter((line) => line !== "DATA")
        for (const line of given)
          expect(line).toMatch(
            /^(?:MAIL FROM:<agent@mailroom\.test[!-;=?-~]*>(?: BODY=8BITMIME)?(?: SMTPUTF8)? RET=HDRS ENVID=1[!-~]*|RCPT TO:<ada@example\.org[!-;=?-~]*> NOTIFY=SUCCESS,FAILURE,DELAY(?: ORCPT=rfc822;ada@example\.org[!-~]*)?)$/,
          )
        expect(given.filter((line) => line.startsWith("RCPT")).length * 2).toBe(given.length)
      }),
    )
})
