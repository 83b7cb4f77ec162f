/** Hostile mail gets a 250, becomes readable, and does not keep the API from answering. */
import { expect, layer } from "@effect/vitest"
import { deliver } from "@mailroom/test-services"
import { Duration, Effect } from "effect"
import { signUp } from "./support/account.js"
import { call, read } from "./support/http.js"
import { arrived, OneMessage } from "./support/messages.js"
import { type Server, SharedServer } from "./support/server.js"

/** Milliseconds after which an agent's health check gives up. */
const PATIENCE = Duration.seconds(2)

const mail = (...lines: ReadonlyArray<string>): string =>
  ["From: Bob <bob@corp.org>", "Subject: bomb", ...lines].join("\r\n")

const nested = (depth: number): string =>
  Array.from(
    { length: depth },
    (_, n) => `--b${n}\r\nContent-Type: multipart/mixed; boundary="b${n + 1}"\r\n\r\n`,
  ).join("")

const bombs: Readonly<Record<string, () => string>> = {
  "100,000 parts": () =>
    mail(
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n".repeat(100_000) + "--b--",
    ),
  "5,000 parts in each other": () => mail('Content-Type: multipart/mixed; boundary="b0"', "", nested(5000)),
  "a header of 2 MB": () => mail(`X-Large: ${"a".repeat(2_000_000)}`, "", "body"),
  "100,000 header fields": () => mail("X-A: b\r\n".repeat(100_000) + "X-Last: c", "", "body"),
  "25,000 recipients in To": () =>
    mail(`To: ${Array.from({ length: 25_000 }, (_, n) => `u${n}@corp.org`).join(",\r\n ")}`, "", "body"),
  "5 MB of HTML tags that are never closed": () =>
    mail("Content-Type: text/html", "", "<div><b><table>\r\n".repeat(310_000)),
  "a multipart without its boundary": () => mail("Content-Type: multipart/mixed", "", "--b", "", "x"),
  "a multipart that never ends": () =>
    mail("Content-Type: multipart/mixed; boundary=b", "", "--b", "Content-Type: text/plain", "", "x"),
  "base64 that is none": () =>
    mail(
      "Content-Type: application/pdf",
      "Content-Transfer-Encoding: base64",
      "",
      "!@#$%^&*=\r\n".repeat(50_000),
    ),
  "a charset nobody knows": () => mail("Content-Type: text/plain; charset=klingon-8", "", "\xff\xfe\x80"),
  "no header at all": () => "\r\nonly a body",
  nothing: () => "",
}

/** Calls the API while the effect runs, and fails when an answer takes longer than a client waits. */
const whileAnswering = <A, E, R>(server: Server, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    effect,
    call(server, "GET /healthz").pipe(
      Effect.timeoutFail({ duration: PATIENCE, onTimeout: () => new Error("/healthz did not answer") }),
      Effect.orDie,
      Effect.forever,
    ),
  )

layer(SharedServer.layer(), { excludeTestServices: true })("hostile mail", (it) => {
  for (const [n, [name, bomb]] of Object.entries(bombs).entries())
    it.scoped(`${name}: accepted, readable, and the API answers meanwhile`, () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* signUp(server, `bomb-${"x".repeat(n + 1)}`)
        const stored = yield* whileAnswering(
          server,
          Effect.gen(function* () {
            expect(yield* deliver(server.smtpPort, account.address, bomb())).toMatch(/^250/)
            const [message] = yield* arrived(account, 1)
            return message
          }),
        )
        const answer = yield* account.call(`GET /v1/mailboxes/${account.mailboxId}/messages/${stored?.id}`)
        expect(read(OneMessage, answer).message.status).toBe("RECEIVED")
        expect(server.hasEnded()).toBe(false)
      }),
    )
})
