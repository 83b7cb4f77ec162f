/** The submission server: signing in, replies, and what it never does before a client has signed in. */
import { describe, expect, it } from "@effect/vitest"
import { INLINE_MAX_BYTES } from "@mailroom/domain"
import { SubmissionServer } from "@mailroom/mail"
import { Effect } from "effect"
import { connect as connectTls } from "node:tls"
import { certificate, privateKey } from "./support/certificate.js"
import { CLOSED, type Dialogue, dial, session } from "./support/dialogue.js"
import { FakeSpool } from "./support/spool.js"
import {
  ADDRESS,
  base64,
  client,
  FakeSubmission,
  KEY,
  plain,
  signedIn,
  submissionServer,
  submitted,
} from "./support/submission.js"

const tls = { cert: certificate, key: privateKey }
const remote = { isTrustedNetwork: () => false }

/** Sends each line and expects the beginning of its reply. */
const converse = (dialogue: Dialogue, lines: ReadonlyArray<readonly [line: string, reply: string]>) =>
  Effect.forEach(lines, ([line, reply]) =>
    Effect.map(dialogue.say(line), (said) =>
      expect(`${line} -> ${said.slice(0, reply.length)}`).toBe(`${line} -> ${reply}`),
    ),
  )

const extensions = (reply: string) => reply.split("\n").map((line) => line.slice(4))

describe("signing in", () => {
  it.scoped("is offered with PLAIN and LOGIN on this machine", () =>
    Effect.gen(function* () {
      const dialogue = yield* dial((yield* SubmissionServer).port)
      expect(yield* dialogue.reply).toBe("220 smtp.mailroom.test ESMTP")
      expect(extensions(yield* dialogue.say("EHLO client.example"))).toEqual([
        "smtp.mailroom.test",
        "PIPELINING",
        "8BITMIME",
        "SMTPUTF8",
        "ENHANCEDSTATUSCODES",
        "SIZE 41943040",
        "AUTH PLAIN LOGIN",
      ])
    }).pipe(Effect.provide(submissionServer())),
  )

  it.scoped("works with PLAIN and LOGIN, with and without an initial response", () =>
    Effect.gen(function* () {
      const { port } = yield* SubmissionServer
      const ways: ReadonlyArray<ReadonlyArray<readonly [string, string]>> = [
        [[`AUTH PLAIN ${plain(ADDRESS, KEY)}`, "235 2.7.0"]],
        [[`auth plain ${plain(ADDRESS, KEY, ADDRESS)}`, "235 2.7.0"]],
        [
          ["AUTH PLAIN", "334"],
          [plain(ADDRESS, KEY), "235 2.7.0"],
        ],
        [
          ["AUTH LOGIN", "334 VXNlcm5hbWU6"],
          [base64(ADDRESS), "334 UGFzc3dvcmQ6"],
          [base64(KEY), "235 2.7.0"],
        ],
        [
          [`AUTH LOGIN ${base64(ADDRESS)}`, "334 UGFzc3dvcmQ6"],
          [base64(KEY), "235 2.7.0"],
        ],
      ]
      for (const way of ways) {
        const dialogue = yield* session(port)
        yield* converse(dialogue, way)
        yield* converse(dialogue, [
          [`AUTH PLAIN ${plain(ADDRESS, KEY)}`, "503 5.5.1"],
          [`MAIL FROM:<${ADDRESS}>`, "250 2.1.0"],
        ])
      }
    }).pipe(Effect.provide(submissionServer())),
  )

  it.scoped("is needed before a mail, and refuses what is no sign-in", () =>
    Effect.gen(function* () {
      const { port } = yield* SubmissionServer
      const early = yield* dial(port)
      yield* early.reply
      yield* converse(early, [["AUTH PLAIN", "503 5.5.1"]])
      // A session of its own for each group: the replies to many errors are delayed.
      const groups: ReadonlyArray<ReadonlyArray<readonly [string, string]>> = [
        [
          [`MAIL FROM:<${ADDRESS}>`, "530 5.7.0"],
          ["RCPT TO:<bob@elsewhere.test>", "503 5.5.1"],
          ["DATA", "503 5.5.1"],
        ],
        [
          ["AUTH CRAM-MD5", "504 5.5.4"],
          ["AUTH", "504 5.5.4"],
          ["AUTH PLAIN not-base64!", "501 5.5.2"],
        ],
        [
          [`AUTH PLAIN ${base64("no zeros")}`, "501 5.5.2"],
          [`AUTH PLAIN ${plain(ADDRESS, KEY, "other@mailroom.test")}`, "501 5.5.2"],
          ["AUTH PLAIN =", "501 5.5.2"],
        ],
        [
          ["AUTH LOGIN", "334"],
          ["*", "501 5.7.0"],
          ["AUTH PLAIN", "334"],
          ["A".repeat(3000), "500 5.5.6"],
        ],
      ]
      for (const lines of groups) yield* converse(yield* session(port), lines)
      expect(yield* (yield* FakeSubmission).signIns).toBe(0)
    }).pipe(Effect.provide(submissionServer())),
  )

  it.scoped("with wrong credentials gets one reply, and slows a network down until it is turned away", () =>
    Effect.gen(function* () {
      const { port } = yield* SubmissionServer
      const wrong = [plain(ADDRESS, "mr_other"), plain("nobody@mailroom.test", KEY)]
      const replies = new Set<string>()
      for (let tries = 0; tries < 150; tries++) {
        const dialogue = yield* dial(port, "127.0.0.9")
        const greeting = yield* dialogue.reply
        if (greeting.startsWith("421")) {
          replies.add(greeting)
          break
        }
        yield* dialogue.say("EHLO client.example")
        // A delayed reply is not awaited: the attempt is counted before.
        yield* dialogue.write(`AUTH PLAIN ${wrong[tries % 2]}\r\n`)
        if (tries < 19) replies.add(yield* dialogue.reply)
        else yield* dialogue.write("NOOP\r\n")
        yield* dialogue.drop
      }
      expect([...replies]).toEqual([
        "535 5.7.8 wrong",
        "421 4.7.0 Too many failed sign-ins from your network",
      ])
      yield* converse(yield* session(port), [[`AUTH PLAIN ${plain(ADDRESS, KEY)}`, "235 "]])
    }).pipe(Effect.provide(submissionServer())),
  )

  it.scoped("is a temporary failure while storage is away", () =>
    Effect.gen(function* () {
      yield* (yield* FakeSubmission).fail
      yield* converse(yield* client, [[`AUTH PLAIN ${plain(ADDRESS, KEY)}`, "454 4.7.0"]])
    }).pipe(Effect.provide(submissionServer())),
  )
})

