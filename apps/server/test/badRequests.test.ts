/** A wrong request is answered with the reason, and the server goes on. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import { signUp } from "./support/account.js"
import { call } from "./support/http.js"
import { SharedServer } from "./support/server.js"
import { upload } from "./support/upload.js"

const MB = 1024 * 1024

/** Everything that the server sends on a connection on which the client sends these bytes. */
const exchange = (port: number, bytes: string): Effect.Effect<string> =>
  Effect.async((resume) => {
    let received = ""
    const socket = connect({ host: "127.0.0.1", port }, () => socket.write(bytes, "latin1"))
    socket.setEncoding("latin1").on("data", (text: string) => (received += text))
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(received)))
    return Effect.sync(() => socket.destroy())
  })

layer(SharedServer.layer(), { excludeTestServices: true })("bad requests", (it) => {
  it.scoped("a body that is no JSON is answered with 400", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      for (const body of ["", "{", '{"email":', "null", "[]", '"text"', "\u0000", "{} {}"]) {
        const answer = yield* call(server, "POST /v1/signup", { body })
        expect([body, answer.status]).toEqual([body, 400])
        expect(answer.json).toMatchObject({ error: expect.any(String), code: expect.any(String) })
      }
    }),
  )

  it.scoped("fields of the wrong type are answered with 400 that names them", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* signUp(server, "typed")
      const wrong = {
        "POST /v1/mailboxes": { address: 7 },
        "POST /v1/api-keys": { name: "k", mailboxIds: "all" },
        "POST /v1/webhooks": { url: 1, events: ["message.received"] },
        [`POST /v1/mailboxes/${account.mailboxId}/messages`]: {
          to: "ann@partner.dev",
          subject: "s",
          bodyText: "b",
        },
        [`PATCH /v1/mailboxes/${account.mailboxId}`]: { status: 3 },
      }
      const named = ["address", "mailboxIds", "url", "to", "status"]
      for (const [n, [endpoint, body]] of Object.entries(wrong).entries()) {
        const answer = yield* account.call(endpoint, { body })
        expect([endpoint, answer.status]).toEqual([endpoint, 400])
        expect(answer.json).toMatchObject({ issues: [{ path: named[n] }] })
      }
    }),
  )

  it.scoped("JSON beyond the limit, as its length says: the client reads the 413", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* signUp(server, "json-length")
      const answer = yield* upload(server, {
        path: `/v1/mailboxes/${account.mailboxId}/messages`,
        headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
        head: '{"subject":"',
        bytes: 48 * MB,
        tail: '"}',
        announced: true,
      })
      expect(answer.status).toBe(413)
      expect(JSON.parse(answer.text)).toMatchObject({ error: expect.any(String), code: expect.any(String) })
    }),
  )

  for (const [type, bytes] of [
    ["application/json", 48 * MB],
    ["application/json", 120 * MB],
    ["application/x-www-form-urlencoded", 48 * MB],
    ["image/png", 48 * MB],
  ] as const)
    it.scoped(`${type} of ${bytes / MB} MB, sent in chunks: the client reads the 413`, () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const answer = yield* upload(server, {
          path: "/v1/signup",
          headers: { "content-type": type },
          head: '{"email":"',
          bytes,
          tail: '"}',
          announced: false,
        })
        expect(answer.status).toBe(413)
        expect(JSON.parse(answer.text)).toEqual({
          error: expect.stringContaining("16 kB"),
          code: "SIZE_EXCEEDED",
        })
      }),
    )

  for (const [what, head] of [
    ["without headers", "--b\r\n\r\n"],
    ["whose headers are cut short", "--b\r\n--b\r\n\r\n"],
    ["whose headers are none", "--b\r\n(no)\r\n\r\n"],
  ] as const)
    for (const bytes of [0, 10 * MB])
      it.scoped(`a form with a part ${what}, ${bytes / MB} MB of it: the client reads the 400`, () =>
        Effect.gen(function* () {
          const server = yield* SharedServer
          const account = yield* signUp(server, `part-${what.length}-${bytes / MB}`)
          const answer = yield* upload(server, {
            path: "/v1/attachments",
            headers: {
              authorization: `Bearer ${account.key}`,
              "content-type": "multipart/form-data; boundary=b",
            },
            head,
            bytes,
            tail: "\r\n--b--\r\n",
            announced: false,
          })
          expect(answer.status).toBe(400)
          expect(JSON.parse(answer.text)).toMatchObject({ code: "VALIDATION_FAILED" })
        }),
      )

  it.scoped("a file above 25 MB, as its length says: the client reads the 413, and nothing is stored", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* signUp(server, "file-length")
      const answer = yield* upload(server, {
        path: "/v1/attachments",
        headers: {
          authorization: `Bearer ${account.key}`,
          "content-type": "multipart/form-data; boundary=b",
        },
        head: '--b\r\nContent-Disposition: form-data; name="file"; filename="big"\r\n\r\n',
        bytes: 26 * MB,
        tail: "\r\n--b--\r\n",
        announced: true,
      })
      expect(answer.status).toBe(413)
      expect((yield* account.call("GET /v1/account")).json).toMatchObject({
        account: { storageUsedBytes: 0 },
      })
    }),
  )

  const aFile = {
    head: '--b\r\nContent-Disposition: form-data; name="file"; filename="big"\r\n\r\n',
    tail: "\r\n--b--\r\n",
  }

  for (const announced of [true, false])
    it.scoped(`a file of exactly 25 MB is taken, sent ${announced ? "with its length" : "in chunks"}`, () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* signUp(server, announced ? "full-length" : "full-chunks")
        const answer = yield* upload(server, {
          ...aFile,
          path: "/v1/attachments",
          headers: {
            authorization: `Bearer ${account.key}`,
            "content-type": "multipart/form-data; boundary=b",
          },
          bytes: 25 * MB,
          announced,
        })
        expect(answer.status).toBe(201)
        expect(JSON.parse(answer.text)).toMatchObject({ filename: "big", sizeBytes: 25 * MB })
      }),
    )

  it.scoped("a file above 25 MB, sent in chunks: the client reads the 413, and nothing is stored", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* signUp(server, "file-chunks")
      const answer = yield* upload(server, {
        ...aFile,
        path: "/v1/attachments",
        headers: {
          authorization: `Bearer ${account.key}`,
          "content-type": "multipart/form-data; boundary=b",
        },
        bytes: 26 * MB,
        announced: false,
      })
      expect(answer.status).toBe(413)
      expect((yield* account.call("GET /v1/account")).json).toMatchObject({
        account: { storageUsedBytes: 0 },
      })
    }),
  )

  it.scoped("unknown paths are answered with 404 in JSON, whatever they look like", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const paths = [
        "/v1",
        "/v2/account",
        "/v1/accounts",
        "/v1/account/",
        "/V1/account",
        "/v1//account",
        "/%",
        "/%00",
        "/v1/%2e%2e/account",
        "/..%2f..%2fetc/passwd",
        `/${"a".repeat(5000)}`,
        "/favicon.ico",
      ]
      for (const path of paths) {
        const answer = yield* exchange(
          server.httpPort,
          `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        )
        expect([path.slice(0, 40), answer.slice(0, 12)]).toEqual([path.slice(0, 40), "HTTP/1.1 404"])
        expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({
          code: "ENDPOINT_NOT_FOUND",
          error: expect.any(String),
          message: expect.any(String),
          resolution: expect.anything(),
        })
      }
    }),
  )

  it.scoped("a method that a path does not take is answered with 405 and Allow", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const answer = yield* call(server, "PUT /v1/mailboxes")
      expect(answer.status).toBe(405)
      expect(answer.headers.get("allow")?.split(", ").sort()).toEqual(["GET", "HEAD", "POST"])
    }),
  )

  it.scoped("an id that is none is answered with 404", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* signUp(server, "ids")
      for (const id of ["1", "%00", "a".repeat(400), "01a1f938-5f3f-7569-a48f-38a9a59cec8f"])
        expect([id, (yield* account.call(`GET /v1/mailboxes/${id}/messages`)).status]).toEqual([id, 404])
    }),
  )

  it.scoped("what is no HTTP is answered with 400 or 431, and the server goes on", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const broken = {
        "EHLO client.example\r\n\r\n": "HTTP/1.1 400",
        "GET /healthz HTTP/1.1\r\n\r\n": "HTTP/1.1 400",
        "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n":
          "HTTP/1.1 400",
        "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n": "HTTP/1.1 400",
        [`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Large: ${"a".repeat(100_000)}\r\n\r\n`]: "HTTP/1.1 431",
      }
      for (const [bytes, status] of Object.entries(broken))
        expect((yield* exchange(server.httpPort, bytes)).slice(0, 12)).toBe(status)
      expect((yield* call(server, "GET /healthz")).status).toBe(200)
    }),
  )

  it.scoped("credentials that are none are answered with 401", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* signUp(server, "wrong-key")
      const attempts = [
        {},
        { authorization: "Bearer" },
        { authorization: "Bearer mr_" },
        { authorization: `Basic ${account.key}` },
        { authorization: `Bearer ${account.key}0` },
        { authorization: `Bearer ${account.key.slice(0, 11)}${"0".repeat(56)}` },
        { cookie: "mailroom_session=x" },
      ]
      for (const headers of attempts)
        expect((yield* call(server, "GET /v1/account", { headers })).status).toBe(401)
    }),
  )
})
