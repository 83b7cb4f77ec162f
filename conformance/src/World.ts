/**
 * The service from outside, as the test of a row uses it: in memory or over sockets, which the test does not know. `call`
 * checks every response against the OpenAPI document of the service.
 */
import type { MemoryZones } from "@mailroom/network"
import type { Call } from "@mailroom/testing"
import type { SmtpSession } from "@mailroom/test-services"
import { Context, type Duration, type Effect, type Scope } from "effect"
import type { Answer } from "./Answer.js"
import type { Mail } from "./mail.js"
import type { StreamClient } from "./StreamClient.js"

export type { Call }

/** A mail that the service sent. */
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

/** A request that a webhook receiver got. */
export interface Posted {
  /** by lower-case name */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Receiver {
  readonly url: string
  /** The requests, when at least `count` have arrived. */
  readonly received: (count: number) => Effect.Effect<ReadonlyArray<Posted>>
  /** Sets the response; 200 by default. */
  readonly answer: (
    status: number,
    headers?: { readonly "retry-after"?: string; readonly location?: string },
  ) => Effect.Effect<void>
}

/** A mail that a client submits by SMTP. */
export interface Submitted {
  /** the address and the API key that the client signs in with */
  readonly user: string
  readonly key: string
  /** MAIL FROM; by default the user */
  readonly from?: string
  /** RCPT TO */
  readonly to: ReadonlyArray<string>
  /** Latin-1, with CRLF line ends */
  readonly raw: string
}

export class World extends Context.Tag("@mailroom/conformance/World")<
  World,
  {
    /** `target` is a method and a path of the OpenAPI document: `GET /v1/account`. */
    readonly call: (target: string, call?: Call) => Effect.Effect<Answer>
    /** The operations of the OpenAPI document that have answered 2xx so far. */
    readonly succeeded: () => ReadonlySet<string>
    /** All operations of the OpenAPI document: `GET /v1/mailboxes/{id}`. */
    readonly operations: ReadonlyArray<string>
    /** Requests a path that is not in the document, such as a page. Dies when the document has the path. */
    readonly visit: (target: string, call?: Call) => Effect.Effect<Answer>
    /** The event stream, open until it is closed or the scope ends. */
    readonly listen: (call: Call, query?: string) => Effect.Effect<StreamClient, never, Scope.Scope>
    /** Delivers mail as other servers do; returns when it is accepted. */
    readonly deliver: (mails: ReadonlyArray<Mail>) => Effect.Effect<void>
    /**
     * Submits a mail. Returns the reply to it; or that to the sign-in, to MAIL FROM or to the last recipient, when no mail can
     * follow.
     */
    readonly submit: (mail: Submitted) => Effect.Effect<string>
    /** The mails that the service sent to any of these addresses; those to one of them oldest first. */
    readonly outbox: (...to: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<SentMail>>
    readonly receiver: Effect.Effect<Receiver>
    /** Runs due work and repeats `look` until `fits` holds. Dies with the last value. */
    readonly eventually: <A, E, R>(
      what: string,
      look: Effect.Effect<A, E, R>,
      fits: (seen: A) => boolean,
    ) => Effect.Effect<A, E, R>
    /** Epoch milliseconds. */
    readonly now: Effect.Effect<number>
    /** A number that no other test of this world gets. */
    readonly next: Effect.Effect<number>
  }
>() {}

/** Counters of an account and its first mailbox, set directly because reaching them by requests would take minutes. */
export interface Past {
  readonly sendsToday?: number
  readonly sendsThisMonth?: number
  readonly receivedThisMonth?: number
  readonly storageUsedBytes?: number
  readonly listEntryCount?: number
  /** copies of the newest draft */
  readonly copiedDrafts?: number
}

/**
 * Controls of a service in memory: its clock, relay, DNS, payment provider and storage.
 */
export class Virtual extends Context.Tag("@mailroom/conformance/Virtual")<
  Virtual,
  {
    readonly advance: (duration: Duration.DurationInput) => Effect.Effect<void>
    /** Runs all work that is due. */
    readonly settle: Effect.Effect<void>
    readonly relay: {
      /** Sets the reply of the relay to RCPT TO for an address, such as `550 5.1.1 no such user`. */
      readonly answer: (address: string, reply: string) => Effect.Effect<void>
      readonly reachable: (reachable: boolean) => Effect.Effect<void>
      /** Holds back the relay's replies until it is released. */
      readonly pause: Effect.Effect<void>
      readonly resume: Effect.Effect<void>
      /** From now on the relay takes mail, and its replies are lost. */
      readonly loseAnswers: Effect.Effect<void>
    }
    /** The DNS records. */
    readonly zones: MemoryZones["Type"]
    /** Makes every transaction fail: the storage is unavailable, or the code has an error. */
    readonly fail: (how: "storage" | "code") => Effect.Effect<void>
    readonly pretend: (email: string, past: Past) => Effect.Effect<void>
    /** The stored intent of an owner, which no response shows. */
    readonly intent: (
      email: string,
    ) => Effect.Effect<{ readonly plan: string | null; readonly period: string | null }>
    /** The subscription of an account ends unpaid. */
    readonly lapse: (email: string) => Effect.Effect<void>
    /** The ids of a gated message's attachments, which no response shows. */
    readonly hiddenAttachments: (mailboxId: string, messageId: string) => Effect.Effect<ReadonlyArray<string>>
  }
>() {}

/** Raw access to a service with sockets, such as its SMTP listener. */
export class Wire extends Context.Tag("@mailroom/conformance/Wire")<
  Wire,
  {
    /** Connects and reads the greeting; closed when the scope ends. */
    readonly smtp: Effect.Effect<SmtpSession, never, Scope.Scope>
    /** An SMTP session of a mail client, which has said EHLO. */
    readonly submission: Effect.Effect<SmtpSession, never, Scope.Scope>
    /** A server that accepts requests and never responds. */
    readonly silentReceiver: Effect.Effect<Pick<Receiver, "url" | "received">>
    /** Sends a request with another Host header. */
    readonly requestAs: (
      host: string,
      target: string,
      key: string,
    ) => Effect.Effect<{ readonly status: number; readonly json: unknown }>
  }
>() {}
