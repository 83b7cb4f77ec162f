/** The certificate of an embedded Mailroom, which its program may renew while it runs. */
import { certificate, privateKey, renewed, shownCertificate } from "@mailroom/test-services"
import { Effect } from "effect"
import { createMailroom, type RunningMailroom } from "mailroom"
import { X509Certificate } from "node:crypto"
import { describe, expect, it } from "vitest"

const tls = { cert: certificate, key: privateKey }
const next = { cert: renewed.certificate, key: renewed.privateKey }

const shown = ({ port }: RunningMailroom) => Effect.runPromise(shownCertificate(port ?? 0))
const fingerprintOf = (pem: string) => new X509Certificate(pem).fingerprint256

describe("the certificate of an embedded Mailroom", () => {
  it("is refused at the start, with the name of its option, when it is none or its key does not fit it", async () => {
    for (const wrong of [
      { cert: "/etc/tls/cert.pem", key: privateKey },
      { cert: certificate, key: "" },
      { cert: certificate, key: renewed.privateKey },
    ])
      await expect(createMailroom({ receive: { port: 0, tls: wrong } })).rejects.toMatchObject({
        _tag: "OptionsInvalid",
        message: expect.stringMatching(
          /^`receive\.tls` must have a certificate chain and its own key, in PEM \(.+\)$/,
        ),
      })
  })

  it("is replaced while the Mailroom runs, and stays when the next one cannot be used", async () => {
    await using mailroom = await createMailroom({ receive: { port: 0, tls } })
    expect(await shown(mailroom)).toBe(fingerprintOf(certificate))
    await expect(mailroom.useCertificate({ ...tls, key: renewed.privateKey })).rejects.toMatchObject({
      _tag: "OptionsInvalid",
      message: expect.stringMatching(/^The argument must have a certificate chain and its own key, in PEM/),
    })
    expect(await shown(mailroom)).toBe(fingerprintOf(certificate))
    await mailroom.useCertificate(next)
    expect(await shown(mailroom)).toBe(fingerprintOf(renewed.certificate))
  })

  it("cannot be given to a Mailroom that was started without one, and offers no TLS", async () => {
    for (const receive of [{ port: 0 }, false] as const) {
      await using mailroom = await createMailroom({ receive })
      await expect(mailroom.useCertificate(next)).rejects.toMatchObject({
        _tag: "OptionsInvalid",
        message: "This Mailroom has no certificate to replace: it was started without `receive.tls`",
      })
    }
  })
})
