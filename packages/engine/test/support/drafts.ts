/** Drafts and reviews, as tests write and decide them. */
import {
  type ApproveBody,
  defaultPolicies,
  type DraftBody,
  type DraftId,
  type DraftPatch,
  type DraftRecord,
  type MailboxPolicies,
  type Principal,
} from "@mailroom/domain"
import { Drafts, DraftViews, DraftWorker, Reviews, SendingSwitch, type SendResult } from "@mailroom/engine"
import { Effect, Option } from "effect"
import { changeMailbox } from "./changes.js"
import { as, type Owner } from "./owners.js"
import { RECIPIENT } from "./sends.js"

const aDraftBody = (over: DraftBody = {}): DraftBody => ({
  to: [RECIPIENT],
  subject: "Hello",
  bodyText: "Good morning.",
  ...over,
})

export const draft = (owner: Owner, over: DraftBody = {}) =>
  Effect.gen(function* () {
    const drafts = yield* Drafts
    return yield* drafts.create(yield* as(owner), owner.mailboxId, aDraftBody(over))
  })

export const changeDraft = (owner: Owner, id: DraftId, patch: DraftPatch) =>
  Effect.gen(function* () {
    const drafts = yield* Drafts
    return yield* drafts.update(yield* as(owner), owner.mailboxId, id, patch)
  })

export const removeDraft = (owner: Owner, id: DraftId) =>
  Effect.gen(function* () {
    const drafts = yield* Drafts
    yield* drafts.remove(yield* as(owner), owner.mailboxId, id)
  })

export const sendDraft = (owner: Owner, id: DraftId) =>
  Effect.gen(function* () {
    const drafts = yield* Drafts
    return yield* drafts.send(yield* as(owner), owner.mailboxId, id)
  })

/** The draft, if it is still there. */
export const draftOf = (owner: Owner, id: DraftId) =>
  Effect.gen(function* () {
    const drafts = yield* Drafts
    return yield* Effect.option(drafts.get(yield* as(owner), owner.mailboxId, id))
  })

export const draftsOf = (owner: Owner) =>
  Effect.gen(function* () {
    const drafts = yield* Drafts
    const query = { mailboxId: null, status: null, after: null, limit: 100 }
    const page = yield* drafts.list(yield* as(owner), query)
    return page.drafts.map(({ draft }) => draft)
  })

/** State and error code of a draft; "gone" without one. */
export const stateOf = (owner: Owner, id: DraftId) =>
  Effect.map(
    draftOf(owner, id),
    Option.match({
      onNone: () => "gone",
      onSome: ({ status, error }) => (error === null ? status : `${status} ${error.code}`),
    }),
  )

/** Approves a draft as it was when it was read, as this caller. */
export const approveAs = (principal: Principal, draft: DraftRecord, over: Partial<ApproveBody> = {}) =>
  Effect.gen(function* () {
    const reviews = yield* Reviews
    const { digest } = yield* (yield* DraftViews).one(draft)
    return yield* reviews.approve(principal, draft.id, { digest, ...over })
  })

export const approve = (owner: Owner, draft: DraftRecord, over: Partial<ApproveBody> = {}) =>
  Effect.flatMap(as(owner), (principal) => approveAs(principal, draft, over))

export const reject = (owner: Owner, id: DraftId, reason: string | null = null) =>
  Effect.gen(function* () {
    const reviews = yield* Reviews
    return yield* reviews.reject(yield* as(owner), id, reason)
  })

export const pause = (owner: Owner, paused = true) =>
  Effect.gen(function* () {
    const sending = yield* SendingSwitch
    yield* sending.set(yield* as(owner), paused)
  })

/** Gives the owner's default mailbox these policies, and else the defaults. */
export const setPolicies = (owner: Owner, over: Partial<MailboxPolicies>) =>
  changeMailbox(owner, { policies: { ...defaultPolicies, ...over } })

/** The draft of a send that was held or scheduled. */
export const keptOf = (result: SendResult) =>
  result.kind === "sent" ? Effect.dieMessage("the mail was sent") : Effect.succeed(result.draft)

/** Runs the drafts that are due. */
export const runDue = Effect.flatMap(DraftWorker, ({ drain }) => drain)
