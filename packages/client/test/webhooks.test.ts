/** Verifying what arrives at a webhook. */
import { WebhookVerificationError } from "@mailroom/client"
import { afterEach, expect, it, vi } from "vitest"
import { posted } from "../../http/test/support/webhooks.js"
import { startService } from "./support/service.js"

const service = startService()
afterEach(() => void vi.useRealTimers())

const URL = "https://receiver.mailroom.dev/hook"

/** A webhook, and the request that it got about a mail. */
const delivered = async () => {
  const { mailroom, address } = await service.agent()
  const { id, secret } = await mailroom.webhooks.create({ url: URL, events: ["message.received"] })
  const receive = async () => {
    await service.receive(address, { subject: "Grüße" })
    const last = (await service.run(posted)).at(-1)
    return { body: last?.body ?? "", headers: { ...last?.headers } }
  }
  return { mailroom, id, secret, receive }
}

it("the request of the service gives its event", async () => {
  const { mailroom, secret, receive } = await delivered()
  const { body, headers } = await receive()
  const event = await mailroom.webhooks.unwrap(body, headers, secret)
  expect(event).toMatchObject({ event: "message.received", data: { subject: "Grüße" } })
  expect(
    await mailroom.webhooks.unwrap(new TextEncoder().encode(body), new Headers(headers), secret),
  ).toEqual(event)
})

it("after a new secret, the old one fits for a day as well", async () => {
  const { mailroom, id, secret, receive } = await delivered()
  const { secret: next } = await mailroom.webhooks.rotateSecret(id)
  const { body, headers } = await receive()
  for (const one of [secret, next])
    expect(await mailroom.webhooks.unwrap(body, headers, one)).toHaveProperty("event", "message.received")
})

it("another body, another secret, another time, or no signature is refused", async () => {
  const { mailroom, secret, receive } = await delivered()
  const { body, headers } = await receive()
  const refused = (...request: Parameters<typeof mailroom.webhooks.unwrap>) =>
    expect(mailroom.webhooks.unwrap(...request)).rejects.toBeInstanceOf(WebhookVerificationError)
  await refused(`${body} `, headers, secret)
  await refused(body, headers, `whsec_${btoa("another secret of a webhook")}`)
  await refused(body, { ...headers, "webhook-timestamp": "soon" }, secret)
  await refused(body, { ...headers, "webhook-signature": "v2,AAAA v1,*** v1," }, secret)
  await refused(body, {}, secret)
})

it("a request that is older than five minutes, or from the future, is refused", async () => {
  const { mailroom, secret, receive } = await delivered()
  const { body, headers } = await receive()
  const signedAt = Number(headers["webhook-timestamp"]) * 1000
  for (const [offset, isFresh] of [
    [300_000, true],
    [301_000, false],
    [-300_000, true],
    [-301_000, false],
  ] as const) {
    vi.setSystemTime(signedAt + offset)
    const verdict = mailroom.webhooks.unwrap(body, headers, secret).then(
      () => true,
      () => false,
    )
    expect(await verdict).toBe(isFresh)
  }
})
