/** Drafts to compose, and their composed mails parsed again. */
import type { ParsedMail } from "@mailroom/domain"
import { bytesIn, type MailDraft, MimeComposer } from "@mailroom/engine"
import { parseMail } from "@mailroom/mail/parsing/parseMail"
import { Effect } from "effect"

export const draft: MailDraft = {
  messageId: "<1@mailroom.test>",
  date: Date.UTC(2026, 10, 20, 12, 0, 0),
  from: { address: "agent@mailroom.test", name: "Agent" },
  to: ["ada@example.org"],
  cc: [],
  replyTo: [],
  subject: "Hello",
  text: "Hello, Ada.",
  html: null,
  calendar: null,
  inReplyTo: null,
  references: [],
  headers: {},
  autoSubmitted: null,
  listUnsubscribe: null,
  attachments: [],
}

export const aFile = (
  over: Partial<MailDraft["attachments"][number]> = {},
): MailDraft["attachments"][number] => ({
  filename: "a.txt",
  contentType: "text/csv",
  contentId: null,
  bytes: Buffer.from("x"),
  ...over,
})

export const compose = (changes: Partial<MailDraft>) =>
  Effect.flatMap(MimeComposer, ({ compose }) => compose({ ...draft, ...changes }))

/** The files of a mail with their bytes, inline or in the mail. */
export const filesOf = (raw: Uint8Array, mail: ParsedMail) =>
  mail.attachments.map(({ filename, contentType, contentId, content }) => ({
    filename,
    contentType,
    contentId,
    bytes: bytesIn(raw, content),
  }))

/** Composes a draft and parses the mail. */
export const roundTrip = (changes: Partial<MailDraft>) =>
  Effect.flatMap(compose(changes), (raw) =>
    Effect.map(
      Effect.promise(() => parseMail(raw)),
      (mail) => ({ ...mail, files: filesOf(raw, mail) }),
    ),
  )

export const textOf = (raw: Uint8Array) => Buffer.from(raw).toString("latin1")
