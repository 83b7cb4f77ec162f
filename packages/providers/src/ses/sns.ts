/** Requests to SNS: for its signing certificates, and to confirm a subscription. */
import { InvalidSignature, parseUrl, ProviderUnavailable } from "@mailroom/domain"
import { Cache, Clock, Data, Effect, Either, Exit } from "effect"
import { type KeyObject, X509Certificate } from "node:crypto"

/** The configured ARN names no SNS topic. */
export class TopicArnInvalid extends Data.TaggedError("TopicArnInvalid") {
  override readonly message: string = "An SNS topic has a name such as arn:aws:sns:{region}:{account}:{name}."
}

/** `arn:{partition}:sns:{region}:{account}:{name}` */
const ARN = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2,}(?:-[a-z]+)+-\d+):\d{12}:[\w-]{1,256}$/

/**
 * The origin of the SNS endpoint of a topic: `https://sns.{region}.amazonaws.com`. One host and not a pattern, because
 * others own hosts that match one, such as an S3 bucket with the name `sns`.
 */
export const originOf = (topicArn: string): Either.Either<string, TopicArnInvalid> => {
  const [, partition, region] = ARN.exec(topicArn) ?? []
  return region === undefined
    ? Either.left(new TopicArnInvalid())
    : Either.right(`https://sns.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}`)
}

/** One request, from the connection to the end of the response. */
const TIMEOUT = "5 seconds"

/** Cached certificates. SNS has one per region at a time, and replaces it about once a year. */
const CERTIFICATES_MAX = 8

/** The path of a certificate. Responses of other paths of the host may contain text that the sender of a message chose. */
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[A-Za-z0-9]+\.pem$/

export type Fetch = (
  url: string,
  init: { readonly redirect: "error"; readonly signal: AbortSignal },
) => Promise<Response>

interface HttpResponse {
  readonly status: number
  readonly text: string
}

const isOk = ({ status }: HttpResponse): boolean => status >= 200 && status < 300

const unavailable = (why: string) =>
  Effect.zipRight(
    Effect.logWarning(`SNS did not answer as it should: ${why}`),
    Effect.fail(new ProviderUnavailable()),
  )

interface Certificate {
  readonly key: KeyObject
  readonly from: number
  readonly until: number
}

const certificate = (pem: string): Certificate => {
  const { publicKey, validFrom, validTo } = new X509Certificate(pem)
  return { key: publicKey, from: Date.parse(validFrom), until: Date.parse(validTo) }
}

export interface Sns {
  /**
   * The public key of the certificate at a URL. `InvalidSignature`: SNS has none there, or it is not valid now.
   * `ProviderUnavailable`: SNS does not answer.
   */
  readonly signingKey: (url: string) => Effect.Effect<KeyObject, InvalidSignature | ProviderUnavailable>
  /** Confirms the subscription of a topic by the URL from SNS's message. */
  readonly confirm: (
    topicArn: string,
    url: string,
  ) => Effect.Effect<void, InvalidSignature | ProviderUnavailable>
}

/** Makes requests to `origin` only, and follows no redirects. */
export const makeSns = (origin: string, fetch: Fetch): Effect.Effect<Sns> =>
  Effect.gen(function* () {
    // Interruptible, so that the timeout holds in an uninterruptible request, too.
    const get = (url: string): Effect.Effect<HttpResponse, ProviderUnavailable> =>
      Effect.tryPromise(async (signal): Promise<HttpResponse> => {
        const response = await fetch(url, { redirect: "error", signal })
        return { status: response.status, text: await response.text() }
      }).pipe(
        Effect.interruptible,
        Effect.timeout(TIMEOUT),
        Effect.catchAll(() => unavailable("no answer")),
      )

    const load = Effect.fnUntraced(function* (url: string) {
      const response = yield* get(url)
      if (response.status >= 400 && response.status < 500) return yield* new InvalidSignature()
      if (!isOk(response)) return yield* unavailable(`${response.status} for a certificate`)
      return yield* Effect.catchAll(
        Effect.try(() => certificate(response.text)),
        () => unavailable("no certificate"),
      )
    })

    const certificates = yield* Cache.makeWith({
      capacity: CERTIFICATES_MAX,
      lookup: load,
      timeToLive: (loaded) => (Exit.isSuccess(loaded) ? "1 day" : "1 second"),
    })

    const isAtOrigin = (url: URL): boolean =>
      url.origin === origin && url.username === "" && url.password === "" && url.hash === ""

    return {
      signingKey: Effect.fn("Sns.signingKey")(function* (text) {
        const url = parseUrl(text)
        if (url === null || !isAtOrigin(url) || url.search !== "" || !CERTIFICATE_PATH.test(url.pathname))
          return yield* new InvalidSignature()
        const { key, from, until } = yield* certificates.get(url.href)
        const now = yield* Clock.currentTimeMillis
        return now < from || now > until ? yield* new InvalidSignature() : key
      }),

      confirm: Effect.fn("Sns.confirm")(function* (topicArn, text) {
        const url = parseUrl(text)
        const isConfirmation =
          url !== null &&
          isAtOrigin(url) &&
          url.pathname === "/" &&
          url.searchParams.get("Action") === "ConfirmSubscription" &&
          url.searchParams.get("TopicArn") === topicArn
        if (!isConfirmation) return yield* new InvalidSignature()
        const response = yield* get(url.href)
        if (!isOk(response)) return yield* unavailable(`${response.status} for a subscription`)
      }),
    }
  })
