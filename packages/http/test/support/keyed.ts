/** Requests with an `Idempotency-Key`; services whose ports a test watches, slows down or kills. */
import { it } from "@effect/vitest"
import { Message } from "@mailroom/domain"
import { Engine } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { type Answer, type Call, InMemoryHttp, inMemoryPorts } from "@mailroom/testing"
import { Effect, Layer, Schema, type Scope } from "effect"
import { expect } from "vitest"
import type { Owner } from "./accounts.js"
import { ask, read } from "./contract.js"
import type { Service } from "./service.js"

export const KEY = "order-4711"

export const askWith = (idempotencyKey: string, target: string, call: Call = {}) =>
  ask(target, { ...call, headers: { ...call.headers, "idempotency-key": idempotencyKey } })

const RECIPIENT = "bob@partner.dev"
export const mail = { to: [RECIPIENT], subject: "Hello", bodyText: "How are you?" }

/** Sends under a key. */
export const sendWith = (idempotencyKey: string, { key, mailboxId }: Owner, body: object = mail) =>
  askWith(idempotencyKey, `POST /v1/mailboxes/${mailboxId}/messages`, { key, body })

export const sentIn = (answer: Answer): Message => read(Schema.Struct({ message: Message }))(answer).message

/** How many mails the relay took. */
export const mailsSent = Effect.map(
  Effect.flatMap(MemoryRelay, ({ sent }) => sent),
  (mails) => mails.filter(({ envelope }) => envelope.to.includes(RECIPIENT)).length,
)

export const isReplayed = ({ headers }: Answer): boolean => headers.get("idempotent-replayed") === "true"

/** The same answer again, byte by byte, and told as such. */
export const expectReplay = (again: Answer, first: Answer): void => {
  expect([again.status, again.text]).toEqual([first.status, first.text])
  expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"))
  expect([isReplayed(first), isReplayed(again)]).toEqual([false, true])
}

type Ports = Layer.Layer.Success<ReturnType<typeof inMemoryPorts>>

/** Rules about a service some of whose ports are replaced; a replacement may be built on the port it replaces. */
export const ruleWith =
  <O>(ports: Layer.Layer<O, never, Ports>) =>
  <A, E>(name: string, body: () => Effect.Effect<A, E, Service | O | Scope.Scope>) =>
    it.scoped(name, () =>
      Effect.provide(
        body(),
        InMemoryHttp.layerOver.pipe(
          Layer.provideMerge(Engine.layer),
          Layer.provideMerge(Layer.provideMerge(ports, inMemoryPorts())),
        ),
      ),
    )
