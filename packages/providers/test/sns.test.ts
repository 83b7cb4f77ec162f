/** Only messages that SNS signed for our topic are accepted (docs.aws.amazon.com/sns, Verifying signatures). */
import { describe, expect, it } from "@effect/vitest"
import { DAY, MINUTE } from "@mailroom/domain"
import { providerReports } from "@mailroom/providers"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { newKey, signer } from "./support/certificate.js"
import {
  CERTIFICATE_PATH,
  CONFIRM_URL,
  FakeSns,
  NOON,
  ORIGIN,
  posted,
  read,
  refusal,
  rule,
  sns,
  TOPIC,
} from "./support/sns.js"

const at = (instant: number) => ({ Timestamp: new Date(instant).toISOString() })

describe("a message of the topic", () => {
  for (const SignatureVersion of ["1", "2"])
    rule(
      `is taken with a signature of version ${SignatureVersion}`,
      Effect.gen(function* () {
        expect(yield* read(posted({ SignatureVersion }))).toEqual([])
        expect(yield* read(posted({ SignatureVersion, Subject: "Notification" }))).toEqual([])
      }),
    )

  rule(
    "is refused after a change",
    Effect.gen(function* () {
      const original = posted({ Subject: "Notification" })
      const { Subject: _, ...withoutSubject } = original
      for (const changed of [
        { ...original, Message: "{}" },
        { ...original, MessageId: "another" },
        { ...original, Subject: "Another" },
        { ...original, ...at(NOON + 1) },
        { ...original, SignatureVersion: "1" },
        { ...original, Signature: "" },
        withoutSubject,
        { ...original, Type: "SubscriptionConfirmation", Token: "t", SubscribeURL: CONFIRM_URL },
      ])
        expect(yield* refusal(changed)).toBe("InvalidSignature")
    }),
  )

  rule(
    "is refused when another key signed it",
    Effect.gen(function* () {
      expect(yield* refusal(posted({}, newKey()))).toBe("InvalidSignature")
    }),
  )

  rule(
    "is accepted for the hour of SNS's retries, and five minutes of clock skew in both directions",
    Effect.gen(function* () {
      for (const age of [-5, 65]) {
        expect(yield* read(posted(at(NOON - age * MINUTE)))).toEqual([])
        expect(yield* refusal(posted(at(NOON - age * MINUTE - Math.sign(age))))).toBe("InvalidSignature")
      }
      expect(yield* refusal(posted({ Timestamp: "yesterday" }))).toBe("InvalidSignature")
    }),
  )
})

describe("an invalid message causes no request to SNS", () => {
  for (const [what, message] of [
    ["a message of another topic", posted({ TopicArn: TOPIC.replace("reports", "secrets") })],
    ["a message that is too old", posted(at(NOON - DAY))],
    ["a message in a signature of another version", posted({ SignatureVersion: "3" })],
    ["raw delivery, which nobody signs", JSON.stringify({ eventType: "Bounce", mail: {} })],
    ["a body that is not JSON", "Bounce"],
  ] as const)
    rule(
      what,
      Effect.gen(function* () {
        const { asked } = yield* FakeSns
        expect(yield* refusal(message)).toBe("InvalidSignature")
        expect(asked).toEqual([])
      }),
    )

  for (const SigningCertURL of [
    "not a URL",
    `http://sns.eu-west-1.amazonaws.com${CERTIFICATE_PATH}`,
    `https://sns.us-east-1.amazonaws.com${CERTIFICATE_PATH}`,
    `https://sns.eu-west-1.amazonaws.com.cn${CERTIFICATE_PATH}`,
    `https://sns.eu-west-1.amazonaws.com.evil.example${CERTIFICATE_PATH}`,
    `https://sns.eu-west-1.amazonaws.com:8443${CERTIFICATE_PATH}`,
    `https://sns.eu-west-1.amazonaws.com@evil.example${CERTIFICATE_PATH}`,
    `https://me@sns.eu-west-1.amazonaws.com${CERTIFICATE_PATH}`,
    `https://sns.s3-eu-west-1.amazonaws.com${CERTIFICATE_PATH}`,
    `https://evil.example${CERTIFICATE_PATH}`,
    `${ORIGIN}${CERTIFICATE_PATH}?Action=Publish`,
    `${ORIGIN}${CERTIFICATE_PATH}#.pem`,
    `${ORIGIN}/evil.pem`,
    `${ORIGIN}/evil${CERTIFICATE_PATH}`,
    `${ORIGIN}/SimpleNotificationService-0123.txt`,
    `${ORIGIN}/?Action=GetTopicAttributes&x=.pem`,
  ])
    rule(
      `a certificate at ${SigningCertURL}`,
      Effect.gen(function* () {
        const { asked } = yield* FakeSns
        expect(yield* refusal(posted({ SigningCertURL }))).toBe("InvalidSignature")
        expect(asked).toEqual([])
      }),
    )
})

