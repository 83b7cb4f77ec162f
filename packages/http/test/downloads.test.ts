/**
 * The signed download of an attachment beyond `decisions.attachment.*`: every kind of Range, file names, changed
 * links, files inside of a small mail.
 */
import { describe, it } from "@effect/vitest"
import { AttachmentLink, Uploaded } from "@mailroom/api"
import { Blobs, RawMailStore } from "@mailroom/engine"
import { clockAt, InMemoryHttp } from "@mailroom/testing"
import { Context, Effect, Layer, Option, Ref } from "effect"
import { expect } from "vitest"
import { type Owner, pathOf, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { inOneUploadService, Uploads } from "./support/files.js"
import { type Incoming, receive } from "./support/mail.js"
import { engineWith } from "./support/service.js"

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

/** The link to a file that arrived. */
const linkToArrived = Effect.fn(function* (attachment: Incoming["attachment"] & {}) {
  const account = yield* signUp()
  yield* receive(account.address, [{ attachment }])
  const { call } = yield* InMemoryHttp
  const list = yield* call(`GET /v1/mailboxes/${account.mailboxId}/messages`, { key: account.key })
  const id = /"attachments":\[\{"id":"([^"]+)"/.exec(list.text)?.[1] ?? ""
  return yield* linkTo(account, id)
})

const download = (path: string, headers: Record<string, string> = {}) => ask(`GET ${path}`, { headers })

inOneUploadService((shared) => {
  describe("the presigned link", () => {
    const link = Effect.fn(function* (form?: FormData) {
      const account = yield* signUp()
      const { id } = yield* uploaded(account, form)
      return yield* linkTo(account, id)
    })

    shared("streams the bytes to whoever has it, as a download that nobody sniffs", () =>
      Effect.gen(function* () {
        const answer = yield* download(yield* link(formWith("<b>0123456789</b>", "a.html", "text/html")))
        expect([answer.status, answer.text]).toEqual([200, "<b>0123456789</b>"])
        const { headers } = answer
        expect(headers.get("content-type")).toBe("text/html")
        expect(headers.get("content-length")).toBe("17")
        expect(headers.get("content-disposition")).toBe(
          `attachment; filename="a.html"; filename*=UTF-8''a.html`,
        )
        expect(headers.get("x-content-type-options")).toBe("nosniff")
        expect(headers.get("accept-ranges")).toBe("bytes")
        expect(headers.has("x-service-inbound-quota")).toBe(false)
      }),
    )

    shared("names a file of any script", () =>
      Effect.gen(function* () {
        const { headers } = yield* download(yield* link(formWith("A", "Übersicht 1.txt")))
        const disposition = headers.get("content-disposition") ?? ""
        expect(disposition).toMatch(
          /^attachment; filename="_bersicht 1\.txt"; filename\*=UTF-8''%C3%9Cbersicht/,
        )
      }),
    )

    for (const [range, status, text, contentRange] of [
      ["bytes=7-", 206, "789", "bytes 7-9/10"],
      ["bytes=-99", 206, "0123456789", "bytes 0-9/10"],
      ["bytes=8-99", 206, "89", "bytes 8-9/10"],
      ["bytes=-0", 416, "", "bytes */10"],
      ["bytes=4-2", 200, "0123456789", null],
      ["bytes=0-1,4-5", 200, "0123456789", null],
      ["lines=1-2", 200, "0123456789", null],
    ] as const)
      shared(`answers Range: ${range} with ${status}`, () =>
        Effect.gen(function* () {
          const answer = yield* download(yield* link(), { range })
          expect([answer.status, answer.text]).toEqual([status, text])
          expect(answer.headers.get("content-range")).toBe(contentRange)
          if (status !== 416) expect(answer.headers.get("content-length")).toBe(String(text.length))
        }),
      )

    for (const [what, change] of [
      ["another signature", (path: string) => path.replace(/.$/, (last) => (last === "0" ? "1" : "0"))],
      ["another id", (path: string) => path.replace(/[0-9a-f]{4}\/content/, "0000/content")],
    ] as const)
      shared(`does not work with ${what}`, () =>
        Effect.gen(function* () {
          const path = yield* link()
          expect(change(path)).not.toBe(path)
          expect((yield* download(change(path))).status).toBe(404)
        }),
      )

    shared("without its parts, or with malformed ones, gives 400", () =>
      Effect.gen(function* () {
        const [bare = ""] = (yield* link()).split("?")
        for (const query of ["", "?expires=1", "?signature=1", "?expires=soon&signature=1"])
          expect((yield* download(bare + query)).status).toBe(400)
      }),
    )

    shared("of an arrived attachment streams what arrived", () =>
      Effect.gen(function* () {
        const path = yield* linkToArrived({ filename: "a.csv", type: "text/csv", content: "a,b" })
        const answer = yield* download(path)
        expect([answer.text.trim(), answer.headers.get("content-type")]).toEqual(["a,b", "text/csv"])
      }),
    )
  })
})

/** How many raw mails were read. */
class RawMailsRead extends Context.Tag("test/RawMailsRead")<RawMailsRead, Ref.Ref<number>>() {}

const countingRawMails = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* RawMailStore
    const read = yield* Ref.make(0)
    return Context.make(RawMailStore, {
      ...store,
      byId: (id) =>
        Effect.zipRight(
          Ref.update(read, (count) => count + 1),
          store.byId(id),
        ),
    }).pipe(Context.add(RawMailsRead, read))
  }),
)

