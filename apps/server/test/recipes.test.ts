/** The programs of docs/recipes work as they are printed: each runs in a process of its own, against one server. */
import { expect, layer } from "@effect/vitest"
import { deliver, eventually, freePort, plainMail } from "@mailroom/test-services"
import { Effect, Schema } from "effect"
import { type Account, verifiedAccount } from "./support/account.js"
import { call, read } from "./support/http.js"
import { messages } from "./support/messages.js"
import { printed, recipe } from "./support/recipe.js"
import { type Server, SharedServer } from "./support/server.js"

/** As `mailroom dev` runs it. */
const settings = { BILLING: "none", DEFAULT_PLAN: "Scale", WEBHOOK_ALLOW_PRIVATE: "true" }

/** Sends a mail by SMTP as another server does: again while the service refuses it for now. */
const mailArrives = (server: Server, to: string, mail: string) =>
  eventually("the mail is accepted", deliver(server.smtpPort, to, mail), (reply) => reply.startsWith("250"))

const sentTo = (account: Account, subject: string) =>
  Effect.map(
    messages(account),
    (found) => found.filter((one) => one.direction === "OUTBOUND" && one.subject === subject).length,
  )

/** How many answers a mail has, once it has one. */
const answersTo = (account: Account, subject: string) =>
  eventually(`"${subject}" is answered`, sentTo(account, `Re: ${subject}`), (count) => count > 0)

const Deliveries = Schema.Struct({ deliveries: Schema.Array(Schema.Struct({ id: Schema.String })) })
const Webhooks = Schema.Struct({ webhooks: Schema.Array(Schema.Struct({ id: Schema.String })) })

layer(SharedServer.layer(settings), { excludeTestServices: true })("the program of", (it) => {
  it.scoped("website-code.md prints the code, the link and how far the sender is proven", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* verifiedAccount(server, "recipe-code")
      const { node } = yield* recipe("website-code.md", "code.mjs", server, account)
      const program = yield* node(["code.mjs"])
      const said = yield* printed(program, "\n")
      const [, address = ""] = /^Sign up with (\S+)$/m.exec(said) ?? []
      const code = [
        "From: Shop <noreply@shop.example>",
        `To: ${address}`,
        "Subject: Your code",
        "Message-ID: <code@shop.example>",
        "",
        "Your verification code is 481 516.",
        "",
        "Not yours? https://notshop.example/report",
        "Or open https://www.shop.example/confirm?token=abc.",
      ]
      yield* mailArrives(server, address, plainMail("Your code is 111222"))
      yield* mailArrives(server, address, code.join("\r\n"))
      const { code: status, stdout } = yield* program.ended
      expect(status).toBe(0)
      expect(stdout).toContain("The code is 481516")
      expect(stdout).toContain("The link is https://www.shop.example/confirm?token=abc")
      expect(stdout).toContain("The sender is unverified")
    }),
  )

  it.scoped("support-inbox.md answers each mail once over two workers, strangers after an approval", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* verifiedAccount(server, "recipe-support")
      const { node } = yield* recipe("support-inbox.md", "support.mjs", server, account)
      const first = yield* node(["support.mjs", "review"])
      expect((yield* first.ended).code).toBe(0)
      const workers = [yield* node(["support.mjs"]), yield* node(["support.mjs"])]
      const subjects = ["One", "Two", "Three", "Four"]
      for (const subject of subjects) yield* mailArrives(server, account.address, plainMail(subject))
      const robot = plainMail("Away", "Auto-Submitted: auto-replied")
      yield* mailArrives(server, account.address, robot)
      const said = yield* eventually(
        "all mails are claimed",
        Effect.sync(() => workers.map(({ stdout }) => stdout()).join("")),
        (text) => subjects.every((subject) => text.includes(subject)),
      )
      expect(said.match(/Waits for a person: /g)).toHaveLength(4)
      expect(yield* sentTo(account, "Re: One")).toBe(0)

      const review = yield* node(["support.mjs", "review"])
      for (const asked of [1, 2, 3, 4]) {
        yield* eventually(
          `the person is asked ${asked} times`,
          Effect.sync(() => review.stdout().split("Send it? (y/n)").length - 1),
          (count) => count === asked,
        )
        yield* review.type(asked === 1 ? "n\n" : "y\n")
      }
      expect((yield* review.ended).code).toBe(0)
      const counts = yield* Effect.forEach(subjects, (subject) => sentTo(account, `Re: ${subject}`))
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3)
      expect(Math.max(...counts)).toBe(1)

      // Bob is approved from now on.
      yield* mailArrives(server, account.address, plainMail("Five"))
      expect(yield* answersTo(account, "Five")).toBe(1)
      expect(workers.map(({ stderr }) => stderr())).toEqual(["", ""])
    }),
  )

  it.scoped("webhook-worker.md replies once to a mail, over repetitions, forgeries and a kill", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* verifiedAccount(server, "recipe-worker")
      const { node } = yield* recipe("webhook-worker.md", "worker.mjs", server, account)
      const PORT = String(yield* freePort)
      const first = yield* node(["worker.mjs"], { PORT })
      yield* printed(first, "Receiving at")
      yield* mailArrives(server, account.address, plainMail("Order"))
      expect(yield* answersTo(account, "Order")).toBe(1)

      const body = { event: "message.received", data: { automated: false } }
      const headers = {
        "webhook-id": "forged",
        "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
        "webhook-signature": "v1,Zm9yZ2Vk",
      }
      const forged = yield* call({ url: `http://127.0.0.1:${PORT}` }, "POST /hook", { body, headers })
      expect(forged.status).toBe(401)

      yield* first.stop("SIGKILL")
      const second = yield* node(["worker.mjs"], { PORT })
      yield* printed(second, "Receiving at")
      const [webhook, ...more] = read(Webhooks, yield* account.call("GET /v1/webhooks")).webhooks
      expect(more).toEqual([])
      const path = `/v1/webhooks/${webhook?.id}/deliveries`
      const [delivery] = read(Deliveries, yield* account.call(`GET ${path}`)).deliveries
      yield* account.call(`POST ${path}/${delivery?.id}/redeliver`)
      yield* mailArrives(server, account.address, plainMail("Second"))
      expect(yield* answersTo(account, "Second")).toBe(1)
      yield* eventually(
        "the repetition is delivered",
        account.call(`GET ${path}/${delivery?.id}`),
        ({ text }) => text.includes('"DELIVERED"'),
      )
      expect(yield* sentTo(account, "Re: Order")).toBe(1)
      expect(second.stderr()).toBe("")
    }),
  )

  it.scoped("test-your-agent.md passes its tests", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* verifiedAccount(server, "recipe-tests")
      const { node } = yield* recipe("test-your-agent.md", "agent.test.mjs", server, account)
      const { code, stdout } = yield* Effect.flatMap(
        node(["--test", "--test-reporter=tap", "agent.test.mjs"]),
        ({ ended }) => ended,
      )
      expect(stdout).toContain("# pass 3")
      expect(code).toBe(0)
    }),
  )
})
