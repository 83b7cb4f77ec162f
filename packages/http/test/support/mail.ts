/** Mail that arrives, as an SMTP receiver hands it over. */
import { DeliveryWorker, Engine, MailSpool } from "@mailroom/engine"
import { Clock, Effect } from "effect"

const encoder = new TextEncoder()
let sent = 0

export interface Incoming {
  readonly from?: string
  readonly subject?: string
  readonly text?: string
  /** instead of the text */
  readonly html?: string
  readonly attachment?: {
    readonly filename: string
    readonly type: string
    /** as it stands in the mail */
    readonly content: string
    /** how it is encoded there. Default 7bit */
    readonly encoding?: "base64"
  }
}

const compose = (to: string, { from, subject, text, html, attachment }: Incoming): Uint8Array => {
  const head = [
    `Message-ID: <in-${sent++}@sender.dev>`,
    `From: Bob <${from ?? "bob@sender.dev"}>`,
    `To: ${to}`,
    `Subject: ${subject ?? "Hello"}`,
    "MIME-Version: 1.0",
  ]
  const type = html === undefined ? "text/plain" : "text/html"
  const plain = [`Content-Type: ${type}; charset=utf-8`, "", html ?? text ?? "How are you?"]
  const lines =
    attachment === undefined
      ? [...head, ...plain]
      : [
          ...head,
          'Content-Type: multipart/mixed; boundary="cut"',
          "",
          "--cut",
          ...plain,
          "--cut",
          `Content-Type: ${attachment.type}`,
          `Content-Disposition: attachment; filename="${attachment.filename}"`,
          `Content-Transfer-Encoding: ${attachment.encoding ?? "7bit"}`,
          "",
          attachment.content,
          "--cut--",
        ]
  return encoder.encode(`${lines.join("\r\n")}\r\n`)
}

/** Delivers accepted mail, and leaves other background work alone. */
export const deliverOnly = Effect.flatMap(DeliveryWorker, ({ drain }) =>
  Effect.repeat(drain, { until: (delivered) => delivered === 0 }),
)

/** Accepted and delivered. */
export const receive = Effect.fn(function* (
  to: string,
  mails: ReadonlyArray<Incoming> = [{}],
  deliver: typeof Engine.settle | typeof deliverOnly = Engine.settle,
) {
  const { accept } = yield* MailSpool
  const receivedAt = yield* Clock.currentTimeMillis
  for (const mail of mails) {
    const envelope = {
      from: mail.from ?? "bob@sender.dev",
      to: [to],
      remoteAddress: "192.0.2.1",
      helo: "mx.sender.dev",
      tls: true,
      receivedAt,
    }
    yield* accept([{ envelope, content: { kind: "inline", bytes: compose(to, mail) } }])
  }
  yield* deliver
})

/** So many mails that tell nothing apart but their number. */
export const mails = (count: number): ReadonlyArray<Incoming> =>
  Array.from({ length: count }, (_, index) => ({ subject: `Mail ${index + 1}` }))
