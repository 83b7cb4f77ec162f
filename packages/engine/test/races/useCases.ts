/** The use cases that race: each with itself and with every other. */
import { dayOf, monthOf, plans } from "@mailroom/domain"
import {
  AccountRemoval,
  Administration,
  Attachments,
  DeliveryWorker,
  Idempotency,
  Jobs,
  Mailboxes,
  MessageChanges,
  Retention,
  Suppressions,
  WebhookWorker,
} from "@mailroom/engine"
import { Clock, Effect, TestClock } from "effect"
import { accepted, received } from "../support/arrivals.js"
import { changeAccount, changeMailbox } from "../support/changes.js"
import { lostSend } from "../support/lostSends.js"
import { as, signUp } from "../support/owners.js"
import { addMailboxes, changePlan } from "../support/plans.js"
import type { World } from "../support/race.js"
import { deliveryReport } from "../support/reports.js"
import { RECIPIENT, reply, send, upload } from "../support/sends.js"
import { change, removeWebhook } from "../support/webhooks.js"
import { file, FIRST, mailTo, type Scene, SECOND } from "./scene.js"

export interface UseCase {
  readonly name: string
  /** Brings the scene to where the use case has something to do. */
  readonly prepare?: (scene: Scene) => Effect.Effect<unknown, unknown, World>
  /** `racer` tells the two of one use case apart, where they must differ. */
  readonly run: (scene: Scene, racer: "one" | "two") => Effect.Effect<unknown, unknown, World>
}

const deliver = Effect.flatMap(DeliveryWorker, ({ drain }) =>
  Effect.repeat(drain, { until: (count) => count === 0 }),
)
const work = Effect.flatMap(Jobs, ({ drain }) => drain)

const sendWithKey = ({ owner }: Scene) =>
  Effect.gen(function* () {
    const { once } = yield* Idempotency
    const answer = (status: number) => ({ status, headers: {}, body: "" })
    const sending = Effect.match(send(owner, { inReplyTo: FIRST }), {
      onSuccess: () => ({ answer: answer(201), final: true }),
      onFailure: () => ({ answer: answer(400), final: false }),
    })
    const request = { key: "the key", route: "POST /messages", body: {} }
    return yield* once(yield* as(owner), request, sending, () => Effect.succeed(answer(201)))
  })

export const useCases: ReadonlyArray<UseCase> = [
  { name: "send", run: ({ owner }) => send(owner, { inReplyTo: FIRST }) },
  {
    name: "send with an uploaded file",
    run: ({ owner, uploadId }) => send(owner, { attachments: [uploadId] }),
  },
  {
    name: "the last send of the day",
    prepare: ({ owner }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        changeMailbox(owner, { sentDay: { window: dayOf(now), count: plans.Developer.sendsPerDay - 1 } }),
      ),
    run: ({ owner }) => send(owner),
  },
  { name: "send with a key", run: sendWithKey },
  { name: "reply", run: ({ owner, messageId }) => reply(owner, messageId) },
  {
    name: "deliver an answer",
    run: (scene, racer) =>
      Effect.zipRight(
        mailTo(scene, { id: `<${racer}@elsewhere.org>`, inReplyTo: FIRST, files: [file("answer.txt")] }),
        deliver,
      ),
  },
  {
    name: "deliver a mail that comes twice",
    run: (scene) =>
      Effect.zipRight(mailTo(scene, { id: "<twice@elsewhere.org>", inReplyTo: FIRST }), deliver),
  },
  {
    name: "deliver a mail that joins two threads",
    run: (scene, racer) =>
      Effect.zipRight(
        mailTo(scene, { id: `<join-${racer}@elsewhere.org>`, references: [FIRST, SECOND] }),
        deliver,
      ),
  },
  {
    name: "deliver a bounce",
    run: ({ returnPath }) => Effect.zipRight(accepted(returnPath, deliveryReport(), ""), deliver),
  },
  {
    name: "label a message and mark it read",
    run: ({ owner, messageId }, racer) =>
      Effect.gen(function* () {
        const changes = yield* MessageChanges
        yield* changes.update(yield* as(owner), owner.mailboxId, messageId, { labels: [racer], read: true })
      }),
  },
  {
    name: "delete a message",
    run: ({ owner, messageId }) =>
      Effect.gen(function* () {
        const changes = yield* MessageChanges
        yield* changes.remove(yield* as(owner), owner.mailboxId, messageId)
        yield* work
      }),
  },
  {
    name: "delete a mailbox",
    run: ({ owner }) =>
      Effect.gen(function* () {
        const mailboxes = yield* Mailboxes
        yield* mailboxes.remove(yield* as(owner), owner.mailboxId)
        yield* work
      }),
  },
  {
    name: "create the last mailbox",
    prepare: ({ owner }) => Effect.zipRight(changeAccount(owner, { plan: "Free" }), addMailboxes(owner, 1)),
    run: ({ owner }, racer) =>
      Effect.gen(function* () {
        const mailboxes = yield* Mailboxes
        const wanted = { localPart: `last-${racer}`, displayName: null, domainId: null }
        yield* mailboxes.create(yield* as(owner), wanted)
      }),
  },
  {
    name: "delete an account",
    run: ({ owner }) =>
      Effect.gen(function* () {
        const removal = yield* AccountRemoval
        yield* removal.remove(yield* as(owner))
        yield* work
      }),
  },
  { name: "sign up with a slug", run: ({ slug }) => signUp(`${slug}-new`) },
  {
    name: "buy a plan that unlocks messages",
    prepare: ({ owner }) =>
      Effect.gen(function* () {
        const window = monthOf(yield* Clock.currentTimeMillis)
        yield* changeAccount(owner, {
          receivedMonth: { window, count: plans.Developer.inboundPerMonth ?? 0 },
        })
        yield* received(owner.address, { id: "<gated@elsewhere.org>", inReplyTo: SECOND })
      }),
    run: ({ owner }) => Effect.zipRight(changePlan(owner, "Growth"), work),
  },
  {
    name: "suspend an account",
    run: ({ owner }) =>
      Effect.gen(function* () {
        const { account } = yield* as(owner)
        const administration = yield* Administration
        yield* administration.suspendAccount(account.id, "spam")
      }),
  },
  {
    name: "recover a send whose process is gone",
    prepare: ({ owner }) => Effect.zipRight(lostSend(owner, FIRST), TestClock.adjust("11 minutes")),
    run: () => work,
  },
  { name: "remove what is old", run: () => Effect.flatMap(Retention, ({ sweep }) => sweep) },
  {
    name: "suppress an address",
    run: ({ owner }) =>
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        yield* suppressions.add(yield* as(owner), RECIPIENT)
      }),
  },
  { name: "upload a file", run: ({ owner }, racer) => upload(owner, racer, Buffer.from(racer)) },
  {
    name: "remove an uploaded file",
    run: ({ owner, uploadId }) =>
      Effect.gen(function* () {
        const attachments = yield* Attachments
        yield* attachments.remove(yield* as(owner), uploadId)
      }),
  },
  {
    name: "change a webhook",
    run: ({ owner, webhook }, racer) =>
      change(owner, webhook, { status: racer === "one" ? "PAUSED" : "ACTIVE" }),
  },
  {
    name: "remove a webhook",
    run: ({ owner, webhook }) => Effect.zipRight(removeWebhook(owner, webhook), work),
  },
  {
    name: "post to a webhook",
    prepare: (scene) => Effect.zipRight(mailTo(scene, { id: "<told@elsewhere.org>" }), deliver),
    run: () => Effect.flatMap(WebhookWorker, ({ drain }) => drain),
  },
]
