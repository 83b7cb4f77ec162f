/**
 * `Idempotency-Key` beyond `decisions.idempotency.*`: on every POST, uploads, sessions, what keeps a key free, what
 * is stored (docs/decisions/0021).
 */
import { describe } from "@effect/vitest"
import { CheckoutLink, CreatedKey } from "@mailroom/api"
import { MINUTE } from "@mailroom/domain"
import { IdempotencyStore } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Context, Effect, Layer, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { bringTo, owner, type Owner, setFacts, signIn, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import {
  askWith,
  expectReplay,
  isReplayed,
  KEY,
  mail,
  mailsSent,
  ruleWith,
  sendWith,
} from "./support/keyed.js"
import { receive } from "./support/mail.js"
import { ABSENT, bodyFor, nameOf, routes } from "./support/routes.js"
import { inOneService, inOneScene, rule } from "./support/service.js"

const createMailbox = (idempotencyKey: string, { key }: Pick<Owner, "key">, body: unknown) =>
  askWith(idempotencyKey, "POST /v1/mailboxes", { key, body })

const formWith = (content: string, name = "a.txt") => {
  const form = new FormData()
  form.set("file", new File([content], name, { type: "text/plain" }))
  return form
}

const reused = [409, { error: expect.any(String), code: "IDEMPOTENCY_KEY_REUSED" }]

inOneService((shared) => {
  describe("every POST of the contract that needs a caller", () => {
    // Who is refused changes nothing.
    inOneScene(owner("trial"), (refused) => {
      for (const route of routes.filter((one) => nameOf(one).startsWith("POST ")))
        refused(
          `${nameOf(route)} looks at the key, once the body is decoded and before its own rules`,
          (account) =>
            Effect.gen(function* () {
              const isUpload = nameOf(route) === "POST /v1/attachments"
              const caller =
                route.access === "owner" ? { cookie: yield* signIn(account) } : { key: account.key }
              const answer = yield* askWith("no key!", route.target({ ...account, keyId: ABSENT }), {
                ...caller,
                ...(isUpload ? { body: formWith("A") } : bodyFor(route, account)),
              })
              expect([answer.status, answer.json]).toMatchObject([
                400,
                { code: "VALIDATION_FAILED", issues: [{ path: "Idempotency-Key" }] },
              ])
            }),
        )
    })

    shared("of nobody does not look at it", () =>
      Effect.gen(function* () {
        const body = { email: "nobody@nowhere.dev" }
        const answers = [
          yield* askWith("no key!", "POST /v1/auth/resend-verification", { body }),
          yield* askWith(KEY, "POST /v1/auth/resend-verification", { body }),
          yield* askWith(KEY, "POST /v1/auth/resend-verification", { body }),
        ]
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
        expect(answers.some(isReplayed)).toBe(false)
      }),
    )
  })

  describe("a repetition", () => {
    shared("of a body in another order is the same request", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const target = `POST /v1/mailboxes/${account.mailboxId}/messages`
        const text = [
          '{"to":["bob@partner.dev"],"subject":"A","bodyText":"B"}',
          '{ "bodyText": "B", "subject": "A",\n"to": ["bob@partner.dev"] }',
        ]
        const [first, again] = yield* Effect.forEach(text, (body) =>
          askWith(KEY, target, { key: account.key, body }),
        )
        if (first === undefined || again === undefined) return yield* Effect.dieMessage("there are two")
        expectReplay(again, first)
      }),
    )

    shared("without a body gets the same checkout again", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const upgrade = askWith(KEY, "POST /v1/billing/upgrade", { key })
        const [first, again] = [yield* upgrade, yield* upgrade]
        expect(read(CheckoutLink)(first).checkout_url).toContain("/checkout/")
        expectReplay(again, first)
      }),
    )

    shared("of an upload is told by its name, its type and its bytes", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const upload = (body: FormData) => askWith(KEY, "POST /v1/attachments", { key, body })
        const first = yield* upload(formWith("0123456789"))
        expectReplay(yield* upload(formWith("0123456789")), first)
        for (const other of [formWith("012345678X"), formWith("0123456789", "b.txt")]) {
          const answer = yield* upload(other)
          expect([answer.status, answer.json]).toEqual(reused)
        }
        expect((yield* ask("GET /v1/account", { key })).json).toMatchObject({
          account: { storageUsedBytes: 10 },
        })
      }),
    )

    shared("carries the quota as it is now", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const create = createMailbox(KEY, account, { address: "new" })
        expect((yield* create).headers.get("x-service-inbound-quota")).toBe("0/100")
        yield* receive(account.address)
        expect((yield* create).headers.get("x-service-inbound-quota")).toBe("1/100")
      }),
    )

    shared("of a send before the owner's verification stays 403 after it; another key sends", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const first = yield* sendWith(KEY, account)
        expect([first.status, first.json]).toMatchObject([403, { code: "EMAIL_NOT_VERIFIED" }])
        yield* bringTo(account, "active")
        expectReplay(yield* sendWith(KEY, account), first)
        expect((yield* sendWith(`${KEY}-2`, account)).status).toBe(201)
      }),
    )

    shared("passes the access rule first", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        yield* sendWith(KEY, account)
        yield* setFacts(account, { suspendedAt: 0 })
        const answer = yield* sendWith(KEY, account)
        expect([answer.status, isReplayed(answer)]).toEqual([403, false])
      }),
    )
  })

  describe("the same key is another request", () => {
    shared("on another path", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const One = Schema.Struct({ mailbox: Schema.Struct({ id: Schema.String }) })
        const { mailbox } = read(One)(yield* createMailbox(KEY, account, { address: "second" }))
        const answers = [
          yield* sendWith(KEY, account),
          yield* sendWith(KEY, { ...account, mailboxId: mailbox.id }),
        ]
        expect(answers.map(({ status }) => status)).toEqual([201, 201])
        expect(answers.map(isReplayed)).toEqual([false, false])
      }),
    )
  })

  describe("the sessions of an account", () => {
    shared("are one credential: after signing in again a request is still the same", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const create = (cookie: string) =>
          askWith(KEY, "POST /v1/api-keys", { cookie, body: { name: "lost" } })
        const first = yield* create(yield* signIn(account))
        expectReplay(yield* create(yield* signIn(account)), first)
      }),
    )
  })

  describe("a refusal by the route's own rules is the answer", () => {
    rule("when the relay spoke it", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const relay = yield* MemoryRelay
        yield* relay.answer("bob@partner.dev", "550 no such user")
        const first = yield* sendWith(KEY, account)
        expect(first.status).toBe(400)
        yield* relay.answer("bob@partner.dev", null)
        expectReplay(yield* sendWith(KEY, account), first)
        expect(yield* mailsSent).toBe(0)
      }),
    )
  })

  describe("a key is still free after", () => {
    shared("a body that is not in order", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        expect((yield* sendWith(KEY, account, { ...mail, to: [] })).status).toBe(400)
        expect((yield* sendWith(KEY, account)).status).toBe(201)
      }),
    )

    shared("a body that the use case found not to be in order", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const create = (url: string) =>
          askWith(KEY, "POST /v1/webhooks", { key, body: { url, events: ["message.received"] } })
        const refused = yield* create("https://127.0.0.1/in")
        expect([refused.status, refused.json]).toMatchObject([400, { code: "VALIDATION_FAILED" }])
        expect((yield* create("https://receiver.mailroom.dev/in")).status).toBe(201)
      }),
    )

    rule("a limit that passes", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        for (let n = 0; n < 60; n++) yield* sendWith(`${KEY}-${n}`, account)
        const refused = yield* sendWith(KEY, account)
        expect([refused.status, refused.json]).toMatchObject([429, { code: "SEND_VELOCITY_EXCEEDED" }])
        yield* TestClock.adjust(MINUTE)
        const answer = yield* sendWith(KEY, account)
        expect([answer.status, isReplayed(answer)]).toEqual([201, false])
      }),
    )

    rule("a relay that was away", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const relay = yield* MemoryRelay
        yield* relay.reachable(false)
        expect((yield* sendWith(KEY, account)).status).toBe(503)
        yield* relay.reachable(true)
        const answer = yield* sendWith(KEY, account)
        expect([answer.status, isReplayed(answer)]).toEqual([201, false])
        expect(yield* mailsSent).toBe(1)
      }),
    )
  })

  class Written extends Context.Tag("test/Written")<Written, { readonly text: Effect.Effect<string> }>() {}

  /** Everything that is written down about keys. */
  const watched = Layer.effectContext(
    Effect.map(IdempotencyStore, (store) => {
      const written: Array<unknown> = []
      const seen = <A>(values: ReadonlyArray<unknown>, write: Effect.Effect<A>) =>
        Effect.zipRight(
          Effect.sync(() => written.push(values)),
          write,
        )
      return Context.make(IdempotencyStore, {
        ...store,
        claim: (lease, terms) => seen([lease, terms], store.claim(lease, terms)),
        answer: (lease, sealed, isLarge) => seen([lease, sealed], store.answer(lease, sealed, isLarge)),
      }).pipe(Context.add(Written, { text: Effect.sync(() => JSON.stringify(written)) }))
    }),
  )

  describe("what is stored", () => {
    ruleWith(watched)("does not show the secret of the answer, nor the body, nor the key", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const body = { name: "worker of the month" }
        const made = read(CreatedKey)(yield* askWith(KEY, "POST /v1/api-keys", { key: account.key, body }))
        yield* sendWith(KEY, account)
        const text = yield* (yield* Written).text
        expect(text.match(/v1\./g)).toHaveLength(2)
        for (const secret of [made.key, made.id, body.name, mail.bodyText, "bob@partner.dev", KEY])
          expect(text).not.toContain(secret)
      }),
    )
  })
})
