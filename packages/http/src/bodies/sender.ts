/** The sender of a body. The room for bodies is shared between senders. */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { CurrentPrincipal } from "@mailroom/api"
import { networksOf } from "@mailroom/domain"
import { Effect, Option } from "effect"
import { clientAddress } from "../requests.js"
import type { BodySender } from "./BodiesInFlight.js"

const operator: BodySender = { known: true, id: "operator" }

/** A sender without credentials, such as a person who signs up or a provider that reports: a host, which has a whole IPv6 /64. */
export const anonymous = (request: HttpServerRequest.HttpServerRequest, trustProxy: boolean): BodySender => ({
  known: false,
  id: networksOf(clientAddress(request, trustProxy)).host,
})

/** The sender of a request that passed its access rule. `isOperators` says that the rule was the operator's. */
export const senderOf = (
  request: HttpServerRequest.HttpServerRequest,
  isOperators: boolean,
  trustProxy: boolean,
): Effect.Effect<BodySender> =>
  Effect.map(
    Effect.serviceOption(CurrentPrincipal),
    Option.match({
      onNone: () => (isOperators ? operator : anonymous(request, trustProxy)),
      onSome: ({ account }) => ({ known: true, id: account.id }),
    }),
  )
