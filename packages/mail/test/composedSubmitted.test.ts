/** A submitted mail: the header that the composer writes, the fields that the mail keeps, and its body unchanged. */
import { expect, it } from "@effect/vitest"
import type { MailDraft } from "@mailroom/engine"
import { NodemailerComposer } from "@mailroom/mail"
import { Effect } from "effect"
import { compose as composed, textOf } from "./support/drafts.js"

const compose = (changes: Partial<MailDraft>) =>
  composed({ ...changes, text: null, html: null }).pipe(
    Effect.provide(NodemailerComposer.layer),
    Effect.map(textOf),
  )

const body = Buffer.from("--b\r\n\r\n\xe9  \r\n--b--\r\n", "latin1")

it.effect("has one field of each name, and the body byte for byte", () =>
  Effect.gen(function* () {
    const fields = [
      "Content-Type: multipart/mixed;\r\n boundary=b\r\n",
      'Content-Disposition: attachment; filename="\xc3\xa9.pdf"\r\n',
      "X-Custom-Run: 7\r\n",
      "Auto-Submitted: no\r\n",
      "LIST-UNSUBSCRIBE : <mailto:theirs@acme.dev>\r\n",
      "Organization: Gr\xfc\xdfe\r\n",
    ]
    const mail = yield* compose({
      subject: "Grüße",
      headers: { "X-SES-Return": "path" },
      autoSubmitted: "auto-replied",
      listUnsubscribe: { mailto: "ours@acme.dev" },
      submitted: { fields, body },
    })
    const end = mail.indexOf("\r\n\r\n") + 4
    expect(mail.slice(end)).toBe(body.toString("latin1"))
    const header = mail.slice(0, end)
    for (const kept of fields.slice(0, 3)) expect(header).toContain(kept)
    expect(header).toContain("Auto-Submitted: auto-replied\r\n")
    expect(header).toMatch(/^X-SES-Return: path\r$/im)
    expect(header).not.toMatch(/theirs|Auto-Submitted: no|Organization/)
    const names = header
      .trimEnd()
      .split(/\r\n(?![ \t])/)
      .map((field) => field.slice(0, field.indexOf(":")).toLowerCase())
    expect(new Set(names).size).toBe(names.length)
    expect(names).toContain("mime-version")
  }),
)

it.effect("of a mail without fields and body is a header and an empty line", () =>
  Effect.gen(function* () {
    const mail = yield* compose({ to: [], cc: [], submitted: { fields: [], body: new Uint8Array() } })
    expect(mail).toMatch(/\r\nMIME-Version: 1\.0\r\n\r\n$/)
    expect(mail).not.toMatch(/^(?:To|Cc|Bcc|Content-)/im)
  }),
)
