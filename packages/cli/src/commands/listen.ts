/** `listen`: events as they happen, printed or posted to a local URL. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { MailroomError, MailroomEvent } from "@mailroom/client"
// The whole domain would delay the start of every command.
import { WEBHOOK_TIMEOUT } from "@mailroom/domain/limits"
import { Clock, Effect, Option } from "effect"
import { cliError, usageError } from "../CliError.js"
import { eventsOption } from "../eventKinds.js"
import { exitCodes } from "../exitCodes.js"
import { common, mailboxOption, optionalText, remote, text } from "../options.js"
import { Api, chosenMailbox } from "../session/Api.js"
import { Output } from "../terminal/Output.js"
import { safeLine } from "../terminal/safeText.js"
import { environmentValue, Shell } from "../terminal/Shell.js"
import { newSecret, signatureHeaders } from "../webhookSignature.js"

const SECRET = /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/

/** The body that webhooks post: an event without its id, which stands in the header. */
const bodyOf = ({ event, timestamp, data }: MailroomEvent): string =>
  JSON.stringify({ event, timestamp, data })

interface Target {
  readonly url: string
  readonly secret: string
  readonly prefix: string
}

/** Posts an event once, with the time that a webhook of the service has, and tells what the receiver answered. */
const post = Effect.fnUntraced(function* ({ url, secret, prefix }: Target, event: MailroomEvent) {
  const body = bodyOf(event)
  const at = yield* Clock.currentTimeMillis
  const signed = signatureHeaders(secret, prefix, { id: event.id, event: event.event, body, at })
  return yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", ...signed },
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(WEBHOOK_TIMEOUT)]),
      })
      await response.body?.cancel()
      return String(response.status)
    },
    catch: (error) => (error instanceof Error ? error.message : String(error)),
  }).pipe(Effect.catchAll(Effect.succeed))
})

/** The secret of the command line or the environment, else a new one. */
const secretOf = Effect.fnUntraced(function* () {
  const shell = yield* Shell
  const secret = environmentValue(shell, "MAILROOM_WEBHOOK_SECRET") ?? newSecret()
  return SECRET.test(secret)
    ? secret
    : yield* usageError("MAILROOM_WEBHOOK_SECRET is no secret.", "Write it as whsec_ and base64.")
})

const localUrl = (url: string) =>
  URL.canParse(url) && /^https?:/.test(url)
    ? Effect.succeed(url)
    : usageError(`${url} is no URL to post to.`, "Write it as http://localhost:8080/hook.")

/** The end of the event log, so that nothing is missed after "Listening"; none while payment is required. */
const endOfLog = Api.request((mailroom, options) => mailroom.events.log({ after: "latest" }, options)).pipe(
  Effect.map(({ body }) => body.metadata.nextAfter ?? ""),
  Effect.catchIf(
    ({ exitCode }) => exitCode === exitCodes.refused,
    () => Effect.succeed(undefined),
  ),
)

export const listen = Command.make(
  "listen",
  {
    forward: optionalText("forward", "URL to which each event is posted once, signed as webhooks are"),
    headerPrefix: text("header-prefix", "HEADER_PREFIX of the service").pipe(
      Options.withDefault("X-Service-"),
    ),
    events: eventsOption.pipe(Options.repeated),
    after: optionalText("after", "id of the event after which to begin; by default now"),
    mailbox: mailboxOption,
    common,
  },
  ({ forward, headerPrefix, events, after, mailbox, common }) =>
    remote(
      common,
      Effect.gen(function* () {
        const output = yield* Output
        const { mailroom } = yield* Api
        const chosen = yield* chosenMailbox(mailbox)
        const url = yield* Effect.transposeMapOption(forward, localUrl)
        const target = Option.isNone(url)
          ? undefined
          : { url: url.value, secret: yield* secretOf(), prefix: headerPrefix }
        if (target !== undefined) yield* output.note(`The secret of the signatures: ${target.secret}`)
        const selection = {
          after: Option.isSome(after) ? after.value : yield* endOfLog,
          types: events.length === 0 ? undefined : events,
          mailboxIds: Option.getOrUndefined(Option.map(chosen, ({ id }) => [id])),
        }
        const handle = Effect.fnUntraced(function* (event: MailroomEvent) {
          const answer = target === undefined ? "" : `  ${yield* post(target, event)}`
          if (output.isJson) return yield* output.json(event)
          yield* output.write(safeLine(`${event.timestamp}  ${event.event}  ${event.id}${answer}`))
        })
        yield* output.note("Listening. Ctrl-C ends it.")
        // Not a stream: its end would wait for the event after, which comes only when the connection is aborted.
        yield* Effect.tryPromise({
          try: async (signal) => {
            const onDisconnect = ({ message }: MailroomError) =>
              Effect.runFork(output.note(`${message} Connecting again.`))
            for await (const event of mailroom.events({ ...selection, signal, onDisconnect }))
              await Effect.runPromise(handle(event), { signal })
          },
          catch: cliError,
        })
      }),
    ),
).pipe(Command.withDescription("Print events as they happen, or post them to a local URL, until Ctrl-C"))