describe("without TLS, from another machine", () => {
  it.scoped("no password is taken, and no mail; after STARTTLS both are, and nothing of before is kept", () =>
    Effect.gen(function* () {
      const dialogue = yield* client
      expect(yield* dialogue.say("EHLO client.example")).not.toContain("AUTH")
      yield* converse(dialogue, [
        [`AUTH PLAIN ${plain(ADDRESS, KEY)}`, "538 5.7.11"],
        [`MAIL FROM:<${ADDRESS}>`, "530 5.7.0 Send STARTTLS"],
      ])
      // Pipelined after STARTTLS: an attacker's words.
      yield* dialogue.write(`STARTTLS\r\nAUTH PLAIN ${plain(ADDRESS, KEY)}\r\n`)
      expect(yield* dialogue.reply).toMatch(/^220/)
      yield* dialogue.startTls
      expect(yield* dialogue.say("EHLO client.example")).toMatch(/AUTH PLAIN LOGIN/)
      expect(yield* (yield* FakeSubmission).signIns).toBe(0)
      yield* converse(dialogue, [
        [`MAIL FROM:<${ADDRESS}>`, "530 5.7.0 Sign in"],
        [`AUTH PLAIN ${plain(ADDRESS, KEY)}`, "235 "],
        [`MAIL FROM:<${ADDRESS}>`, "250 "],
      ])
    }).pipe(Effect.provide(submissionServer({ ...remote, tls }))),
  )

  it.scoped("a server with TLS from the first byte greets inside it", () =>
    Effect.gen(function* () {
      const { port } = yield* SubmissionServer
      const greeting = yield* Effect.async<string>((resume) => {
        const socket = connectTls({ port, host: "127.0.0.1", ca: certificate, servername: "localhost" })
        socket.once("data", (bytes: Buffer) => {
          socket.destroy()
          resume(Effect.succeed(bytes.toString()))
        })
      })
      expect(greeting).toBe("220 smtp.mailroom.test ESMTP\r\n")
      const plainClient = yield* dial(port)
      yield* plainClient.write("EHLO client.example\r\n")
      expect(yield* plainClient.reply).toBe(CLOSED)
    }).pipe(Effect.provide(submissionServer({ ...remote, tls, isTlsFirst: true }))),
  )
})

