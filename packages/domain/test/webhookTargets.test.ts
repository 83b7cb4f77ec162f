import { literalAddress, webhookHeadersProblem, WebhookSecret, webhookUrlProblem } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { publicV4, someV4 } from "./support/publicAddresses.js"
import { accepts, drawn } from "./support/records.js"

describe("webhook URLs", () => {
  for (const url of [
    "https://hooks.acme.dev/mail?x=1",
    "https://hooks.acme.dev:8443/",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "https://b\u00fccher.de/",
    "https://a-name-that-does-not-resolve-yet.dev/",
  ])
    it(`decisions.webhook.https: ${url} is accepted`, () => {
      expect(webhookUrlProblem(url, false)).toBeNull()
    })

  for (const url of [
    "http://hooks.acme.dev/",
    "ftp://hooks.acme.dev/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "hooks.acme.dev",
    "//hooks.acme.dev/",
    "/mail",
    "https://",
    "",
    "https://ada@hooks.acme.dev/",
    "https://ada:secret@hooks.acme.dev/",
    "https://:secret@hooks.acme.dev/",
    "https://127.0.0.1/",
    "https://127.0.0.1./",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://\u2460\u2461\u2466.0.0.1/",
    "https://0/",
    "https://169.254.169.254/latest/meta-data/",
    "https://10.0.0.1:8443/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[fd00::1]/",
    `https://hooks.acme.dev/${"x".repeat(3000)}`,
  ])
    it(`decisions.webhook.https: ${url.slice(0, 60) || "an empty URL"} is refused`, () => {
      expect(webhookUrlProblem(url, false)).not.toBeNull()
    })

  it("development may call http and private addresses, nothing else", () => {
    for (const url of [
      "http://127.0.0.1:9000/",
      "https://127.0.0.1/",
      "http://hooks.acme.dev/",
      "http://[::1]/",
    ])
      expect(webhookUrlProblem(url, true), url).toBeNull()
    for (const url of ["ftp://127.0.0.1/", "http://ada@127.0.0.1/", "127.0.0.1:9000"])
      expect(webhookUrlProblem(url, true), url).not.toBeNull()
  })

  it.prop(
    "decisions.webhook.private-literal: a literal address is accepted exactly when it is public",
    [someV4],
    ([address]) => {
      expect(webhookUrlProblem(`https://${address}/mail`, false) === null, address).toBe(publicV4(address))
    },
    drawn,
  )

  it("decisions.webhook.private-literal: a literal address is told from a name", () => {
    expect(literalAddress("8.8.8.8")).toBe("8.8.8.8")
    expect(literalAddress("[::1]")).toBe("::1")
    for (const name of ["acme.dev", "8.8.8.8.acme.dev", "cafe", "dead.beef", "localhost", "012.0.0.1"])
      expect(literalAddress(name), name).toBeNull()
  })
})

describe("webhook headers", () => {
  const prefix = "X-Service-"
  const headers = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`X-Key-${i}`, "v"]))

  it("decisions.webhook.headers-10: at most 10", () => {
    expect(webhookHeadersProblem(headers(10), prefix)).toBeNull()
    expect(webhookHeadersProblem(headers(11), prefix)).not.toBeNull()
    expect(webhookHeadersProblem({}, prefix)).toBeNull()
  })

  it("decisions.webhook.headers-refused: Authorization and names of the owner's are fine", () => {
    expect(
      webhookHeadersProblem({ Authorization: "Bearer abc", "X-Api-Key": "k", Traceparent: "" }, prefix),
    ).toBeNull()
  })

  for (const name of [
    "Host",
    "host",
    "Connection",
    "Keep-Alive",
    "Proxy-Authenticate",
    "Proxy-Authorization",
    "Proxy-Connection",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
    "Content-Length",
    "content-type",
    "Content-Encoding",
    "X-Service-Signature",
    "x-service-anything",
    "webhook-id",
    "Webhook-Signature",
  ])
    it(`decisions.webhook.headers-refused: ${name} is refused`, () => {
      expect(webhookHeadersProblem({ [name]: "v" }, prefix)).not.toBeNull()
    })

  it("decisions.webhook.headers-refused: the prefix refused is the configured one", () => {
    expect(webhookHeadersProblem({ "x-mailroom-event": "v" }, "X-Mailroom-")).not.toBeNull()
    expect(webhookHeadersProblem({ "x-service-event": "v" }, "X-Mailroom-")).toBeNull()
  })

  it("decisions.body.line-breaks: nothing ends a header line", () => {
    for (const value of [
      "a\r\nHost: b",
      "a\nb",
      "a\rb",
      "a\u0000b",
      "a\u2028b",
      "é",
      "\u007f",
      "x".repeat(5000),
    ])
      expect(
        webhookHeadersProblem({ "X-Key": value }, prefix),
        JSON.stringify(value.slice(0, 9)),
      ).not.toBeNull()
    for (const name of ["", "X Key", "X-Key:", "X-Key\r\n", "X-K\u0000", "Schlüssel", "x".repeat(200)])
      expect(webhookHeadersProblem({ [name]: "v" }, prefix), JSON.stringify(name.slice(0, 9))).not.toBeNull()
  })
})

describe("an international URL", () => {
  it("is one however often it is read", () => {
    const problems = Array.from({ length: 50_000 }, () => webhookUrlProblem("https://b\u00fccher.de/", false))
    expect(new Set(problems)).toEqual(new Set([null]))
  })
})

describe("webhook secrets", () => {
  it("decisions.webhook.signature: begin with whsec_", () => {
    expect(accepts(WebhookSecret, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).toBe(true)
    expect(accepts(WebhookSecret, "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).toBe(false)
  })
})
