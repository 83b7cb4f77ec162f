/** Search beyond `search.*`: order by relevance for a judged set, highlights, pages, scopes, errors. */
import { describe, it } from "@effect/vitest"
import { SearchResults } from "@mailroom/api"
import { Mailbox } from "@mailroom/domain"
import { Engine } from "@mailroom/engine"
import { freshDatabase } from "@mailroom/test-services"
import { clockAt } from "@mailroom/testing"
import { Effect, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { owner, type Owner, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { deliverOnly, receive } from "./support/mail.js"
import { serviceOn } from "./support/postgres.js"
import { inOneService, rule } from "./support/service.js"

const One = Schema.Struct({ mailbox: Mailbox })
const Key = Schema.Struct({ key: Schema.String })

type Parameters = Readonly<Record<string, string>>

const search = (account: Owner, parameters: Parameters, key = account.key) =>
  ask(
    `GET /v1/mailboxes/${account.mailboxId}/messages/search?${new URLSearchParams(parameters).toString()}`,
    {
      key,
    },
  )

const results = (account: Owner, parameters: Parameters) =>
  Effect.map(search(account, parameters), read(SearchResults))

const subjects = (account: Owner, parameters: Parameters) =>
  Effect.map(results(account, parameters), ({ messages }) => messages.map(({ subject }) => subject))

/** Mail of an office. In the order of arrival, a minute apart. */
const office: ReadonlyArray<{ readonly subject: string; readonly text: string; readonly from?: string }> = [
  {
    subject: "Invoice 2026-114 from Acme",
    text: "Please find the invoice for March attached. Amount due: 1,200 EUR.",
  },
  {
    subject: "Lunch on Friday?",
    text: "The new noodle place has a menu. By the way, did the invoice from Acme arrive?",
  },
  {
    subject: "Payment reminder",
    text: "The invoice 2026-098 is overdue since the first of February. Please pay.",
  },
  { subject: "Your verification code", text: "Your verification code is 482913. It expires in ten minutes." },
  {
    subject: "Board meeting minutes",
    text: "Minutes of the board meeting of March. The budget of the next year was approved.",
  },
  { subject: "Re: Budget 2027", text: "I have some remarks on the draft of the budget." },
  {
    subject: "Flight to Zürich",
    text: "Your flight LX 1071 from Berlin to Zürich departs at 9:40 from gate A5.",
  },
  { subject: "Hotel in Zurich", text: "Your room is reserved for two nights. Check in from 15:00." },
  { subject: "北京大学讲座", text: "欢迎参加北京大学的公开讲座。时间是三月一日。" },
  { subject: "東京出張の件", text: "来週の東京への出張について相談したいです。" },
  {
    subject: "Weekly newsletter",
    text: "News about flights, hotels, budget airlines, meetings, invoices and codes. The reminder of the week: payment by card.",
  },
  {
    subject: "Contract draft",
    text: "Attached is the second draft of the contract with the changes of the lawyers.",
  },
  { subject: "Signed contract", text: "The contract is signed. Thank you for the good cooperation." },
  {
    subject: "Server down",
    text: "The monitoring says that the server db-3 is down since 03:12. Disk full.",
  },
  { subject: "Re: Server down", text: "Fixed. The disk of db-3 was full of logs." },
  {
    subject: "Holiday request",
    text: "I would like to take my holidays from the 3rd to the 14th of August.",
  },
]

/** The best answer to each query, as a person judges. */
const judged: ReadonlyArray<readonly [q: string, best: string]> = [
  ["invoice acme", "Invoice 2026-114 from Acme"],
  ["payment reminder", "Payment reminder"],
  ["verification code", "Your verification code"],
  ["board meeting", "Board meeting minutes"],
  ["budget", "Re: Budget 2027"],
  ["zurich flight", "Flight to Zürich"],
  ["北京", "北京大学讲座"],
  ["contract signed", "Signed contract"],
  ["disk full", "Server down"],
  ["holid*", "Holiday request"],
]

/** Receives the mail of the office and asks the judged queries. */
const expectBestAnswers = (deliver: typeof deliverOnly | typeof Engine.settle) =>
  Effect.gen(function* () {
    const account = yield* signUp()
    yield* receive(account.address, office, deliver)
    for (const [q, best] of judged)
      expect([q, (yield* subjects(account, { q })).slice(0, 3)]).toEqual([q, expect.arrayContaining([best])])
  })

inOneService((shared) => {
  describe("GET /v1/mailboxes/{id}/messages/search", () => {
    for (const isIndexed of [false, true])
      shared(
        `has the best answer to ten judged queries among the first three, ${isIndexed ? "indexed" : "just arrived"}`,
        () => expectBestAnswers(isIndexed ? Engine.settle : deliverOnly),
      )

    it.scoped("has the best answer to ten judged queries among the first three on Postgres", () =>
      Effect.flatMap(freshDatabase(), (url) =>
        expectBestAnswers(Engine.settle).pipe(Effect.provide(serviceOn(url)), Effect.provide(clockAt(0))),
      ),
    )

    rule("sorts by date, and pages through all matches once, indexed or not", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        for (const [index, deliver] of [Engine.settle, Engine.settle, deliverOnly].entries()) {
          yield* TestClock.adjust("1 minute")
          const mails = [1, 2, 3].map((n) => ({ subject: `report ${3 * index + n}` }))
          yield* receive(account.address, mails, deliver)
        }
        const all = yield* subjects(account, { q: "report", sort: "date" })
        expect(all).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => `report ${n}`))
        for (const sort of ["date", "relevance"]) {
          const seen: Array<string> = []
          let cursor: string | undefined
          do {
            const page: typeof SearchResults.Type = yield* results(account, {
              q: "report",
              sort,
              limit: "2",
              ...(cursor !== undefined && { cursor }),
            })
            seen.push(...page.messages.map(({ subject }) => subject))
            expect(page.metadata.hasMore).toBe(seen.length < 9)
            cursor = page.metadata.nextCursor
          } while (cursor !== undefined)
          expect(sort === "date" ? seen : seen.toSorted().toReversed()).toEqual(all)
        }
      }),
    )

    shared("marks the words in otherwise escaped text", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const text = `${"Many words before. ".repeat(20)}The <b>Ünïque</b> word & its "phrase here". ${"After. ".repeat(60)}`
        yield* receive(account.address, [{ subject: "A unique <script>", text }])
        const [found] = (yield* results(account, { q: 'unique "phrase here" -nothing bob' })).messages
        expect(found?.highlights.subject).toBe("A <mark>unique</mark> &lt;script&gt;")
        expect(found?.highlights.from).toBe(
          "<mark>Bob</mark> &lt;bob@sender.dev&gt;".replace("bob@", "<mark>bob</mark>@"),
        )
        expect(found?.highlights.text).toContain(
          "The &lt;b&gt;<mark>Ünïque</mark>&lt;/b&gt; word &amp; its &quot;<mark>phrase here</mark>&quot;.",
        )
        expect(found?.highlights.text?.length).toBeLessThan(400)
        const [other] = (yield* results(account, { q: "subject:unique" })).messages
        expect(other?.highlights).toEqual({ subject: "A <mark>unique</mark> &lt;script&gt;" })
      }),
    )

    shared("refuses a query that does not parse, with the position, and the cursor of another query", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        yield* receive(account.address, [{}, {}])
        const answer = yield* search(account, { q: "hello (world" })
        expect(answer.status).toBe(400)
        expect(answer.json).toMatchObject({
          code: "VALIDATION_FAILED",
          issues: [{ path: "q", position: 6, message: "this parenthesis is never closed" }],
        })
        const { metadata } = yield* results(account, { q: "hello", limit: "1" })
        const cursor = metadata.nextCursor ?? ""
        expect((yield* search(account, { q: "hello", cursor, limit: "1" })).status).toBe(200)
        for (const other of [{ q: "hello you" }, { q: "hello", sort: "date" }, { q: "hello", cursor: "x" }])
          expect((yield* search(account, { cursor, ...other })).json).toMatchObject({
            issues: [{ path: "cursor" }],
          })
        expect((yield* ask(`GET /v1/messages/search`, { key: account.key })).json).toMatchObject({
          issues: [{ path: "q" }],
        })
      }),
    )

    shared("a key with a scope searches its mailboxes only", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        yield* receive(account.address, [{ subject: "secret" }])
        const made = yield* ask("POST /v1/mailboxes", {
          key: account.key,
          body: { address: `second${account.slug}` },
        })
        expect(made.status).toBe(201)
        const { mailbox } = read(One)(made)
        const limited = yield* ask("POST /v1/api-keys", {
          key: account.key,
          body: { name: "agent", mailboxIds: [mailbox.id] },
        })
        const { key } = read(Key)(limited)
        const everywhere = (credential: string) =>
          Effect.map(ask("GET /v1/messages/search?q=secret", { key: credential }), read(SearchResults))
        expect((yield* everywhere(account.key)).messages).toHaveLength(1)
        expect((yield* everywhere(key)).messages).toEqual([])
        expect((yield* search(account, { q: "secret" }, key)).status).toBe(404)
      }),
    )
  })
})