describe("the certificate", () => {
  rule(
    "is fetched once, also for concurrent messages",
    Effect.gen(function* () {
      const { asked } = yield* FakeSns
      yield* Effect.all([read(posted()), read(posted()), read(posted())], { concurrency: "unbounded" })
      yield* read(posted({ SignatureVersion: "1" }))
      expect(asked).toEqual([CERTIFICATE_PATH])
    }),
  )

  for (const [what, from, until] of [
    ["is over", NOON - 2 * DAY, NOON - DAY],
    ["has not begun", NOON + DAY, NOON + 2 * DAY],
  ] as const)
    rule(
      `proves nothing when its time ${what}`,
      Effect.gen(function* () {
        const { answers } = yield* FakeSns
        const { certificate } = signer(sns.key, from, until)
        answers((_, response) => response.end(certificate))
        expect(yield* refusal(posted())).toBe("InvalidSignature")
      }),
    )

  rule(
    "that SNS does not have is refused",
    Effect.gen(function* () {
      const SigningCertURL = `${ORIGIN}/SimpleNotificationService-none.pem`
      expect(yield* refusal(posted({ SigningCertURL }))).toBe("InvalidSignature")
    }),
  )

  for (const [what, status, headers, body] of [
    ["fails", 500, {}, ""],
    ["answers with something else", 200, {}, "<html>"],
    ["redirects", 302, { location: `${CERTIFICATE_PATH}?again` }, ""],
  ] as const)
    rule(
      `cannot be known now when SNS ${what}, and is asked for again a moment later`,
      Effect.gen(function* () {
        const { answers, asked } = yield* FakeSns
        answers(({ url }, response) => {
          if (url === CERTIFICATE_PATH) response.writeHead(status, headers).end(body)
          else response.end(sns.certificate)
        })
        expect(yield* refusal(posted())).toBe("ProviderUnavailable")
        answers((_, response) => response.end(sns.certificate))
        yield* TestClock.adjust("2 seconds")
        expect(yield* read(posted())).toEqual([])
        expect(asked).toEqual([CERTIFICATE_PATH, CERTIFICATE_PATH])
      }),
    )

  rule(
    "is unavailable when SNS does not answer in five seconds, also in an uninterruptible region",
    Effect.gen(function* () {
      const { answers } = yield* FakeSns
      const waiting = yield* Effect.async<() => void>((resume) => {
        answers(() => resume(Effect.succeed(() => undefined)))
      }).pipe(Effect.fork)
      const reading = yield* Effect.fork(Effect.uninterruptible(refusal(posted())))
      yield* Fiber.join(waiting)
      yield* TestClock.adjust("5 seconds")
      expect(yield* Fiber.join(reading)).toBe("ProviderUnavailable")
    }),
  )
})

describe("a subscription", () => {
  const confirmation = (SubscribeURL = CONFIRM_URL) =>
    posted({ Type: "SubscriptionConfirmation", SubscribeURL })

  rule(
    "is confirmed at the URL that SNS sends",
    Effect.gen(function* () {
      const { asked } = yield* FakeSns
      expect(yield* read(confirmation())).toEqual([])
      expect(asked).toEqual([CERTIFICATE_PATH, CONFIRM_URL.slice(ORIGIN.length)])
    }),
  )

  rule(
    "is not confirmed at another host or for another topic, and no other action is called",
    Effect.gen(function* () {
      const { asked } = yield* FakeSns
      for (const url of [
        CONFIRM_URL.replace(ORIGIN, "https://evil.example"),
        CONFIRM_URL.replace("https:", "http:"),
        CONFIRM_URL.replace("mail-reports", "another"),
        CONFIRM_URL.replace("Confirm", "Delete"),
        "not a URL",
      ])
        expect(yield* refusal(confirmation(url))).toBe("InvalidSignature")
      expect(asked).toEqual([CERTIFICATE_PATH])
    }),
  )

  rule(
    "that cannot be confirmed now is unavailable, so that SNS retries",
    Effect.gen(function* () {
      const { answers } = yield* FakeSns
      yield* read(posted())
      answers((_, response) => response.writeHead(403).end())
      expect(yield* refusal(confirmation())).toBe("ProviderUnavailable")
    }),
  )

  rule(
    "that was ended is not started again",
    Effect.gen(function* () {
      const { asked } = yield* FakeSns
      expect(yield* read(posted({ Type: "UnsubscribeConfirmation" }))).toEqual([])
      expect(asked).toEqual([CERTIFICATE_PATH])
    }),
  )
})

describe("a topic", () => {
  for (const topicArn of [
    "mail-reports",
    "arn:aws:sqs:eu-west-1:123456789012:mail-reports",
    "arn:aws:sns:eu-west-1:12:mail-reports",
    "arn:aws:sns:evil.example/?:123456789012:mail-reports",
    "arn:aws:sns:eu-west-1:123456789012:reports.fifo",
  ])
    it.scoped(`has not the ARN ${topicArn}`, () =>
      Effect.gen(function* () {
        const failed = yield* Effect.flip(Layer.build(providerReports({ kind: "ses", topicArn })))
        expect(failed._tag).toBe("TopicArnInvalid")
      }),
    )

  for (const [region, origin] of [
    ["aws-cn:sns:cn-north-1", "https://sns.cn-north-1.amazonaws.com.cn"],
    ["aws-us-gov:sns:us-gov-west-1", "https://sns.us-gov-west-1.amazonaws.com"],
  ] as const)
    it.scoped(`in arn:${region} has the endpoint ${origin}`, () =>
      Effect.gen(function* () {
        const asked: Array<string> = []
        const topicArn = `arn:${region}:123456789012:mail-reports`
        const context = yield* Layer.build(
          providerReports({
            kind: "ses",
            topicArn,
            fetch: (url) => {
              asked.push(url)
              return Promise.resolve(new Response(sns.certificate))
            },
          }),
        )
        yield* TestClock.setTime(NOON)
        const message = posted({ TopicArn: topicArn, SigningCertURL: origin + CERTIFICATE_PATH })
        expect(yield* Effect.provide(read(message), context)).toEqual([])
        expect(asked).toEqual([origin + CERTIFICATE_PATH])
      }),
    )
})
