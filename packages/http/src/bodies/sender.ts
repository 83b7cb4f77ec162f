/** Whose body it is: its room in the process is shared between those. */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { CurrentPrincipal } from "@mailroom/api"
import { Effect, Option } from "effect"
import { clientAddress } from "../clientAddress.js"
import type { Sender } from "./BodiesInFlight.js"

const operator: Sender = { known: true, id: "operator" }

/** Somebody whom no credentials name yet, such as a person who signs up or a provider that reports. */
export const anonymous = (request: HttpServerRequest.HttpServerRequest, trustProxy: boolean): Sender => ({
  known: false,
  id: clientAddress(request, trustProxy),
})

/** After the gates of an endpoint, which let in nobody but the operator when it `isOperators`. */
export const senderOf = (
  request: HttpServerRequest.HttpServerRequest,
  isOperators: boolean,
  trustProxy: boolean,
): Effect.Effect<Sender> =>
  Effect.map(
    Effect.serviceOption(CurrentPrincipal),
    Option.match({
      onNone: () => (isOperators ? operator : anonymous(request, trustProxy)),
      onSome: ({ account }) => ({ known: true, id: account.id }),
    }),
  )
