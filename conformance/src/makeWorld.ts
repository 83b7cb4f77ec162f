/** The part that both worlds share: requests, and the check of every response against the OpenAPI document. */
import { Effect, Ref } from "effect"
import { type Answer, readAnswer } from "./Answer.js"
import { readEvents } from "./StreamClient.js"
import type { OpenApiDocument } from "./OpenApiDocument.js"
import type { Call, World } from "./World.js"

export interface Transport extends Pick<
  World["Type"],
  "deliver" | "submit" | "outbox" | "receiver" | "eventually" | "now"
> {
  /** what every response is checked against */
  readonly document: OpenApiDocument
  /** Sends a request; the body of the response is unread. */
  readonly open: (target: string, call: Call) => Effect.Effect<Response>
}

const shortened = (text: string): string => (text.length > 500 ? `${text.slice(0, 500)}…` : text)

export const makeWorld = (transport: Transport): Effect.Effect<World["Type"]> =>
  Effect.gen(function* () {
    const { document, open, eventually } = transport
    const request = (target: string, call: Call) =>
      Effect.flatMap(open(target, call), (response) => Effect.promise(() => readAnswer(response)))
    const numbers = yield* Ref.make(0)

    const succeeded = new Set<string>()

    const check = (target: string, answer: Omit<Answer, "bytes">) => {
      const problem = document.problem(target, answer)
      const operation = document.operationOf(target)
      if (operation !== null && answer.status < 300) succeeded.add(operation)
      return problem === null
        ? Effect.void
        : Effect.dieMessage(`${target} answered ${answer.status} ${shortened(answer.text)}\n${problem}`)
    }

    return {
      ...transport,
      operations: document.operations,
      succeeded: () => succeeded,
      call: (target, call = {}) => Effect.tap(request(target, call), (answer) => check(target, answer)),
      visit: (target, call = {}) =>
        document.operationOf(target) === null
          ? request(target, call)
          : Effect.dieMessage(`${target} is in the OpenAPI document: call it`),
      listen: (call, query = "") =>
        Effect.gen(function* () {
          const target = `GET /v1/events${query}`
          const response = yield* open(target, call)
          const { status, headers } = response
          yield* check(target, { status, headers, text: "", json: undefined })
          if (status !== 200) return yield* Effect.dieMessage(`${target} answered ${status}`)
          return yield* readEvents(response, eventually)
        }),
      next: Ref.updateAndGet(numbers, (number) => number + 1),
    }
  })
