/** The certificate of the SMTP listener, from its two files. */
import { type Certificate, checkCertificate } from "@mailroom/mail"
import { Effect, Option } from "effect"
import { readFile } from "node:fs/promises"
import type { ServerConfig } from "../config/variables.js"
import { SettingsWrong, StartFailed } from "../StartFailed.js"

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Reads a PEM file and refuses an empty one. A file is empty while it is written, and Node silently takes an empty key as none. */
const readPem = (variable: string, path: string) =>
  Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (error) =>
      new StartFailed({ message: `${variable}: ${path} cannot be read (${reasonOf(error)}).` }),
  }).pipe(
    Effect.filterOrFail(
      (pem) => pem.trim() !== "",
      () => new StartFailed({ message: `${variable}: ${path} is empty.` }),
    ),
  )

const usable = (pair: Certificate) =>
  Effect.mapBoth(checkCertificate(pair), {
    onSuccess: () => pair,
    onFailure: ({ reason }) =>
      new StartFailed({
        message: `SMTP_TLS_CERT and SMTP_TLS_KEY are no PEM files of a certificate and its own key (${reason}).`,
      }),
  })

/** Reads the certificate and its key from disk; none where neither is set. */
export const readCertificate = Effect.fnUntraced(function* ({
  tlsCertificate,
  tlsKey,
}: Pick<ServerConfig, "tlsCertificate" | "tlsKey">) {
  if (Option.isNone(tlsCertificate) && Option.isNone(tlsKey)) return Option.none<Certificate>()
  if (Option.isNone(tlsCertificate) || Option.isNone(tlsKey))
    return yield* new SettingsWrong({
      message: "SMTP_TLS_CERT and SMTP_TLS_KEY go together; only one is set.",
    })
  return yield* Effect.asSome(
    Effect.flatMap(
      Effect.all({
        cert: readPem("SMTP_TLS_CERT", tlsCertificate.value),
        key: readPem("SMTP_TLS_KEY", tlsKey.value),
      }),
      usable,
    ),
  )
})
