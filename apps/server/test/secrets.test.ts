/** No secret is on disk or in the logs in plain text. */
import { expect, it } from "@effect/vitest"
import { deliver, plainMail } from "@mailroom/test-services"
import { Effect, Schema } from "effect"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { verificationToken, verify, signUp } from "./support/account.js"
import { dump } from "./support/database.js"
import { call, read } from "./support/http.js"
import { arrived } from "./support/messages.js"
import { freshServer } from "./support/server.js"
import { webhookReceiver } from "./support/webhookReceiver.js"

/** Every file below the folder, as Latin-1. */
const filesBelow = (folder: string) =>
  Effect.promise(async () => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1")))
  })

it.scopedLive(
  "the database, its files and the logs hold no key, password, session, secret or checkout token",
  () =>
    Effect.gen(function* () {
      const server = yield* freshServer({ WEBHOOK_ALLOW_PRIVATE: "true", LOG_LEVEL: "debug" })
      const account = yield* signUp(server, "discreet")
      const token = yield* verificationToken(server, account)
      yield* verify(server, account)
      const { email, password } = account
      const signedIn = yield* call(server, "POST /api/auth/sign-in/email", { body: { email, password } })
      const session = /=([^;]+)/.exec(signedIn.headers.get("set-cookie") ?? "")?.[1] ?? ""
      const wrongPassword = "a wrong passphrase, as typed"
      yield* call(server, "POST /api/auth/sign-in/email", { body: { email, password: wrongPassword } })
      const madeKey = yield* account.call("POST /v1/api-keys", { body: { name: "second" } })
      const second = read(Schema.Struct({ key: Schema.String }), madeKey).key
      const receiver = yield* webhookReceiver
      const created = yield* account.call("POST /v1/webhooks", {
        body: {
          url: receiver.url,
          events: ["message.received"],
          headers: { "X-Token": "webhook-header-value" },
        },
      })
      const WithSecret = Schema.Struct({ webhook: Schema.Struct({ secret: Schema.String }) })
      const { secret } = read(WithSecret, created).webhook
      const upgrade = yield* account.call("POST /v1/billing/upgrade")
      const checkout = read(Schema.Struct({ checkout_url: Schema.String }), upgrade).checkout_url
      yield* deliver(server.smtpPort, account.address, plainMail("discreet"))
      yield* arrived(account, 1)
      yield* receiver.received(1)
      // Failures are logged in more detail, so some requests fail.
      yield* call(server, "POST /v1/signup", { body: `{"password":"${wrongPassword}",` })
      yield* account.call("POST /v1/api-keys", { body: { name: 7 } })

      const { stdout, stderr } = yield* server.stop("SIGTERM")
      const database = yield* dump(server.folder)
      const files = yield* filesBelow(join(server.folder, "data"))
      const secrets = {
        key: account.key,
        "key without its prefix": account.key.slice(3),
        "second key": second,
        password,
        "wrong password": wrongPassword,
        session,
        "decoded session": decodeURIComponent(session),
        "webhook secret": secret,
        "webhook secret without its prefix": secret.replace("whsec_", ""),
        "webhook header": "webhook-header-value",
        "checkout token": checkout.split("/").at(-1) ?? "",
      }
      for (const value of Object.values(secrets)) expect(value.length).toBeGreaterThan(12)
      const holders = { database, files: files.join("\n"), stdout, stderr }
      const found = Object.entries(holders).flatMap(([holder, text]) =>
        Object.entries(secrets)
          .filter(([, value]) => text.includes(value))
          .map(([name]) => `${name} in ${holder}`),
      )
      expect(found).toEqual([])
      // Only the captured verification mail holds the link.
      expect(`${stdout}${stderr}`).not.toContain(token)
      // The search does find what is there.
      expect(database).toContain(account.email)
      expect(holders.files).toContain(account.email)
    }),
)
