/** Pages of the account on a running server: keys and webhooks. */
import { expect, layer } from "@effect/vitest"
import { SharedBrowser } from "@mailroom/test-services/browser"
import { Effect, Layer, Schema } from "effect"
import { verifiedAccount } from "../../../server/test/support/account.js"
import { call, read } from "../../../server/test/support/http.js"
import { SharedServer } from "../../../server/test/support/server.js"
import { receiverAnswering } from "../../../server/test/support/webhookReceiver.js"
import { openAsOwner, signInTo } from "../support/ownerVisit.js"
import { phone } from "../support/visit.js"

const Created = Schema.Struct({ key: Schema.String })

const serverAndBrowser = Layer.merge(
  SharedServer.layer({ WEBHOOK_ALLOW_PRIVATE: "true" }),
  SharedBrowser.layer,
)

layer(serverAndBrowser, { excludeTestServices: true })("the pages of the account", (it) => {
  it.scoped("a key is refused after its revocation, and stays in the list of the revoked", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* verifiedAccount(server, "keyring")
      const created = yield* account.call("POST /v1/api-keys", { body: { name: "Reader" } })
      const { key } = read(Created, created)
      const { page, step, expectAccessible, expectQuiet } = yield* signInTo(account, "/dashboard/keys", phone)
      yield* step(async () => {
        await page.getByRole("button", { name: "Revoke Reader" }).click()
        await page.getByRole("button", { name: "Revoke key" }).click()
        await page.getByText("The key “Reader” is revoked.").waitFor()
        await page.getByText("Revoked keys (1)").click()
      })
      yield* expectAccessible
      expect((yield* call(server, "GET /v1/whoami", { key })).status).toBe(401)
      yield* expectQuiet
    }),
  )

  it.scoped(
    "a webhook that fails shows its attempts and the answer, and delivers again once it is mended",
    () =>
      Effect.gen(function* () {
        let status = 500
        const receiver = yield* receiverAnswering(() => status)
        const { page, step, expectAccessible, expectQuiet } = yield* openAsOwner(
          "hooked",
          "/dashboard/webhooks",
        )
        yield* step(() => page.getByText("No webhook yet").waitFor())
        yield* expectAccessible
        yield* step(async () => {
          await page.getByRole("button", { name: "New webhook" }).first().click()
          await page.getByLabel("URL").fill(receiver.url)
        })
        yield* expectAccessible
        yield* step(async () => {
          await page.getByRole("button", { name: "Create webhook" }).click()
          await page.getByText(/^whsec_/).waitFor()
          await page.getByRole("button", { name: "Done, I have stored it" }).click()
          await page.getByRole("link", { name: receiver.url }).click()
          await page.getByRole("button", { name: "Send a test event" }).click()
          await page.getByText("The receiver answered 500. The receiver has a fault.").waitFor()
        })
        yield* expectAccessible
        yield* step(async () => {
          await page.getByRole("list", { name: "Deliveries" }).getByRole("listitem").first().click()
          await page.getByText(/"event": "message.received"/).waitFor()
        })
        yield* expectAccessible
        status = 204
        yield* step(async () => {
          await page.getByRole("button", { name: "Deliver again" }).click()
          await page.getByRole("dialog").getByText("The receiver took it with 204.").waitFor()
        })
        const bodies = (yield* receiver.received(2)).map(({ headers }) => headers["webhook-id"])
        expect(new Set(bodies).size).toBe(1)
        yield* step(async () => {
          await page.getByRole("button", { name: "Close" }).first().click()
          await page.getByRole("button", { name: "Pause" }).click()
          await page.getByText("Paused", { exact: true }).waitFor()
          await page.getByRole("button", { name: "More for this webhook" }).click()
          await page.getByRole("menuitem", { name: "Change" }).click()
          await page.getByLabel(/^Headers/).fill("X-Team: support")
          await page.getByRole("button", { name: "Save" }).click()
          await page.getByText("X-Team").waitFor()
        })
        yield* expectQuiet
      }),
  )
})
