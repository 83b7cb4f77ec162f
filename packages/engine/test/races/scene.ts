/** The data of a race: an account with two conversations, an uploaded file, and a webhook. */
import type { AttachmentId, MessageId } from "@mailroom/domain"
import { Engine } from "@mailroom/engine"
import { Effect } from "effect"
import { accepted, aMail, type MailText } from "../support/arrivals.js"
import { type Owner, pay, unverified, verificationToken, verifyEmail } from "../support/owners.js"
import { listed } from "../support/reading.js"
import { returnPathOf } from "../support/reports.js"
import { send, upload } from "../support/sends.js"
import { type Made, subscribe } from "../support/webhooks.js"

export interface Scene {
  readonly owner: Owner
  readonly slug: string
  /** the token of the verification mail, used already */
  readonly verification: string
  /** the first mail of the first conversation; it has a file */
  readonly messageId: MessageId
  readonly uploadId: AttachmentId
  readonly webhook: Made
  /** the address for reports about a sent mail */
  readonly returnPath: string
}

export const FIRST = "<first@elsewhere.org>"
export const SECOND = "<second@elsewhere.org>"

/** The start of names of files of which the storage has room for one. */
export const FILLS = "fills the storage"

export const file = (name: string) => ({ name, bytes: Buffer.from(`the bytes of ${name}`) })

/** Accepts a mail for the account into the queue. */
export const mailTo = ({ owner }: Scene, mail: MailText) => accepted(owner.address, aMail(mail))

export const makeScene = (slug: string) =>
  Effect.gen(function* () {
    const owner = yield* unverified(slug)
    const verification = yield* verificationToken(owner.email)
    yield* verifyEmail(verification)
    yield* pay(owner)
    const webhook = yield* subscribe(owner, { events: ["message.received", "message.sent"] })
    yield* accepted(owner.address, aMail({ subject: "First", id: FIRST, files: [file("plan.txt")] }))
    yield* accepted(owner.address, aMail({ subject: "Second", id: SECOND }))
    yield* Engine.settle
    const found = (yield* listed(owner)).find(({ subject }) => subject === "First")
    if (found === undefined) return yield* Effect.dieMessage("the first mail is not there")
    const uploadId = yield* upload(owner, "draft.txt", Buffer.from("a draft"))
    yield* send(owner, { inReplyTo: SECOND })
    const returnPath = yield* returnPathOf()
    const scene: Scene = { owner, slug, verification, messageId: found.id, uploadId, webhook, returnPath }
    return scene
  })