describe("a mail", () => {
  it.scoped("is submitted with its envelope, and its reply is that of the send", () =>
    Effect.gen(function* () {
      const fake = yield* FakeSubmission
      const dialogue = yield* signedIn
      yield* converse(dialogue, [
        [`MAIL FROM:<${ADDRESS}> SIZE=1000 BODY=8BITMIME SMTPUTF8 AUTH=<>`, "250 "],
        ["RCPT TO:<bob@elsewhere.test>", "250 2.1.5"],
        ["RCPT TO:<refused@elsewhere.test>", "550 5.1.1 suppressed: ?"],
        ["RCPT TO:<carol@elsewhere.test>", "250 2.1.5"],
        ["DATA", "354"],
      ])
      yield* dialogue.write("Subject: hi\r\n\r\n..dot\r\n\xe9\r\n.\r\n")
      expect(yield* dialogue.reply).toBe("250 2.0.0 sent as 1")
      expect(yield* fake.submitted).toMatchObject([
        {
          to: ["bob@elsewhere.test", "carol@elsewhere.test"],
          text: "Subject: hi\r\n\r\n.dot\r\n\xe9\r\n",
        },
      ])
      yield* fake.answer({ code: 451, enhanced: "4.4.1", text: "later" })
      expect(yield* submitted(dialogue, "Subject: two\r\n\r\n")).toBe("451 4.4.1 later")
      yield* fake.fail
      yield* converse(dialogue, [[`MAIL FROM:<${ADDRESS}>`, "451 4.3.0"]])
    }).pipe(Effect.provide(submissionServer())),
  )

  it.scoped(
    "that is large goes through the blob store; one beyond SIZE is refused before its data and after it",
    () =>
      Effect.gen(function* () {
        const dialogue = yield* signedIn
        yield* converse(dialogue, [[`MAIL FROM:<${ADDRESS}> SIZE=41943041`, "552 5.3.4"]])
        const line = `${"a".repeat(998)}\r\n`
        const large = line.repeat(Math.ceil(INLINE_MAX_BYTES / line.length) + 1)
        expect(yield* submitted(dialogue, large)).toMatch(/^250 /)
        expect((yield* (yield* FakeSubmission).submitted).map(({ content }) => content.kind)).toEqual([
          "blob",
        ])
        expect(yield* submitted(dialogue, line.repeat(42_000))).toMatch(/^552 5\.3\.4 /)
        const spool = yield* FakeSpool
        expect(yield* spool.discarded).toBe("blob-2")
      }).pipe(Effect.provide(submissionServer())),
  )

  it.scoped("cannot be smuggled behind a bare line feed or carriage return", () =>
    Effect.gen(function* () {
      for (const end of ["\n.\n", "\r.\r", "\n.\r\n", "\r\n.\n"]) {
        const dialogue = yield* signedIn
        const smuggled = `MAIL FROM:<${ADDRESS}>\r\nRCPT TO:<eve@elsewhere.test>\r\nDATA\r\nSubject: b\r\n\r\nb`
        expect(yield* submitted(dialogue, `Subject: a\r\n\r\na${end}${smuggled}`)).toMatch(
          /^554 5\.6\.0 Bare/,
        )
      }
      expect(yield* (yield* FakeSubmission).submitted).toEqual([])
    }).pipe(Effect.provide(submissionServer())),
  )

  it.scoped(
    "has 100 recipients, and a client that goes on for 10,000 gets a temporary refusal for each",
    () =>
      Effect.gen(function* () {
        const dialogue = yield* signedIn
        yield* dialogue.say(`MAIL FROM:<${ADDRESS}>`)
        for (let group = 0; group < 100; group++) {
          const names = Array.from({ length: 100 }, (_, index) => `r${group * 100 + index}@elsewhere.test`)
          yield* dialogue.write(names.map((name) => `RCPT TO:<${name}>\r\n`).join(""))
          const expected = group === 0 ? /^250 2\.1\.5/ : /^452 4\.5\.3/
          for (const _ of names) expect(yield* dialogue.reply).toMatch(expected)
        }
        expect(yield* dialogue.say("DATA")).toMatch(/^354/)
        yield* dialogue.write("Subject: many\r\n\r\n.\r\n")
        expect(yield* dialogue.reply).toMatch(/^250/)
        const [mail] = yield* (yield* FakeSubmission).submitted
        expect(mail?.to).toHaveLength(100)
      }).pipe(Effect.provide(submissionServer())),
  )

  it.scoped("has neither BDAT nor BINARYMIME, and pipelined commands are answered in their order", () =>
    Effect.gen(function* () {
      const dialogue = yield* signedIn
      yield* converse(dialogue, [
        ["BDAT 5 LAST", "500 5.5.2"],
        [`MAIL FROM:<${ADDRESS}> BODY=BINARYMIME`, "501 5.5.4"],
      ])
      yield* dialogue.write(
        `MAIL FROM:<${ADDRESS}>\r\nRCPT TO:<bob@elsewhere.test>\r\nDATA\r\nSubject: p\r\n\r\np\r\n.\r\nQUIT\r\n`,
      )
      const replies = yield* Effect.all(Array.from({ length: 6 }, () => dialogue.reply))
      expect(replies.map((reply) => reply.slice(0, 3))).toEqual(["250", "250", "354", "250", "221", "clo"])
    }).pipe(Effect.provide(submissionServer())),
  )
})
