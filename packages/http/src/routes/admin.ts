/** The operator's routes below `/admin/v1`. */
import { Api } from "@mailroom/api"
import { AccountId, MailboxId, queryCursors } from "@mailroom/domain"
import { Administration, AuditLog, examine, Invitations, SigningKeys } from "@mailroom/engine"
import { Effect, Schema } from "effect"
import { pageMetadata } from "../pageMetadata.js"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"
import { LoggedErrors } from "../LoggedErrors.js"
import { auditPage } from "./audit.js"

const accountCursors = queryCursors(AccountId)
const complaintCursors = queryCursors(
  Schema.Struct({ createdAt: Schema.Int, accountId: AccountId, seq: Schema.Int }),
)({ in: "complaints" })
const stoppedCursors = queryCursors(Schema.Struct({ stoppedAt: Schema.Int, mailboxId: MailboxId }))({
  in: "stopped mailboxes",
})

export const adminRoutes = group(Api, "admin", (handlers) =>
  Effect.gen(function* () {
    const administration = yield* Administration
    const invitations = yield* Invitations
    const keys = yield* SigningKeys
    const audit = yield* AuditLog
    const logged = yield* LoggedErrors
    const examination = yield* examine
    const { answer } = yield* ErrorResponses
    const dkimRecords = Effect.map(keys.platformRecords, (dkim) => ({ dnsRecords: { dkim } }))

    return handlers
      .handle("accounts", ({ urlParams: { q, limit, cursor } }) =>
        Effect.gen(function* () {
          const search = q === undefined || q === "" ? null : q
          const cursors = accountCursors({ in: "accounts", search })
          const before = yield* cursors.decode(cursor)
          const page = yield* administration.accounts({ search, before, limit })
          return { accounts: page.items, metadata: pageMetadata(cursors, limit, page.next) }
        }).pipe(answer),
      )
      .handle(
        "suspendAccount",
        ({ path, payload }) =>
          administration.suspendAccount(path.id, payload.reason).pipe(
            Effect.map((account) => ({ account })),
            answer,
          ),
        { uninterruptible: true },
      )
      .handle(
        "unsuspendAccount",
        ({ path }) =>
          administration.unsuspendAccount(path.id).pipe(
            Effect.map((account) => ({ account })),
            answer,
          ),
        { uninterruptible: true },
      )
      .handle(
        "setPlan",
        ({ path, payload }) =>
          administration.setPlan(path.id, payload.plan).pipe(
            Effect.map((account) => ({ account })),
            answer,
          ),
        { uninterruptible: true },
      )
      .handle(
        "suspendMailbox",
        ({ path, payload }) =>
          administration.suspendMailbox(path.id, payload?.reason ?? null).pipe(
            Effect.map((mailbox) => ({ mailbox })),
            answer,
          ),
        { uninterruptible: true },
      )
      .handle(
        "unsuspendMailbox",
        ({ path }) =>
          administration.unsuspendMailbox(path.id).pipe(
            Effect.map((mailbox) => ({ mailbox })),
            answer,
          ),
        { uninterruptible: true },
      )
      .handle(
        "resumeSending",
        ({ path }) =>
          administration.resumeSending(path.id).pipe(
            Effect.map((mailbox) => ({ mailbox })),
            answer,
          ),
        { uninterruptible: true },
      )
      .handle("createInvitation", ({ payload }) => invitations.create(payload?.days), {
        uninterruptible: true,
      })
      .handle("audit", ({ urlParams: { accountId = null, ...paging } }) =>
        auditPage({ in: "audit", accountId }, paging, (page) => audit.listOf(accountId, page)).pipe(answer),
      )
      .handle("invitations", () => Effect.map(invitations.list, (shown) => ({ invitations: shown })))
      .handle(
        "revokeInvitation",
        ({ path }) => answer(Effect.as(invitations.revoke(path.id), { deleted: true as const })),
        { uninterruptible: true },
      )
      .handle("complaints", ({ urlParams: { limit, cursor } }) =>
        Effect.gen(function* () {
          const before = yield* complaintCursors.decode(cursor)
          const page = yield* administration.complaints({ before, limit })
          return { complaints: page.items, metadata: pageMetadata(complaintCursors, limit, page.next) }
        }).pipe(answer),
      )
      .handle("stoppedMailboxes", ({ urlParams: { limit, cursor } }) =>
        Effect.gen(function* () {
          const before = yield* stoppedCursors.decode(cursor)
          const page = yield* administration.stoppedMailboxes({ before, limit })
          return { mailboxes: page.items, metadata: pageMetadata(stoppedCursors, limit, page.next) }
        }).pipe(answer),
      )
      .handle("dkim", () => answer(dkimRecords))
      .handle("rotateDkim", () => answer(Effect.zipRight(keys.rotatePlatform, dkimRecords)), {
        uninterruptible: true,
      })
      .handle("doctor", () => Effect.map(examination, (found) => ({ examination: found })))
      .handle("errors", () => Effect.map(logged.newest, (errors) => ({ errors })))
      .handle("stats", () => Effect.map(administration.stats, (stats) => ({ stats })))
  }),
)