const inSmallMail = Layer.provideMerge(InMemoryHttp.layerOver, engineWith(countingRawMails))

describe("a file inside a small mail", () => {
  it.scoped(
    "is read with its mail once, whole or in part, and not at all for a range that it does not have",
    () =>
      Effect.gen(function* () {
        const text = "0123456789".repeat(500)
        const lines =
          Buffer.from(text)
            .toString("base64")
            .match(/.{1,76}/g) ?? []
        const path = yield* linkToArrived({
          filename: "a.bin",
          type: "application/octet-stream",
          content: lines.join("\r\n"),
          encoding: "base64",
        })
        const read = yield* RawMailsRead
        for (const [range, status, part, reads] of [
          ["bytes=57-113", 206, text.slice(57, 114), 1],
          ["bytes=0-", 206, text, 1],
          ["", 200, text, 1],
          ["bytes=5000-", 416, "", 0],
        ] as const) {
          yield* Ref.set(read, 0)
          const answer = yield* download(path, { range })
          expect([answer.status, answer.text, yield* Ref.get(read)]).toEqual([status, part, reads])
        }
      }).pipe(Effect.provide(inSmallMail), Effect.provide(clockAt(0))),
  )
})

const linkingBlobs = Layer.effect(
  Blobs,
  Effect.map(Blobs, (blobs) => ({
    ...blobs,
    link: Option.some(() => Effect.succeed("https://store.example/the-file")),
  })),
)

describe("a file in a store that serves its blobs itself", () => {
  it.scoped("is there for everybody but the scripts of our own pages, which get it from the service", () =>
    Effect.gen(function* () {
      const content = "0123456789".repeat(100_000)
      const path = yield* linkToArrived({ filename: "a.txt", type: "text/plain", content })
      const redirected = yield* download(path)
      expect([redirected.status, redirected.headers.get("location")]).toEqual([
        302,
        "https://store.example/the-file",
      ])
      const ofPage = { "sec-fetch-site": "same-origin", "sec-fetch-dest": "empty" }
      const streamed = yield* download(path, ofPage)
      expect([streamed.status, streamed.text.slice(0, 10)]).toEqual([200, "0123456789"])
      for (const other of [
        { ...ofPage, "sec-fetch-site": "cross-site" },
        { ...ofPage, "sec-fetch-dest": "document" },
      ])
        expect((yield* download(path, other)).status).toBe(302)
    }).pipe(
      Effect.provide(Layer.provideMerge(InMemoryHttp.layerOver, engineWith(linkingBlobs))),
      Effect.provide(clockAt(0)),
    ),
  )
})
