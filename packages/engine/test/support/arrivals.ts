/** Mail from outside. */
import { Engine, type Envelope, MailSpool } from "@mailroom/engine"
import { Clock, Effect } from "effect"
import { putDns } from "./domains.js"

export const SENDER = "ada@elsewhere.org"

interface MailFile {
  readonly name: string
  readonly bytes: Uint8Array
}

export interface MailText {
  readonly from?: string
  readonly to?: string
  readonly subject?: string
  /** with angle brackets; null for a mail without one */
  readonly id?: string | null
  readonly inReplyTo?: string
  readonly references?: ReadonlyArray<string>
  readonly text?: string
  /** more header lines */
  readonly headers?: ReadonlyArray<string>
  readonly files?: ReadonlyArray<MailFile>
}

const part = ({ name, bytes }: MailFile): ReadonlyArray<string> => [
  "--edge",
  "Content-Type: application/octet-stream",
  "Content-Transfer-Encoding: base64",
  `Content-Disposition: attachment; filename="${name}"`,
  "",
  ...(Buffer.from(bytes)
    .toString("base64")
    .match(/.{1,76}/g) ?? [""]),
]

/** An RFC 5322 message. */
export const aMail = (mail: MailText = {}): Uint8Array => {
  const { files = [], text = "Hello." } = mail
  const head = [
    ...(mail.headers ?? []),
    `From: ${mail.from ?? SENDER}`,
    `To: ${mail.to ?? "agent@acme.mailroom.localhost"}`,
    `Subject: ${mail.subject ?? "Hello"}`,
    ...(typeof mail.id === "string" ? [`Message-ID: ${mail.id}`] : []),
    ...(mail.inReplyTo === undefined ? [] : [`In-Reply-To: ${mail.inReplyTo}`]),
    ...(mail.references === undefined ? [] : [`References: ${mail.references.join(" ")}`]),
    "MIME-Version: 1.0",
  ]
  const body =
    files.length === 0
      ? ["Content-Type: text/plain; charset=utf-8", "", text]
      : [
          'Content-Type: multipart/mixed; boundary="edge"',
          "",
          "--edge",
          "Content-Type: text/plain; charset=utf-8",
          "",
          text,
          ...files.flatMap(part),
          "--edge--",
          "",
        ]
  return Buffer.from([...head, ...body].join("\r\n"))
}

export const envelopeTo = (to: ReadonlyArray<string>, receivedAt: number, from = SENDER): Envelope => ({
  from,
  to,
  remoteAddress: "203.0.113.9",
  helo: "mail.elsewhere.org",
  tls: true,
  receivedAt,
})

/** Publishes that the client of `envelopeTo` may send for the domain of `SENDER`. */
export const proveSender = putDns("elsewhere.org", { txt: ["v=spf1 ip4:203.0.113.9 -all"] })

/** Accepts a mail into the queue. */
export const accepted = (to: string | ReadonlyArray<string>, raw: Uint8Array, from = SENDER) =>
  Effect.gen(function* () {
    const spool = yield* MailSpool
    const now = yield* Clock.currentTimeMillis
    const envelope = envelopeTo(typeof to === "string" ? [to] : to, now, from)
    yield* spool.accept([{ envelope, content: { kind: "inline", bytes: raw } }])
  })

/** Accepts a mail and delivers it. */
export const received = (to: string | ReadonlyArray<string>, mail: MailText = {}) =>
  Effect.zipRight(accepted(to, aMail(mail)), Engine.settle)

/** `count` mails, each with a Message-ID and a subject of its own: `Mail 1`, `Mail 2`, … */
export const receivedMany = (to: string, count: number, name = "Mail") =>
  Effect.zipRight(
    Effect.forEach(
      Array.from({ length: count }, (_, index) => `${name} ${index + 1}`),
      (subject) => accepted(to, aMail({ subject, id: `<${subject.replace(" ", "-")}@elsewhere.org>` })),
      { concurrency: "unbounded", discard: true },
    ),
    Engine.settle,
  )
