/**
 * The service as a row's test sees it: from outside. One half of the suite has it in memory, the other behind sockets;
 * a test does not know which. Every answer that `call` gives was held against the service's own OpenAPI document.
 */
import type { MemoryZones } from "@mailroom/network"
import type { Call } from "@mailroom/testing"
import type { SmtpSession } from "@mailroom/test-services"
import { Context, type Duration, type Effect, type Scope } from "effect"
import type { Answer } from "./Answer.js"
import type { Mail } from "./mail.js"
import type { EventReader } from "./EventReader.js"

export type { Call }

/** A mail that left the service. */
export interface SentMail {
  /** the return path */
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  /** by lower-case name */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly attachments: ReadonlyArray<{
    readonly filename: string
    readonly contentType: string
    readonly sizeBytes: number
  }>
}

/** A webhook's request as its receiver got it. */
export interface Posted {
  /** by lower-case name */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Receiver {
  readonly url: string
  /** The requests, once there are as many. */
  readonly received: (count: number) => Effect.Effect<ReadonlyArray<Posted>>
  /** How it answers from now on. It begins with 200. */
  readonly answer: (
    status: number,
    headers?: { readonly "retry-after"?: string; readonly location?: string },
  ) => Effect.Effect<void>
}

export class World extends Context.Tag("@mailroom/conformance/World")<
  World,
  {
    /** `target` is a method and a path of the OpenAPI document: `GET /v1/account`. */
    readonly call: (target: string, call?: Call) => Effect.Effect<Answer>
    /** Every operation of the OpenAPI document that was answered with 2xx so far. */
    readonly succeeded: () => ReadonlySet<string>
    /** Every operation of the OpenAPI document: `GET /v1/mailboxes/{id}`. */
    readonly operations: ReadonlyArray<string>
    /** What is beside the document: pages, and paths that do not exist. Dies when the document does have it. */
    readonly visit: (target: string, call?: Call) => Effect.Effect<Answer>
    /** The event stream, open until it is closed or the test is over. */
    readonly listen: (call: Call, query?: string) => Effect.Effect<EventReader, never, Scope.Scope>
    /** Hands mail in, as other servers do; it is accepted when this succeeds. */
    readonly deliver: (mails: ReadonlyArray<Mail>) => Effect.Effect<void>
    /** What the service sent to an address, oldest first. */
    readonly outbox: (to: string) => Effect.Effect<ReadonlyArray<SentMail>>
    readonly receiver: Effect.Effect<Receiver>
    /** Looks, with all work done that is due, until what is seen fits. Dies with what was seen last. */
    readonly eventually: <A, E, R>(
      what: string,
      look: Effect.Effect<A, E, R>,
      fits: (seen: A) => boolean,
    ) => Effect.Effect<A, E, R>
    /** Epoch milliseconds. */
    readonly now: Effect.Effect<number>
    /** A number that no other test of this world has. */
    readonly next: Effect.Effect<number>
  }
>() {}

/** What happened to an account and its first mailbox before the test, where letting it happen would take minutes. */
export interface Past {
  readonly sendsToday?: number
  readonly sendsThisMonth?: number
  readonly receivedThisMonth?: number
  readonly storageUsedBytes?: number
}

/**
 * What only a service in memory allows: its clock, the relay behind it, DNS, the payment provider, and its storage are
 * the test's.
 */
export class Virtual extends Context.Tag("@mailroom/conformance/Virtual")<
  Virtual,
  {
    readonly advance: (duration: Duration.DurationInput) => Effect.Effect<void>
    /** Done when all work that is due is done. */
    readonly settle: Effect.Effect<void>
    readonly relay: {
      /** How the relay answers RCPT TO for an address from now on, such as `550 5.1.1 no such user`. */
      readonly answer: (address: string, reply: string) => Effect.Effect<void>
      readonly reachable: (reachable: boolean) => Effect.Effect<void>
      /** From now on senders wait for its answer, until it goes on. */
      readonly pause: Effect.Effect<void>
      readonly resume: Effect.Effect<void>
    }
    /** What DNS has. */
    readonly zones: MemoryZones["Type"]
    /** From now on nothing can be stored: the storage is away, or there is a fault in the code. */
    readonly fail: (how: "storage" | "code") => Effect.Effect<void>
    readonly pretend: (email: string, past: Past) => Effect.Effect<void>
    /** The plan and period that an owner means to buy, which nothing tells. */
    readonly intent: (
      email: string,
    ) => Effect.Effect<{ readonly plan: string | null; readonly period: string | null }>
    /** The payment provider gives up on an account. */
    readonly lapse: (email: string) => Effect.Effect<void>
    /** The ids of a gated message's attachments, which nothing tells. */
    readonly hiddenAttachments: (mailboxId: string, messageId: string) => Effect.Effect<ReadonlyArray<string>>
  }
>() {}

/** What only a service with sockets shows: its SMTP listener, line by line. */
export class Wire extends Context.Tag("@mailroom/conformance/Wire")<
  Wire,
  {
    /** Connected and greeted; it is closed with the test. */
    readonly smtp: Effect.Effect<SmtpSession, never, Scope.Scope>
    /** Takes requests and never answers them. */
    readonly silentReceiver: Effect.Effect<Pick<Receiver, "url" | "received">>
    /** A request that names another host than the one it goes to. */
    readonly requestAs: (
      host: string,
      target: string,
      key: string,
    ) => Effect.Effect<{ readonly status: number; readonly json: unknown }>
  }
>() {}
