/** The SMTP listener, which reloads its certificate. */
import { type Certificate, SmtpReceiver } from "@mailroom/mail"
import { Effect, Layer, Option, Schedule } from "effect"
import type { ServerConfig } from "../config/variables.js"
import { portProblem } from "../StartFailed.js"
import { readCertificate } from "./certificate.js"
import { DRAIN_MILLIS } from "./listeners.js"

/** How often the files of the certificate are read. They are two small files. */
const RELOAD_EVERY = "1 minute"

type SmtpSettings = Pick<
  ServerConfig,
  "smtpHost" | "smtpPort" | "platformDomain" | "tlsCertificate" | "tlsKey"
>

/**
 * Reloads a renewed certificate within a minute, for handshakes from then on. While the files do not fit each other, as
 * between the writing of one and of the other, the previous certificate stays. It compares contents, because renewals
 * replace links and folders as well as files.
 */
const reloadCertificate = (config: SmtpSettings, first: Certificate) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const { useCertificate } = yield* SmtpReceiver
      let current = first
      let complaint = ""
      const reload = Effect.gen(function* () {
        const found = Option.getOrElse(yield* readCertificate(config), () => current)
        complaint = ""
        if (found.cert === current.cert && found.key === current.key) return
        yield* useCertificate(found)
        current = found
        yield* Effect.logInfo("The certificate of the SMTP listener was renewed")
      }).pipe(
        Effect.catchAll(({ message }) => {
          if (message === complaint) return Effect.void
          complaint = message
          return Effect.logWarning(`The certificate before stays in use. ${message}`)
        }),
      )
      yield* Effect.forkScoped(Effect.repeat(reload, Schedule.spaced(RELOAD_EVERY)))
    }),
  )

export const smtpListener = (config: SmtpSettings) =>
  Layer.unwrapEffect(
    Effect.map(readCertificate(config), (certificate) => {
      const receiver = SmtpReceiver.layer({
        host: config.smtpHost,
        port: config.smtpPort,
        name: `mx.${config.platformDomain}`,
        closeTimeout: DRAIN_MILLIS,
        ...(Option.isSome(certificate) && { tls: certificate.value }),
      })
      return Option.match(certificate, {
        onNone: () => receiver,
        onSome: (first) => Layer.provideMerge(reloadCertificate(config, first), receiver),
      })
    }),
  ).pipe(
    Layer.mapError((error) =>
      error._tag === "ListenFailed" ? portProblem("SMTP_PORT", error.host, error.port, error.reason) : error,
    ),
  )
