/** Mail from other servers. */
import { Effect } from "effect"
import MailComposer from "nodemailer/lib/mail-composer"

export interface Mail {
  /** MAIL FROM */
  readonly from: string
  /** RCPT TO */
  readonly to: ReadonlyArray<string>
  readonly raw: Uint8Array
}

export interface Draft {
  readonly from?: string
  readonly fromName?: string
  /** in addition to the mailbox */
  readonly to?: ReadonlyArray<string>
  readonly cc?: ReadonlyArray<string>
  readonly replyTo?: string
  readonly subject?: string
  readonly text?: string
  readonly html?: string
  readonly messageId?: string
  readonly inReplyTo?: string
  readonly references?: ReadonlyArray<string>
  readonly headers?: Readonly<Record<string, string>>
  readonly attachments?: ReadonlyArray<{
    readonly filename: string
    readonly contentType: string
    readonly content: string | Uint8Array
    /** of an inline image */
    readonly cid?: string
  }>
  /** MAIL FROM, if other than the author's address; empty for the null return path */
  readonly envelopeFrom?: string
}

export const SENDER = "bob@sender.dev"

/** A mail for one mailbox. */
export const compose = (to: string, draft: Draft = {}): Effect.Effect<Mail> =>
  Effect.promise(async () => {
    const from = draft.from ?? SENDER
    const raw = await new MailComposer({
      from: { name: draft.fromName ?? "Bob", address: from },
      to: [to, ...(draft.to ?? [])],
      cc: [...(draft.cc ?? [])],
      subject: draft.subject ?? "Hello",
      text: draft.text ?? "How are you?",
      ...(draft.html !== undefined && { html: draft.html }),
      ...(draft.replyTo !== undefined && { replyTo: draft.replyTo }),
      ...(draft.messageId !== undefined && { messageId: draft.messageId }),
      ...(draft.inReplyTo !== undefined && { inReplyTo: draft.inReplyTo }),
      references: [...(draft.references ?? [])],
      headers: Object.entries(draft.headers ?? {}).map(([key, value]) => ({ key, value })),
      attachments: (draft.attachments ?? []).map(({ content, ...file }) => ({
        ...file,
        content: typeof content === "string" ? content : Buffer.from(content),
      })),
      newline: "win",
    })
      .compile()
      .build()
    return { from: draft.envelopeFrom ?? from, to: [to], raw: new Uint8Array(raw) }
  })

/** The smallest mail there is, `Mail {number}`. */
export const plainMail = (to: string, number: number): Mail =>
  rawMail(
    to,
    `From: Bob <${SENDER}>`,
    `To: ${to}`,
    `Subject: Mail ${number}`,
    `Message-ID: <mail-${number}@sender.dev>`,
    "",
    "How are you?",
  )

/** A mail from its lines. */
export const rawMail = (to: string, ...lines: ReadonlyArray<string>): Mail => ({
  from: SENDER,
  to: [to],
  raw: new TextEncoder().encode(`${lines.join("\r\n")}\r\n`),
})
