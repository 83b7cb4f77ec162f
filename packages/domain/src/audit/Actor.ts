/** Who did something, as the audit trail, claims and events name it. */
import { Schema } from "effect"
import { described } from "../described.js"
import type { Principal } from "../keys/Principal.js"

export const AuditActorKind = Schema.Literal("key", "session", "embedded", "admin", "system").annotations({
  identifier: "AuditActorKind",
  description:
    "An API key; the session of the owner; the program that embeds the engine; the operator; the service itself, such as for a payment or a failed sign-in",
})
export type AuditActorKind = typeof AuditActorKind.Type

export interface AuditActor {
  readonly kind: AuditActorKind
  /** id of the key; null for all other kinds */
  readonly id: string | null
}

export const operatorActor: AuditActor = { kind: "admin", id: null }
export const ownerActor: AuditActor = { kind: "session", id: null }
export const serviceActor: AuditActor = { kind: "system", id: null }

/** The actor of a request. A session has no id: its hash must not be shown. */
export const actorOf = ({ credential }: Pick<Principal, "credential">): AuditActor =>
  credential.kind === "key" ? { kind: "key", id: credential.id } : { kind: credential.kind, id: null }

/** The actor of an entry of the audit trail. */
export const EntryActor = Schema.Struct({
  kind: described(AuditActorKind, "who did it"),
  id: Schema.optional(Schema.String).annotations({ description: "id of the key; absent for others" }),
})

/** An actor with the name that its key had then: it is stored, so that it stays after the key is revoked. */
export const Actor = Schema.Struct({
  ...EntryActor.fields,
  name: Schema.optional(Schema.String).annotations({ description: "name of the key; absent for others" }),
}).annotations({ identifier: "Actor", description: "Who did something: a key by its name, or the owner" })
export type Actor = typeof Actor.Type

/** The caller, with the name of its key. */
export const namedActorOf = ({ credential }: Pick<Principal, "credential">): Actor =>
  credential.kind === "key"
    ? { kind: "key", id: credential.id, name: credential.name }
    : { kind: credential.kind }
