/** A message that a worker has, in a browser on a running server: who has it, and taking it back. */
import { layer } from "@effect/vitest"
import { deliver } from "@mailroom/test-services"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import { read } from "../../../server/test/support/http.js"
import { SharedServer } from "../../../server/test/support/server.js"
import { payingAccount } from "../support/paying.js"
import { signIn } from "../support/reading.js"
import { desk, phone, serverAndBrowser, visit } from "../support/visit.js"

const MAIL = ["From: Bob <bob@corp.org>", "Subject: Two tickets", "", "Please send two tickets."].join("\r\n")

const Key = Schema.Struct({ key: Schema.String })
const Claimed = Schema.Struct({
  message: Schema.Struct({ id: Schema.String }),
  claim: Schema.Struct({ token: Schema.String }),
})

layer(serverAndBrowser, { excludeTestServices: true })("a claimed message", (it) => {
  for (const [name, look] of [
    ["a phone", phone],
    ["a desk", desk],
  ] as const)
    it.scoped(`on ${name}: names its worker, and is released to the next`, () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* payingAccount(server, `claims${look.width}`)
        const messages = `/v1/mailboxes/${account.mailboxId}/messages`
        const made = yield* account.call("POST /v1/api-keys", {
          body: { name: "Worker 1", mailboxIds: [account.mailboxId] },
        })
        const { key } = read(Key, made)
        yield* deliver(server.smtpPort, account.address, MAIL)
        const taken = yield* account.call(`POST ${messages}/claim`, {
          key,
          body: { leaseSeconds: 3600, timeout: 55 },
        })
        const { message, claim } = read(Claimed, taken)

        const { page, step, expectAccessible, expectQuiet } = yield* visit(server.url, "/signin", look)
        yield* step(async () => {
          await signIn(page, account)
          const row = page.getByRole("list", { name: "Messages" }).getByRole("listitem").first()
          await row.getByText("A worker has it").waitFor()
          await row.click()
          await page.getByText("Claimed by “Worker 1” until").waitFor()
        })
        yield* expectAccessible
        yield* step(async () => {
          await page.getByRole("button", { name: "Release", exact: true }).click()
          await page.getByRole("dialog", { name: "Release this message?" }).waitFor()
        })
        yield* expectAccessible
        yield* step(async () => {
          await page.getByRole("button", { name: "Release message" }).click()
          await page.getByText("The message is released").waitFor()
          await page.getByText("Claimed by").waitFor({ state: "detached" })
        })

        const lost = yield* account.call(`POST ${messages}/${message.id}/complete`, {
          key,
          body: { token: claim.token },
        })
        expect(lost).toMatchObject({ status: 409, json: { code: "CLAIM_LOST" } })
        const next = yield* account.call(`POST ${messages}/claim`, { body: {} })
        expect(read(Claimed, next).message.id).toBe(message.id)
        yield* step(async () => {
          await page.goto("/dashboard/audit")
          await page.getByText("Message taken back from a worker").waitFor()
        })
        yield* expectQuiet
      }),
    )
})
