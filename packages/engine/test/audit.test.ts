/** The audit trail (docs/specification/keys.md, Audit trail). */
import { describe, expect } from "@effect/vitest"
import { AUDIT_FAILED_SIGN_INS_PER_HOUR, AUDIT_KEPT_FOR, HOUR } from "@mailroom/domain"
import {
  AccountRemoval,
  Administration,
  ApiKeys,
  AuditLog,
  Authentication,
  Domains,
  Engine,
  Invitations,
  Mailboxes,
  PasswordReset,
  Retention,
  Suppressions,
  Webhooks,
} from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import { NOON, rule } from "./support/mailroom.js"
import { lastMailTo } from "./support/outbox.js"
import { as, aSignup, type Owner, paying, unverified } from "./support/owners.js"
import { refused } from "./support/refused.js"

const whole = { before: null, limit: 100 }

/** The trail of an account, oldest first. */
const trail = (owner: Owner) =>
  Effect.gen(function* () {
    const audit = yield* AuditLog
    const { entries } = yield* audit.list(yield* as(owner), whole)
    return [...entries].reverse()
  })

/** The actions of a trail, each with the kind of its actor. */
const actions = (owner: Owner) =>
  Effect.map(trail(owner), (entries) => entries.map(({ action, actor }) => `${action} by ${actor.kind}`))

const signIn = (email: string, password: string) =>
  Effect.flatMap(Authentication, (authentication) => authentication.signIn(email, password, "192.0.2.7"))

