/** An SNS topic that signs messages, and its endpoint on loopback. */
import { it } from "@effect/vitest"
import { DAY } from "@mailroom/domain"
import { ProviderReports } from "@mailroom/engine"
import { providerReports } from "@mailroom/providers"
import { Context, Effect, Layer, type Scope, TestClock } from "effect"
import { sign } from "node:crypto"
import { createServer, type RequestListener } from "node:http"
import { newKey, signer } from "./certificate.js"

/** 10 March 2026, 12:00 UTC. */
export const NOON = Date.UTC(2026, 2, 10, 12)

export const ORIGIN = "https://sns.eu-west-1.amazonaws.com"
export const TOPIC = "arn:aws:sns:eu-west-1:123456789012:mail-reports"
export const CERTIFICATE_PATH = "/SimpleNotificationService-0123456789abcdef.pem"
export const CONFIRM_URL = `${ORIGIN}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=t0ken`

export const sns = signer(newKey(), NOON - 30 * DAY, NOON + 30 * DAY)

export type Fields = Readonly<Record<string, string>>

/** A message of SNS with changed fields, signed by SNS's key or another. */
export const posted = (fields: Fields = {}, key = sns.key): Fields => {
  const isNotification = (fields["Type"] ?? "Notification") === "Notification"
  const message: Fields = {
    Type: "Notification",
    MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    TopicArn: TOPIC,
    Message: "Successfully validated SNS topic for Amazon SES event publishing.",
    Timestamp: new Date(NOON).toISOString(),
    SignatureVersion: "2",
    SigningCertURL: ORIGIN + CERTIFICATE_PATH,
    ...(!isNotification && { SubscribeURL: CONFIRM_URL, Token: "t0ken" }),
    ...fields,
  }
  const text = ["Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
    .filter((name) => message[name] !== undefined)
    .map((name) => `${name}\n${message[name]}\n`)
    .join("")
  const hash = message["SignatureVersion"] === "1" ? "sha1" : "sha256"
  return { ...message, Signature: sign(hash, Buffer.from(text), key).toString("base64") }
}

/** The endpoint of SNS. */
export class FakeSns extends Context.Tag("@mailroom/providers/test/FakeSns")<
  FakeSns,
  {
    /** path and query of each request */
    readonly asked: ReadonlyArray<string>
    /** Sets the response to later requests. */
    readonly answers: (listener: RequestListener) => void
  }
>() {}

const healthy: RequestListener = ({ url }, response) => {
  if (url === CERTIFICATE_PATH) response.end(sns.certificate)
  else response.writeHead(url?.startsWith("/?") === true ? 200 : 404).end()
}

const listening = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
      const server = createServer(listener)
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = address === null || typeof address === "string" ? 0 : address.port
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ port, close }))
      })
    }),
    ({ close }) => Effect.sync(close),
  )

/** `ProviderReports` of SES, with requests to SNS going to the fake endpoint. */
const service = Layer.unwrapScoped(
  Effect.gen(function* () {
    const asked: Array<string> = []
    let listener = healthy
    const { port } = yield* listening((request, response) => {
      asked.push(request.url ?? "")
      listener(request, response)
    })
    return Layer.merge(
      Layer.succeed(FakeSns, { asked, answers: (next) => void (listener = next) }),
      providerReports({
        kind: "ses",
        topicArn: TOPIC,
        fetch: (url, init) => fetch(url.replace(ORIGIN, `http://127.0.0.1:${port}`), init),
      }),
    )
  }),
)

export const rule = <A, E>(
  name: string,
  body: Effect.Effect<A, E, ProviderReports | FakeSns | Scope.Scope>,
) => it.scoped(name, () => Effect.provide(Effect.zipRight(TestClock.setTime(NOON), body), service))

/** Reads a posted message. */
export const read = (message: Fields | string) =>
  Effect.flatMap(ProviderReports, (reports) =>
    reports.read({ headers: {}, body: typeof message === "string" ? message : JSON.stringify(message) }),
  )

/** The error of a refused message. */
export const refusal = (message: Fields | string) =>
  Effect.map(Effect.flip(read(message)), ({ _tag }) => _tag)
