/** A client that sends through the API, each mail under a key of its own, and repeats what was answered with 503. */
import { setTimeout as sleep } from "node:timers/promises"
import { Schema } from "effect"
import type { Account, Mailbox } from "../harness/account.js"
import type { Ledger } from "./ledger.js"

/** Milliseconds between two sends. */
const PACE = 500
/** Milliseconds until a request is repeated. */
const RETRY_AFTER = 250
/** Milliseconds for one request: longer than the server gives a relay. */
const PATIENCE = 45_000

export interface SendLoad {
  readonly account: Account
  readonly mailbox: Mailbox
  readonly run: string
  /** from the first request to the answer that settles the send */
  readonly asked: Ledger
  /** from a 201 to the relay */
  readonly relayed: Ledger
  readonly isOver: () => boolean
}

const Refusal = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ code: Schema.String })))

/** Ends once the load is over and every send has its answer; how many may have been sent or not. */
export const sendLoad = async ({ account, mailbox, run, asked, relayed, isOver }: SendLoad) => {
  let unknown = 0

  /** Whether the answer settles the send. */
  const attempt = async (id: string): Promise<boolean> => {
    const response = await fetch(`${account.baseUrl}/v1/mailboxes/${mailbox.id}/messages`, {
      method: "POST",
      signal: AbortSignal.timeout(PATIENCE),
      headers: {
        authorization: `Bearer ${account.key}`,
        "content-type": "application/json",
        "idempotency-key": id,
      },
      body: JSON.stringify({ to: ["bob@partner.dev"], subject: id, bodyText: "Hello." }),
    })
    const text = await response.text()
    if (response.status === 201) {
      relayed.accepted(id)
      return true
    }
    const { code } = Refusal(text)
    if (code === "SEND_OUTCOME_UNKNOWN") {
      unknown += 1
      return true
    }
    if (response.status !== 503 && code !== "IDEMPOTENCY_KEY_IN_USE")
      throw new Error(`a send: ${response.status} ${text}`)
    return false
  }

  const one = async (id: string): Promise<void> => {
    asked.accepted(id)
    while (!(await attempt(id))) await sleep(RETRY_AFTER)
    asked.arrived(id)
  }

  const begun: Array<Promise<void>> = []
  for (let serial = 0; !isOver(); serial++) {
    begun.push(one(`${run}-send-${serial}`))
    await sleep(PACE)
  }
  await Promise.all(begun)
  return unknown
}