describe("the audit trail", () => {
  rule(
    "keys.audit.actions: has what callers, the operator and the service did, each once and in order",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      const principal = yield* as(owner)
      const keys = yield* ApiKeys
      const { record } = yield* keys.create(principal, {
        name: "reader",
        mailboxIds: [owner.mailboxId],
        permissions: "readOnly",
      })
      yield* Effect.replicateEffect(keys.revoke(principal, record.id), 2)

      const webhooks = yield* Webhooks
      const url = "https://receiver.mailroom.dev/in"
      const wanted = {
        url,
        events: ["message.received"],
        mailboxId: null,
        headers: { secret: "s3cr3t" },
      } as const
      const { webhook } = yield* webhooks.create(principal, wanted)
      const change = { url: undefined, events: undefined, headers: null, status: "PAUSED" } as const
      yield* webhooks.update(principal, webhook.id, change)
      yield* webhooks.rotateSecret(principal, webhook.id)
      yield* webhooks.remove(principal, webhook.id)

      const domains = yield* Domains
      const { domain } = yield* domains.create(principal, "acme.dev")
      yield* Effect.replicateEffect(domains.rotateDkim(principal, domain.id), 2)
      yield* domains.remove(principal, domain.id)

      const mailboxes = yield* Mailboxes
      const made = { localPart: "second", displayName: null, domainId: null }
      const { id } = yield* mailboxes.create(principal, made)
      yield* mailboxes.remove(principal, id)

      const suppressions = yield* Suppressions
      const [listed] = yield* Effect.replicateEffect(
        suppressions.add(principal, "bob@elsewhere.org", null),
        2,
      )
      if (listed !== undefined) yield* suppressions.remove(principal, listed.id)

      const administration = yield* Administration
      const accountId = principal.account.id
      yield* administration.suspendAccount(accountId, "complaints")
      yield* administration.unsuspendAccount(accountId)
      yield* Effect.replicateEffect(administration.setPlan(accountId, "Scale"), 2)
      yield* administration.suspendMailbox(owner.mailboxId, null)
      yield* administration.unsuspendMailbox(owner.mailboxId)

      const authentication = yield* Authentication
      const { session } = yield* signIn(owner.email, aSignup("acme").password)
      yield* Effect.replicateEffect(authentication.signOut(session), 2)

      const passwords = yield* PasswordReset
      yield* passwords.request(owner.email, "192.0.2.7")
      yield* Engine.settle
      const { mail } = yield* lastMailTo(owner.email)
      const token = /reset-password\?token=([0-9a-f]+)/.exec(mail.text ?? "")?.[1] ?? ""
      yield* passwords.reset(token, "a new and better password", "192.0.2.7")

      expect(yield* actions(owner)).toEqual([
        "account.created by session",
        "plan.changed by system",
        "key.created by key",
        "key.revoked by key",
        "webhook.created by key",
        "webhook.changed by key",
        "webhook.secret_rotated by key",
        "webhook.removed by key",
        "domain.added by key",
        "domain.key_rotated by key",
        "domain.removed by key",
        "mailbox.created by key",
        "mailbox.removed by key",
        "suppression.added by key",
        "suppression.removed by key",
        "account.suspended by admin",
        "account.resumed by admin",
        "plan.changed by admin",
        "mailbox.suspended by admin",
        "mailbox.resumed by admin",
        "session.created by session",
        "session.ended by session",
        "password.changed by session",
      ])
      const entries = yield* trail(owner)
      expect(entries.find(({ action }) => action === "key.created")).toMatchObject({
        actor: { kind: "key", id: principal.credential.kind === "key" ? principal.credential.id : "" },
        target: record.id,
        detail: { name: "reader", mailboxIds: [owner.mailboxId], permissions: ["read"] },
      })
      expect(entries.find(({ action }) => action === "webhook.changed")?.detail).toEqual({
        fields: ["headers", "status"],
        status: "PAUSED",
      })
      expect(JSON.stringify(entries)).not.toMatch(/s3cr3t|mr_|whsec_/)
    }),
  )

  rule(
    "keys.audit.failed: has five wrong passwords of an hour, and none of an unknown email",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const attempt = refused(signIn(owner.email, "wrong"))
      // Recorded beside the response.
      const failed = (count: number) =>
        Effect.map(actions(owner), (found) => found.filter((one) => one === "session.failed by system")).pipe(
          Effect.zipLeft(Effect.yieldNow()),
          Effect.repeat({ until: (found) => found.length >= count }),
        )
      yield* refused(signIn("nobody@acme.dev", "wrong"))
      yield* Effect.replicateEffect(attempt, AUDIT_FAILED_SIGN_INS_PER_HOUR + 2)
      yield* failed(AUDIT_FAILED_SIGN_INS_PER_HOUR)
      yield* TestClock.setTime(NOON + HOUR)
      yield* attempt
      const next = AUDIT_FAILED_SIGN_INS_PER_HOUR + 1
      expect(yield* failed(next)).toHaveLength(next)
    }),
  )

  rule(
    "of the operator has invitations and deleted accounts, and no account's entries",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { account } = yield* as(owner)
      const invitations = yield* Invitations
      const { invitation } = yield* invitations.create(3)
      yield* invitations.revoke(invitation.id)
      yield* Effect.flatMap(as(owner), (principal) =>
        Effect.flatMap(AccountRemoval, ({ remove }) => remove(principal)),
      )
      const audit = yield* AuditLog
      const { entries } = yield* audit.listOf(null, whole)
      expect(entries.map(({ action, target }) => [action, target])).toEqual([
        ["account.deleted", expect.not.stringContaining(account.id)],
        ["invitation.revoked", invitation.id],
        ["invitation.created", invitation.id],
      ])
    }),
  )

  rule(
    "keys.audit.kept: an entry is kept for 400 days",
    Effect.gen(function* () {
      yield* unverified()
      const invitations = yield* Invitations
      yield* invitations.create()
      const { listOf } = yield* AuditLog
      const { sweep } = yield* Retention
      const created = Date.parse((yield* listOf(null, whole)).entries[0]?.createdAt ?? "")
      yield* TestClock.setTime(created + AUDIT_KEPT_FOR)
      yield* sweep
      expect((yield* listOf(null, whole)).entries).toHaveLength(1)
      yield* TestClock.setTime(created + AUDIT_KEPT_FOR + 1)
      yield* sweep
      expect((yield* listOf(null, whole)).entries).toHaveLength(0)
    }),
  )
})
