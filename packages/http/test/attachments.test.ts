/**
 * Uploads beyond `decisions.upload.*`: names and types as clients write them, broken forms, sizes nobody announced;
 * sends as a form.
 */
import { describe } from "@effect/vitest"
import { AttachmentLink, Uploaded } from "@mailroom/api"
import { ATTACHMENT_MAX_BYTES } from "@mailroom/domain"
import { Effect } from "effect"
import { expect } from "vitest"
import { owner, type Owner, pathOf, scopedKey, signIn, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { inOneUploadService, Uploads } from "./support/files.js"

const formWith = (content: string | Uint8Array, name = "report.txt", type = "text/plain"): FormData => {
  const form = new FormData()
  form.set("file", new File([content], name, { type }))
  return form
}

const upload = Effect.fn(function* ({ key }: Pick<Owner, "key">, form = formWith("0123456789")) {
  return yield* (yield* Uploads)({ key, body: form })
})

const uploaded = Effect.fn(function* (account: Owner, form?: FormData) {
  return read(Uploaded)(yield* upload(account, form))
})

/** The path of a fresh presigned link. */
const linkTo = Effect.fn(function* ({ key }: Owner, id: string) {
  return pathOf(read(AttachmentLink)(yield* ask(`GET /v1/attachments/${id}`, { key })).url)
})

const download = (path: string, headers: Record<string, string> = {}) => ask(`GET ${path}`, { headers })

inOneUploadService((shared) => {
  describe("POST /v1/attachments", () => {
    shared("answers 201 with what was stored, right after signup", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const answer = yield* upload(account)
        expect([answer.status, answer.json]).toEqual([
          201,
          { id: expect.any(String), filename: "report.txt", contentType: "text/plain", sizeBytes: 10 },
        ])
        expect((yield* ask("GET /v1/account", { key: account.key })).json).toMatchObject({
          account: { storageUsedBytes: 10 },
        })
      }),
    )

    shared("takes a session too", () =>
      Effect.gen(function* () {
        const cookie = yield* Effect.flatMap(signUp(), signIn)
        expect((yield* (yield* Uploads)({ cookie, body: formWith("A") })).status).toBe(201)
      }),
    )

    shared("keeps no folder of the file's name", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const { filename } = yield* uploaded(account, formWith("A", "../../etc/passwd"))
        expect(filename).toBe("passwd")
      }),
    )

    shared("takes files of every type, under every name", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        for (const [name, type, stored = type] of [
          ["run.json", "application/json"],
          ["notes.md", "text/markdown"],
          ["mail.eml", "message/rfc822"],
          ["form.txt", "application/x-www-form-urlencoded"],
          ["parts.txt", "multipart/form-data"],
          ["untyped", "", "application/octet-stream"],
          ["Angebot für Ā – 漢字 😀.pdf", "application/pdf"],
          ['50% "off"; a=b, c\'d.txt', "text/plain"],
        ] as const) {
          const { filename, contentType } = yield* uploaded(account, formWith("A", name, type))
          expect([filename, contentType]).toEqual([name.replaceAll('"', "_"), stored])
        }
      }),
    )

    shared("takes a file as clients of other languages write it, with or without a name", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const send = yield* Uploads
        for (const [headers, filename, contentType] of [
          ['form-data; name="file"\r\nContent-Type: application/json', "upload", "application/json"],
          ['form-data; name="file"\r\nContent-Type: text/plain; charset=utf-8', "upload", "text/plain"],
          ['form-data; name="file"; filename=""\r\nContent-Type: text/csv', "upload", "text/csv"],
          ['form-data; name="file"; filename="漢字.json"', "漢字.json", "application/octet-stream"],
          [
            "form-data; name=file; filename=x; filename*=utf-8''%C4%80.json",
            "Ā.json",
            "application/octet-stream",
          ],
          ["form-data; name=\"file\"; filename*=utf-8''%zz", "upload", "application/octet-stream"],
        ] as const) {
          const body = `--cut\r\nContent-Disposition: ${headers}\r\n\r\n{}\r\n--cut--\r\n`
          const answer = yield* send({ key: account.key, body, type: "multipart/form-data; boundary=cut" })
          expect([headers, answer.status, answer.json]).toEqual([
            headers,
            201,
            { id: expect.any(String), filename, contentType, sizeBytes: 2 },
          ])
        }
      }),
    )

    shared("takes an empty file", () =>
      Effect.gen(function* () {
        expect(yield* uploaded(yield* signUp(), formWith(""))).toMatchObject({ sizeBytes: 0 })
      }),
    )

    for (const field of ["other", "file"])
      shared(`answers 400 to a form with the text field "${field}" and no file`, () =>
        Effect.gen(function* () {
          const form = new FormData()
          form.set(field, "value")
          const answer = yield* upload(yield* signUp(), form)
          expect(answer.status).toBe(400)
          expect(answer.json).toMatchObject({ code: "VALIDATION_FAILED", issues: expect.any(Array) })
          expect(answer.json).toHaveProperty("error", expect.stringContaining("file: "))
        }),
      )

    shared("answers 400 to a form that is malformed or broken off", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const send = yield* Uploads
        const head = 'Content-Disposition: form-data; name="file"; filename="a.txt"'
        for (const [type, body] of [
          ["multipart/form-data", "--cut\r\nnonsense"],
          ["multipart/form-data; boundary=cut", ""],
          ["multipart/form-data; boundary=cut", "nonsense"],
          ["multipart/form-data; boundary=cut", "--cut\r\nnonsense"],
          ["multipart/form-data; boundary=cut", "--cut\r\nnonsense\r\n--cut--"],
          ["multipart/form-data; boundary=cut", `--cut\r\n${head}\r\n\r\nbroken off`],
        ] as const)
          expect((yield* send({ key, body, type })).status, body).toBe(400)
      }),
    )

    shared("answers 413 to a file above 25 MB whose size nobody announced", () =>
      Effect.gen(function* () {
        const answer = yield* upload(yield* signUp(), formWith(new Uint8Array(ATTACHMENT_MAX_BYTES + 1)))
        expect(answer.status).toBe(413)
        expect(answer.json).toEqual({ error: expect.stringContaining("25 MB"), code: "SIZE_EXCEEDED" })
        expect(answer.headers.get("x-service-inbound-quota")).toBe("0/100")
      }),
    )

    shared("answers 413 to a form that goes on and on, and never ends", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const head = '--cut\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => {
            controller.enqueue(new TextEncoder().encode(head))
            for (let sent = 0; sent < 30; sent++) controller.enqueue(new Uint8Array(1024 * 1024))
            controller.close()
          },
        })
        const send = yield* Uploads
        const answer = yield* send({ key, body, type: "multipart/form-data; boundary=cut" })
        expect(answer.status).toBe(413)
        expect(answer.json).toMatchObject({ code: "SIZE_EXCEEDED" })
      }),
    )
  })

  describe("a send as a form", () => {
    shared("takes the fields of the JSON body, repeated for lists, and files", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const { id } = yield* uploaded(account)
        const form = new FormData()
        for (const [name, value] of [
          ["to", "Bob <bob@partner.dev>"],
          ["to", "eve@partner.dev"],
          ["cc", "dan@partner.dev"],
          ["subject", "Offer"],
          ["bodyText", "x".repeat(100_000)],
          ["headers", '{"X-Custom-Run":"7"}'],
          ["attachments", id],
        ] as const)
          form.append(name, value)
        form.append("attachments", new File(["{}"], "Ā.json", { type: "application/json" }))
        const send = yield* Uploads
        const path = `/v1/mailboxes/${account.mailboxId}/messages`
        const answer = yield* send({ key: account.key, body: form, path })
        expect(answer.status).toBe(201)
        expect(answer.json).toMatchObject({
          message: {
            toAddresses: ["bob@partner.dev", "eve@partner.dev"],
            ccAddresses: ["dan@partner.dev"],
            subject: "Offer",
            headers: { "x-custom-run": "7" },
            attachments: [
              { filename: "report.txt", sizeBytes: 10 },
              { filename: "Ā.json", contentType: "application/json", sizeBytes: 2 },
            ],
          },
        })
      }),
    )

    shared("is refused as the JSON body is", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const form = new FormData()
        for (const [name, value] of [
          ["to", "nobody"],
          ["subject", "Offer"],
          ["subject", "Twice"],
          ["headers", "{"],
          ["html", "<p>Hi</p>"],
        ] as const)
          form.append(name, value)
        form.append("bodyText", new File(["Hi"], "a.txt"))
        const send = yield* Uploads
        const path = `/v1/mailboxes/${account.mailboxId}/messages`
        const answer = yield* send({ key: account.key, body: form, path })
        expect(answer.status).toBe(400)
        expect(answer.json).toHaveProperty(
          "issues",
          expect.arrayContaining(
            ["to.0", "subject", "headers", "html", "bodyText"].map((field) =>
              expect.objectContaining({ path: field }),
            ),
          ),
        )
      }),
    )
  })

  describe("GET /v1/attachments/{id}", () => {
    shared("shows an upload, not sent yet, with a link to its bytes", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const { id } = yield* uploaded(account)
        const answer = yield* ask(`GET /v1/attachments/${id}`, { key: account.key })
        expect(answer.json).toEqual({
          id,
          messageId: null,
          filename: "report.txt",
          contentType: "text/plain",
          sizeBytes: 10,
          contentId: null,
          createdAt: "1970-01-01T00:00:00.000Z",
          url: expect.stringMatching(/^http:\/\/mailroom\.test\/v1\/attachments\//),
        })
      }),
    )

    shared("shows a scoped key what is in its mailbox, not what was only uploaded", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const { key } = yield* scopedKey(account)
        const { id } = yield* uploaded(account)
        expect((yield* ask(`GET /v1/attachments/${id}`, { key })).status).toBe(404)
        const body = { to: ["bob@partner.dev"], subject: "File", bodyText: "Text", attachments: [id] }
        const target = `POST /v1/mailboxes/${account.mailboxId}/messages`
        expect((yield* ask(target, { key: account.key, body })).status).toBe(201)
        expect((yield* ask(`GET /v1/attachments/${id}`, { key })).status).toBe(200)
      }),
    )
  })

  describe("DELETE /v1/attachments/{id}", () => {
    shared("forgets an upload, gives its room back and ends its links", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const { id } = yield* uploaded(account)
        const path = yield* linkTo(account, id)
        const answer = yield* ask(`DELETE /v1/attachments/${id}`, { key: account.key })
        expect([answer.status, answer.json]).toEqual([200, { deleted: true }])
        expect((yield* ask(`DELETE /v1/attachments/${id}`, { key: account.key })).status).toBe(404)
        expect((yield* download(path)).status).toBe(404)
        expect((yield* ask("GET /v1/account", { key: account.key })).json).toMatchObject({
          account: { storageUsedBytes: 0 },
        })
      }),
    )

    shared("answers 409 with the message that a file belongs to, and keeps the file", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const { id } = yield* uploaded(account)
        const body = { to: ["bob@partner.dev"], subject: "File", bodyText: "Text", attachments: [id] }
        yield* ask(`POST /v1/mailboxes/${account.mailboxId}/messages`, { key: account.key, body })
        const shown = yield* ask(`GET /v1/attachments/${id}`, { key: account.key })
        const { messageId } = read(AttachmentLink)(shown)
        const refused = yield* ask(`DELETE /v1/attachments/${id}`, { key: account.key })
        expect([refused.status, refused.json]).toEqual([
          409,
          { error: expect.stringContaining(`${messageId}`), code: "ATTACHMENT_IN_USE" },
        ])
        expect((yield* ask(`GET /v1/attachments/${id}`, { key: account.key })).status).toBe(200)
      }),
    )
  })
})
