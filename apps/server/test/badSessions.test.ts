/** SMTP sessions that break the protocol store nothing incomplete, and smuggle no mail inside another. */
import { expect, layer } from "@effect/vitest"
import { eventually, deliver, plainMail, smtpSession, transfer, upToData } from "@mailroom/test-services"
import { Effect } from "effect"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { type Account, signUp } from "./support/account.js"
import { rows } from "./support/database.js"
import { arrivedAs, messages } from "./support/messages.js"
import { type Server, SharedServer } from "./support/server.js"

/** The messages that arrived before a mail that is sent now. */
const arrivedBeforeNow = Effect.fn(function* (server: Server, account: Account) {
  yield* deliver(server.smtpPort, account.address, plainMail("marker"))
  yield* arrivedAs(account, "marker")
  const all = yield* messages(account)
  return all.map(({ subject }) => subject).filter((subject) => subject !== "marker")
})

const blobs = (folder: string) =>
  Effect.promise(async () => {
    const entries = await readdir(join(folder, "data", "blobs"), { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  })

layer(SharedServer.layer(), { excludeTestServices: true })("sessions that break the rules", (it) => {
  for (const [name, bytes] of [
    ["a small mail", 1_000],
    ["a large mail", 3_000_000],
  ] as const)
    it.scoped(`a connection that breaks in DATA of ${name} leaves nothing behind`, () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* signUp(server, bytes > 10_000 ? "broken-large" : "broken")
        const before = yield* rows(server.folder, "SELECT id FROM raw_mails")
        const blobsBefore = yield* blobs(server.folder)
        const client = yield* smtpSession(server.smtpPort)
        expect(yield* upToData(client, account.address)).toMatch(/^354/)
        yield* client.write(plainMail("half"))
        yield* client.write(`${"x".repeat(78)}\r\n`.repeat(bytes / 80))
        yield* client.drop
        expect(yield* arrivedBeforeNow(server, account)).toEqual([])
        // The marker has a row; the broken one has none.
        expect(yield* rows(server.folder, "SELECT id FROM raw_mails")).toHaveLength(before.length + 1)
        yield* eventually(
          "its blob is gone",
          blobs(server.folder),
          ({ length }) => length <= blobsBefore.length,
        )
      }),
    )

  for (const [name, line] of [
    ["line feed", "a bare\nline feed"],
    ["carriage return", "a bare\rcarriage return"],
  ] as const)
    it.scoped(`a bare ${name} in the message is refused, and the session goes on`, () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* signUp(server, name.replace(" ", "-"))
        const client = yield* smtpSession(server.smtpPort)
        expect(yield* transfer(client, account.address, `${plainMail("bare")}\r\n${line}`)).toMatch(
          /^554 5\.6\.0/,
        )
        expect(yield* client.say("NOOP")).toMatch(/^250/)
        expect(yield* arrivedBeforeNow(server, account)).toEqual([])
      }),
    )

  const endings = [
    "\n.\n",
    "\n.\r\n",
    "\r\n.\n",
    "\r.\r",
    "\r.\r\n",
    "\r\n.\r",
    "\r.\n",
    "\n.\r",
    "\r\n\0.\r\n",
  ]
  for (const ending of endings)
    it.scoped(`${JSON.stringify(ending)} does not end DATA: no second mail is smuggled in`, () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* signUp(server, `smuggle-${"x".repeat(endings.indexOf(ending) + 1)}`)
        const client = yield* smtpSession(server.smtpPort)
        expect(yield* upToData(client, account.address)).toMatch(/^354/)
        const smuggled = [
          "MAIL FROM:<admin@bank.dev>",
          `RCPT TO:<${account.address}>`,
          "DATA",
          plainMail("smuggled"),
          "",
        ].join("\r\n")
        yield* client.write(`${plainMail("outer")}${ending}${smuggled}`)
        const reply = yield* client.say(".")
        expect(reply).toMatch(ending.includes("\0") ? /^[25]\d\d/ : /^554/)
        // One reply for one message: the next one answers the next command.
        expect(yield* client.say("RSET")).toMatch(/^250/)
        expect(yield* arrivedBeforeNow(server, account)).toEqual(reply.startsWith("250") ? ["outer"] : [])
      }),
    )

  it.scoped("a mail that says it is too large is refused before it is sent", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const client = yield* smtpSession(server.smtpPort)
      expect(yield* client.say("MAIL FROM:<bob@corp.org> SIZE=50000000")).toMatch(/^552/)
    }),
  )

  it.scoped("mail for others is not relayed", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* signUp(server, "no-relay")
      const client = yield* smtpSession(server.smtpPort)
      yield* client.say(`MAIL FROM:<${account.address}>`)
      const others = [
        "victim@partner.dev",
        `victim%partner.dev@${account.address.split("@")[1]}`,
        `"victim@partner.dev"@mailroom.localhost`,
        "victim",
        "nobody@no-relay.mailroom.localhost",
      ]
      for (const other of others) expect(yield* client.say(`RCPT TO:<${other}>`)).toMatch(/^5/)
    }),
  )
})
