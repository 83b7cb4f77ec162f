/** SNS, asked by us: for the certificates that it signs with, and to confirm a subscription. */
import { InvalidSignature, parseUrl, ProviderUnavailable } from "@mailroom/domain"
import { Cache, Clock, Effect, Exit } from "effect"
import { type KeyObject, X509Certificate } from "node:crypto"

/** One question, from the connection to the end of the answer. */
const TIMEOUT = "5 seconds"

/** Certificates that are kept: SNS has one a region at a time, and changes it about once a year. */
const CERTIFICATES_MAX = 8

/** A name that SNS gives, and no other path: what else the host answers may hold whatever its caller wants. */
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[A-Za-z0-9]+\.pem$/

export type Fetch = (
  url: string,
  init: { readonly redirect: "error"; readonly signal: AbortSignal },
) => Promise<Response>

interface Answer {
  readonly status: number
  readonly text: string
}

const isOk = ({ status }: Answer): boolean => status >= 200 && status < 300

const away = (why: string) =>
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
   * The key that a certificate at this address is for. `InvalidSignature`: SNS has none there, or its time is over;
   * `ProviderUnavailable`: it cannot be known now.
   */
  readonly signingKey: (url: string) => Effect.Effect<KeyObject, InvalidSignature | ProviderUnavailable>
  /** Follows the address that a message brought to confirm the subscription of a topic. */
  readonly confirm: (
    topicArn: string,
    url: string,
  ) => Effect.Effect<void, InvalidSignature | ProviderUnavailable>
}

/** At `origin`, and nowhere else: redirects are not followed. */
export const makeSns = (origin: string, fetch: Fetch): Effect.Effect<Sns> =>
  Effect.gen(function* () {
    // Called off at its time also where nobody may interrupt the asker.
    const ask = (url: string): Effect.Effect<Answer, ProviderUnavailable> =>
      Effect.tryPromise(async (signal): Promise<Answer> => {
        const response = await fetch(url, { redirect: "error", signal })
        return { status: response.status, text: await response.text() }
      }).pipe(
        Effect.interruptible,
        Effect.timeout(TIMEOUT),
        Effect.catchAll(() => away("no answer")),
      )

    const load = Effect.fnUntraced(function* (url: string) {
      const answer = yield* ask(url)
      if (answer.status >= 400 && answer.status < 500) return yield* new InvalidSignature()
      if (!isOk(answer)) return yield* away(`${answer.status} for a certificate`)
      return yield* Effect.catchAll(
        Effect.try(() => certificate(answer.text)),
        () => away("no certificate"),
      )
    })

    const certificates = yield* Cache.makeWith({
      capacity: CERTIFICATES_MAX,
      lookup: load,
      timeToLive: (loaded) => (Exit.isSuccess(loaded) ? "1 day" : "1 second"),
    })

    const isHere = (url: URL): boolean =>
      url.origin === origin && url.username === "" && url.password === "" && url.hash === ""

    return {
      signingKey: Effect.fn("Sns.signingKey")(function* (text) {
        const url = parseUrl(text)
        if (url === null || !isHere(url) || url.search !== "" || !CERTIFICATE_PATH.test(url.pathname))
          return yield* new InvalidSignature()
        const { key, from, until } = yield* certificates.get(url.href)
        const now = yield* Clock.currentTimeMillis
        return now < from || now > until ? yield* new InvalidSignature() : key
      }),

      confirm: Effect.fn("Sns.confirm")(function* (topicArn, text) {
        const url = parseUrl(text)
        const isConfirmation =
          url !== null &&
          isHere(url) &&
          url.pathname === "/" &&
          url.searchParams.get("Action") === "ConfirmSubscription" &&
          url.searchParams.get("TopicArn") === topicArn
        if (!isConfirmation) return yield* new InvalidSignature()
        const answer = yield* ask(url.href)
        if (!isOk(answer)) return yield* away(`${answer.status} for a subscription`)
      }),
    }
  })
