/** `MailSubmission` in memory, with one mailbox and its key, and a record of what was submitted. */
import { AccountId, MailboxId, newAccount, type Principal, type SmtpAnswer } from "@mailroom/domain"
import { MailSubmission, type RawContent, StorageFailure } from "@mailroom/engine"
import { type ListenFailed, SubmissionServer, type SubmissionServerOptions } from "@mailroom/mail"
import { Context, Effect, Either, Layer, Redacted } from "effect"
import { type Dialogue, session } from "./dialogue.js"
import { FakeSpool } from "./spool.js"

export const ADDRESS = "agent@mailroom.test"
export const KEY = "mr_key"

const mailboxId = MailboxId.make("01900000-0000-7000-8000-000000000002")

const principal: Principal = {
  account: newAccount({
    id: AccountId.make("01900000-0000-7000-8000-000000000001"),
    email: "owner@mailroom.test",
    name: null,
    slug: "mailroom",
    passwordHash: "hash",
    intentPlan: null,
    intentPeriod: null,
    createdAt: 0,
  }),
  state: "active",
  scope: null,
  permissions: [],
  credential: { kind: "embedded" },
}

export interface Submission {
  readonly to: ReadonlyArray<string>
  readonly content: RawContent
  /** Latin-1; empty for one in the blob store */
  readonly text: string
}

export class FakeSubmission extends Context.Tag("test/FakeSubmission")<
  FakeSubmission,
  {
    readonly submitted: Effect.Effect<ReadonlyArray<Submission>>
    /** the number of sign-ins that were checked */
    readonly signIns: Effect.Effect<number>
    /** Makes every request die from now on. */
    readonly fail: Effect.Effect<void>
    /** the reply to mails from now on */
    readonly answer: (answer: SmtpAnswer) => Effect.Effect<void>
  }
>() {
  /** `refused@elsewhere.test` is refused. */
  static readonly layer: Layer.Layer<FakeSubmission | MailSubmission> = Layer.effectContext(
    Effect.sync(() => {
      const submitted: Array<Submission> = []
      let signIns = 0
      let failing = false
      let answer: SmtpAnswer = { code: 250, enhanced: "2.0.0", text: "sent as 1" }
      const trouble = Effect.suspend(() =>
        failing ? Effect.die(new StorageFailure({ reason: "unavailable", cause: "test" })) : Effect.void,
      )
      const refused = (code: number, enhanced: string, text: string): Either.Either<never, SmtpAnswer> =>
        Either.left({ code, enhanced, text })
      return Context.make(MailSubmission, {
        signIn: (user, key) =>
          Effect.map(trouble, () => {
            signIns++
            return user === ADDRESS && Redacted.value(key) === KEY
              ? Either.right({ mailboxId, address: ADDRESS, key })
              : refused(535, "5.7.8", "wrong")
          }),
        begin: (submitter, from) =>
          Effect.map(trouble, () =>
            from === "" || from === ADDRESS
              ? Either.right({ submitter, principal })
              : refused(550, "5.7.1", "not the mailbox"),
          ),
        refusal: (_, to) =>
          Effect.map(trouble, () =>
            to === "refused@elsewhere.test" ? { code: 550, enhanced: "5.1.1", text: "suppressed: é" } : null,
          ),
        submit: (_, { to, content }) =>
          Effect.map(trouble, () => {
            const text = content.kind === "inline" ? Buffer.from(content.bytes).toString("latin1") : ""
            submitted.push({ to, content, text })
            return answer
          }),
      }).pipe(
        Context.add(FakeSubmission, {
          submitted: Effect.sync(() => [...submitted]),
          signIns: Effect.sync(() => signIns),
          fail: Effect.sync(() => {
            failing = true
          }),
          answer: (next) =>
            Effect.sync(() => {
              answer = next
            }),
        }),
      )
    }),
  )
}

/** A submission server on a free port of this machine. */
export const submissionServer = (
  options: Partial<SubmissionServerOptions> = {},
): Layer.Layer<SubmissionServer | FakeSpool | FakeSubmission, ListenFailed> =>
  SubmissionServer.layer({ host: "127.0.0.1", port: 0, name: "smtp.mailroom.test", ...options }).pipe(
    Layer.provideMerge(Layer.merge(FakeSpool.layer, FakeSubmission.layer)),
  )

/** A session that has said EHLO. */
export const client = Effect.flatMap(SubmissionServer, ({ port }) => session(port))

/** The base64 line of PLAIN. */
export const plain = (user: string, password: string, identity = ""): string =>
  Buffer.from(`${identity}\0${user}\0${password}`).toString("base64")

export const base64 = (text: string): string => Buffer.from(text).toString("base64")

/** A session that has signed in. */
export const signedIn = Effect.tap(client, (dialogue) => dialogue.say(`AUTH PLAIN ${plain(ADDRESS, KEY)}`))

/** A whole transaction: the reply to the end of the message. */
export const submitted = (dialogue: Dialogue, message: string | Uint8Array) =>
  Effect.gen(function* () {
    yield* dialogue.say(`MAIL FROM:<${ADDRESS}>`)
    yield* dialogue.say("RCPT TO:<bob@elsewhere.test>")
    yield* dialogue.say("DATA")
    yield* dialogue.write(message)
    yield* dialogue.write("\r\n.\r\n")
    return yield* dialogue.reply
  })
