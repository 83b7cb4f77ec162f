/** The SMTP listener uses a certificate that was renewed on disk without a restart. */
import { expect, it } from "@effect/vitest"
import { MailSpool } from "@mailroom/engine"
import { SmtpReceiver } from "@mailroom/mail"
import { readCertificate } from "@mailroom/server/layers/certificate"
import { smtpListener } from "@mailroom/server/layers/smtpListener"
import { certificate, privateKey, renewed, shownCertificate, temporaryFolder } from "@mailroom/test-services"
import { Effect, Layer, Option, TestClock } from "effect"
import { X509Certificate } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"

const fingerprintOf = (pem: string) => new X509Certificate(pem).fingerprint256

it.scoped(
  "a file that is empty, as one is while it is written, is not taken for a certificate without a key",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")]
      yield* Effect.promise(() => Promise.all([writeFile(certFile, certificate), writeFile(keyFile, "\n")]))
      const refused = yield* Effect.flip(
        readCertificate({ tlsCertificate: Option.some(certFile), tlsKey: Option.some(keyFile) }),
      )
      expect(refused.message).toBe(`SMTP_TLS_KEY: ${keyFile} is empty.`)
    }),
)

/** The listener asks it nothing here. */
const noSpool = Layer.succeed(MailSpool, {
  recipients: () => Effect.succeed([]),
  stage: () => Effect.succeed({ kind: "inline", bytes: new Uint8Array() }),
  discard: () => Effect.void,
  accept: () => Effect.void,
})

it.scoped("files that are replaced are used within a minute, once they fit each other", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")]
    const write = (path: string, pem: string) => Effect.promise(() => writeFile(path, pem))
    yield* write(certFile, certificate)
    yield* write(keyFile, privateKey)
    yield* Effect.gen(function* () {
      const { port } = yield* SmtpReceiver
      const minutePasses = Effect.zipRight(TestClock.adjust("1 minute"), shownCertificate(port))
      expect(yield* shownCertificate(port)).toBe(fingerprintOf(certificate))
      yield* write(certFile, renewed.certificate)
      expect(yield* minutePasses).toBe(fingerprintOf(certificate))
      yield* write(keyFile, renewed.privateKey)
      // Reading the files takes a moment of real time.
      const last = yield* Effect.repeat(minutePasses, {
        times: 50,
        until: (fingerprint) => fingerprint !== fingerprintOf(certificate),
      })
      expect(last).toBe(fingerprintOf(renewed.certificate))
    }).pipe(
      Effect.provide(
        smtpListener({
          smtpHost: "127.0.0.1",
          smtpPort: 0,
          platformDomain: "mailroom.localhost",
          tlsCertificate: Option.some(certFile),
          tlsKey: Option.some(keyFile),
        }).pipe(Layer.provide(noSpool)),
      ),
    )
  }),
)
