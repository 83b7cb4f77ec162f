/** The SMTP listeners, for mail from other servers and for submission, which reload their certificate. */
import { type Certificate, type ListenFailed, SmtpReceiver, SubmissionServer } from "@mailroom/mail"
import { type Context, Effect, Layer, Option, Schedule } from "effect"
import type { ServerConfig } from "../config/variables.js"
import { portProblem, SettingsWrong, type StartFailed } from "../StartFailed.js"
import { readCertificate } from "./certificate.js"
import { DRAIN_MILLIS } from "./listeners.js"

/** How often the files of the certificate are read. They are two small files. */
const RELOAD_EVERY = "1 minute"

type ListenerSettings = Pick<ServerConfig, "smtpHost" | "platformDomain" | "tlsCertificate" | "tlsKey">

/** A listening server with a certificate. */
type Listener = typeof SmtpReceiver.Service

/**
 * Reloads a renewed certificate within a minute, for handshakes from then on. While the files do not fit each other, as
 * between the writing of one and of the other, the previous certificate stays. It compares contents, because renewals
 * replace links and folders as well as files.
 */
const reloadCertificate = Effect.fnUntraced(function* (
  config: ListenerSettings,
  name: string,
  first: Certificate,
  { useCertificate }: Listener,
) {
  let current = first
  let complaint = ""
  const reload = Effect.gen(function* () {
    const found = Option.getOrElse(yield* readCertificate(config), () => current)
    complaint = ""
    if (found.cert === current.cert && found.key === current.key) return
    yield* useCertificate(found)
    current = found
    yield* Effect.logInfo(`The certificate of the ${name} listener was renewed`)
  }).pipe(
    Effect.catchAll(({ message }) => {
      if (message === complaint) return Effect.void
      complaint = message
      return Effect.logWarning(`The certificate before stays in use. ${message}`)
    }),
  )
  yield* Effect.forkScoped(Effect.repeat(reload, Schedule.spaced(RELOAD_EVERY)))
})

/**
 * A server that listens and reloads its certificate. `variable`: the setting of its port; `announce`: the start of the log line
 * about its address.
 */
const listener = <Id, R>(
  config: ListenerSettings,
  {
    name,
    variable,
    announce,
  }: { readonly name: string; readonly variable: string; readonly announce: string },
  server: Context.Tag<Id, Listener>,
  layerOf: (
    certificate: Option.Option<Certificate>,
  ) => Layer.Layer<Id, ListenFailed | SettingsWrong | StartFailed, R>,
) =>
  Layer.unwrapEffect(
    Effect.map(readCertificate(config), (certificate) =>
      Layer.scopedDiscard(
        Effect.gen(function* () {
          const listening = yield* server
          if (Option.isSome(certificate)) yield* reloadCertificate(config, name, certificate.value, listening)
          const { smtpHost, platformDomain } = config
          yield* Effect.logInfo(`${announce}://${smtpHost}:${listening.port} for *.${platformDomain}`)
        }),
      ).pipe(Layer.provideMerge(layerOf(certificate))),
    ),
  ).pipe(
    Layer.mapError((error) =>
      error._tag === "ListenFailed" ? portProblem(variable, error.host, error.port, error.reason) : error,
    ),
  )

const optionsOf = (
  { smtpHost: host, platformDomain }: ListenerSettings,
  name: string,
  port: number,
  certificate: Option.Option<Certificate>,
) => ({
  host,
  port,
  name: `${name}.${platformDomain}`,
  closeTimeout: DRAIN_MILLIS,
  ...(Option.isSome(certificate) && { tls: certificate.value }),
})

/** Accepts mail from other servers. */
export const smtpListener = (config: ListenerSettings & Pick<ServerConfig, "smtpPort">) =>
  listener(
    config,
    { name: "SMTP", variable: "SMTP_PORT", announce: "Accepting mail at smtp" },
    SmtpReceiver,
    (certificate) => SmtpReceiver.layer(optionsOf(config, "mx", config.smtpPort, certificate)),
  )

const needsCertificate = new SettingsWrong({
  message:
    "SUBMISSIONS_PORT is TLS from the first byte and needs a certificate. Set SMTP_TLS_CERT and SMTP_TLS_KEY.",
})

/** Takes mail from clients that sign in, with STARTTLS and with TLS from the first byte, where these ports are set. */
export const submissionListeners = (
  config: ListenerSettings & Pick<ServerConfig, "submissionPort" | "submissionsPort">,
) => {
  const { submissionPort, submissionsPort } = config
  const startTls = Option.map(submissionPort, (port) =>
    listener(
      config,
      { name: "submission", variable: "SUBMISSION_PORT", announce: "Taking submissions at smtp" },
      SubmissionServer,
      (certificate) => SubmissionServer.layer(optionsOf(config, "smtp", port, certificate)),
    ),
  )
  const tlsFirst = Option.map(submissionsPort, (port) =>
    listener(
      config,
      { name: "submissions", variable: "SUBMISSIONS_PORT", announce: "Taking submissions at smtps" },
      SubmissionServer,
      (certificate) =>
        Option.isNone(certificate)
          ? Layer.fail(needsCertificate)
          : SubmissionServer.layer({ ...optionsOf(config, "smtp", port, certificate), isTlsFirst: true }),
    ),
  )
  return Layer.merge(
    Option.getOrElse(startTls, () => Layer.empty),
    Option.getOrElse(tlsFirst, () => Layer.empty),
  )
}
