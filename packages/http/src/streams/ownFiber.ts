/**
 * The fiber of an event stream's request. The platform keeps the fiber that it starts for a request as long as the
 * response is open, with the fiber's references and its grown stack: 3.5 kB of an idle stream (docs/decisions/0041).
 */
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, Fiber } from "effect"
import { pathOf } from "../pathOf.js"

const STREAM_PATH = "/v1/events"

/**
 * Runs requests for the event stream in a second fiber, which nobody keeps. The first fiber takes over the references of
 * the second (the quota headers of an error) unless the answer is a stream, of which the platform writes the head alone.
 */
export const streamsInOwnFiber = <E, R>(app: HttpApp.Default<E, R>): HttpApp.Default<E, R> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
    pathOf(url) === STREAM_PATH ? inOwnFiber(app) : app,
  )

const inOwnFiber = <E, R>(app: HttpApp.Default<E, R>): HttpApp.Default<E, R> =>
  Effect.flatMap(Effect.forkDaemon(app), (fiber) =>
    Fiber.await(fiber).pipe(
      // The client has gone.
      Effect.onInterrupt(() => Fiber.interrupt(fiber)),
      Effect.interruptible,
      Effect.flatten,
      Effect.tap(({ status }) => (status === 200 ? Effect.void : Fiber.inheritAll(fiber))),
    ),
  )
