/** A running server with an account that has mail, and what the main job answers there. */
import { deliver } from "@mailroom/test-services"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { type Account, verifiedAccount } from "../../../../apps/server/test/support/account.js"
import type { Server } from "../../../../apps/server/test/support/server.js"

const file = Buffer.from("quarter;sum\r\nQ3;1200 €\r\n")

/** From the owner: in the trial, mail may go only there. */
const mail = ({ email, address }: Account): string =>
  [
    `From: Owner <${email}>`,
    `To: ${address}`,
    "Subject: The figures",
    `Message-ID: <figures@${email}>`,
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="cut"',
    "",
    "--cut",
    "Content-Type: text/plain",
    "",
    "Here they are.",
    "--cut",
    "Content-Type: text/csv",
    'Content-Disposition: attachment; filename="figures.csv"',
    "Content-Transfer-Encoding: base64",
    "",
    file.toString("base64"),
    "--cut--",
    "",
  ].join("\r\n")

/** A webhook request that is signed now, as the service does it. */
const signedWebhook = () => {
  const key = Buffer.from("the secret of a webhook, as bytes")
  const body = JSON.stringify({ event: "message.received", timestamp: new Date().toISOString(), data: {} })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac("sha256", key).update(`delivery.${timestamp}.${body}`).digest("base64")
  return {
    body,
    secret: `whsec_${key.toString("base64")}`,
    headers: {
      "webhook-id": "delivery",
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    },
  }
}

export interface Job {
  readonly baseUrl: string
  readonly apiKey: string
  readonly mailboxId: string
  readonly webhook: ReturnType<typeof signedWebhook>
}

/** An account with a mail, for one run of the main job. */
export const prepareJob = (server: Server, slug: string): Effect.Effect<Job> =>
  Effect.gen(function* () {
    const account = yield* verifiedAccount(server, slug)
    yield* deliver(server.smtpPort, account.address, mail(account))
    return {
      baseUrl: server.url,
      apiKey: account.key,
      mailboxId: account.mailboxId,
      webhook: signedWebhook(),
    }
  })

/** What the main job answers for an account. */
export const jobAnswer = (slug: string) => ({
  slug,
  download: file.toString(),
  answer: ["s.txt 8", "bytes.bin 3", "ü.txt 4"],
  second: ["i.txt 6", "b.txt 6"],
  kinds: ["message.received", "message.sent", "message.sent"],
  subjects: ["Re: The figures", "Re: The figures", "The figures"],
  missing: { name: "MailboxNotFoundError", code: "MAILBOX_NOT_FOUND", status: 404 },
  webhook: "message.received",
})
