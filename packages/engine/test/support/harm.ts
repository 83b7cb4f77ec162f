/** Sends to many recipients, and the bounces and complaints that follow. */
import type { MailReport } from "@mailroom/domain"
import { Reports } from "@mailroom/engine"
import { Effect } from "effect"
import { outbox } from "./outbox.js"
import type { Owner } from "./owners.js"
import { send } from "./sends.js"

let made = 0

/** Sends one message to `count` (at most 50) addresses of its own, and returns them. */
export const sendTo = (owner: Owner, count: number) =>
  Effect.gen(function* () {
    const to = Array.from({ length: count }, () => `r${made++}@elsewhere.org`)
    return (yield* send(owner, { to })).content.toAddresses
  })

/** A report for each of these recipients, as a mail provider sends it. */
const reportsAbout = (
  recipients: ReadonlyArray<string>,
  outcome: "bounced" | "complained",
  permanent: boolean,
) =>
  Effect.map(outbox, (relayed) =>
    relayed
      .filter(({ envelope }) => envelope.to.some((address) => recipients.includes(address)))
      .map(({ envelope }): MailReport => ({
        returnPath: envelope.from,
        recipients: [{ addresses: envelope.to, outcome, status: null, diagnostic: null, permanent }],
      })),
  )

/** One effect for each recipient, which applies the report about it. */
export const reporting = (
  recipients: ReadonlyArray<string>,
  outcome: "bounced" | "complained" = "bounced",
  permanent = true,
) =>
  Effect.map(reportsAbout(recipients, outcome, permanent), (found) =>
    found.map((one) => Effect.flatMap(Reports, (reports) => reports.take([one]))),
  )

/** Applies a report about each recipient, one after another. */
export const report = (...of: Parameters<typeof reporting>) =>
  Effect.flatMap(reporting(...of), (reports) => Effect.all(reports, { discard: true }))
